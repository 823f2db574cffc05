"""Tables and selectors: what is read is what was written, and every complaint is one line with a remedy."""

import csv
import datetime
import gzip
import hashlib
import io
import sys

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_array_equal

from infold.data.files import open_table, read_columns, read_labels
from infold.data.selectors import Header, select
from infold.data.text_files import Dialect

ROWS = np.array([[1.0, 2.5, -3.0, 4e-3], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]])
NAMES = ["a", "b", "c", "d"]


def text(rows=ROWS, names=NAMES, delimiter=","):
    lines = [names, *(map(repr, row) for row in rows.tolist())] if names else [map(repr, row) for row in rows.tolist()]
    return "".join(delimiter.join(line) + "\n" for line in lines)


@pytest.fixture
def write(tmp_path):
    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def complaint(path, x="a", y="b"):
    with pytest.raises(ValueError, match=r"\.$") as caught:
        read_columns(path, {"--x": x, "--y": y})
    message = str(caught.value)
    assert "\n" not in message
    return message


# Formats


@pytest.mark.parametrize(
    ("name", "delimiter"),
    [
        ("t.csv", ","),
        ("t.csv", ";"),
        ("t.csv", "\t"),
        ("t.CSV", ","),
        ("t.tsv", "\t"),
        ("t.txt", "\t"),
        ("t.txt", "  "),
    ],
)
def test_text_is_read_back(write, name, delimiter):
    columns = read_columns(write(text(delimiter=delimiter), name), {"--x": "d,a", "--y": "b"})
    assert columns["--x"].names == ("d", "a")
    assert_array_equal(columns["--x"].values, ROWS[:, [3, 0]])
    assert_array_equal(columns["--y"].values, ROWS[:, [1]])


def test_gzip_byte_order_mark_quotes_blank_lines_and_crlf(write):
    content = '\ufeffa, "b, with comma",note\r\n\r\n1,2,"x, ""y"""\r\n3,4,"two\r\nlines"\r\n\r\n'
    path = write(gzip.compress(content.encode()), "data.csv.gz")
    columns = read_columns(path, {"--x": "a", "--y": '"b, with comma"'})
    assert_array_equal(np.hstack([columns["--x"].values, columns["--y"].values]), [[1, 2], [3, 4]])
    assert columns["--y"].names == ("b, with comma",)


def test_only_picked_columns_need_numbers(write):
    columns = read_columns(write("id,a,b\nx,1,2\n,3,4\n"), {"--x": "a", "--y": "b"})
    assert_array_equal(columns["--x"].values, [[1], [3]])


def test_a_first_row_of_numbers_is_data(write):
    columns = read_columns(write(text(names=None)), {"--x": "0:1", "--y": "3"})
    assert_array_equal(columns["--x"].values, ROWS[:, :2])
    assert columns["--y"].names == ("3",)


def test_a_first_row_that_counts_is_the_header_pandas_writes(tmp_path):
    pandas = pytest.importorskip("pandas")
    pandas.DataFrame(ROWS).to_csv(tmp_path / "plain.csv", index=False)
    pandas.DataFrame(ROWS).to_csv(tmp_path / "indexed.csv")
    for path in (tmp_path / "plain.csv", tmp_path / "indexed.csv"):
        assert_array_equal(read_columns(path, {"--x": "0", "--y": "3"})["--x"].values, ROWS[:, [0]])
    assert_array_equal(read_columns(path, {"--x": "Unnamed: 0"})["--x"].values, [[0], [1], [2]])


def test_savetxt_header_and_comments(tmp_path):
    np.savetxt(tmp_path / "t.txt", ROWS, header="a b c d", footer="the end")
    assert_array_equal(read_columns(tmp_path / "t.txt", {"--x": "a:c"})["--x"].values, ROWS[:, :3])


FRAME = {"a.b": [1.0, 2.0, 3.0], "whole": [1, 2, 3], "yes": [False, False, True], "word": ["x", "y", "z"]}
FRAME |= {"digits": ["1", "2", "3"], "day": [datetime.date(2020, 1, day) for day in (1, 2, 3)]}
WRITERS = {
    "pandas.parquet": lambda frame, path: frame.to_pandas().iloc[[0, 2]].to_parquet(path),  # with an index column
    "polars.parquet": lambda frame, path: frame[[0, 2]].write_parquet(path),
    "file.arrow": lambda frame, path: frame[[0, 2]].write_ipc(path),
    "stream.arrow": lambda frame, path: frame[[0, 2]].write_ipc_stream(path),
    "pandas.feather": lambda frame, path: frame[[0, 2]].to_pandas().to_feather(path),
    "lines.ndjson": lambda frame, path: frame[[0, 2]].write_ndjson(path),
    "lines.jsonl": lambda frame, path: frame[[0, 2]].write_ndjson(path),
}


@pytest.mark.parametrize("name", WRITERS)
def test_typed_columns(tmp_path, name):
    path = tmp_path / name
    frame = pl.DataFrame(FRAME).drop("day") if "json" in name else pl.DataFrame(FRAME)  # JSON has no dates
    WRITERS[name](frame, path)
    tables = read_columns(path, {"--x": "a.b,yes", "--y": "word,whole"})
    assert_array_equal(tables["--x"].values, [[1, 0], [3, 1]])
    assert tables["--x"].nominal == (1,)
    assert_array_equal(tables["--y"].values, [[0, 1], [1, 3]])
    assert tables["--y"].nominal == (0,)
    assert tables["--y"].names == ("word", "whole")
    assert read_columns(path, {"--x": "digits,whole"}, discrete="digits,w*")["--x"].nominal == (0, 1)
    assert "column 'digits' holds numbers as text; convert" in complaint(path, "digits", "whole")
    assert f"{', '.join(frame.columns)}." in complaint(path, "nothing", "whole")
    if "day" in frame.columns:
        assert "column 'day' holds D" in complaint(path, "day", "whole")


@pytest.mark.parametrize("write", ["write_parquet", "write_ipc", "write_ndjson"])
def test_a_null_is_named_or_left_as_a_hole(tmp_path, write):
    path = tmp_path / {"write_parquet": "t.parquet", "write_ipc": "t.feather", "write_ndjson": "t.ndjson"}[write]
    frame = pl.DataFrame({"a": [1, None, 3], "b": ["x", "y", None], "c": [None, 1.0, float("inf")]})
    getattr(frame, write)(path)
    assert "column 'a', row 2 is nan" in complaint(path, "a", "b")
    with pytest.raises(ValueError, match="column 'b', row 3 is empty"):
        read_columns(path, {"--x": "b"})
    tables = read_columns(path, {"--x": "a", "--y": "b"}, missing="drop")
    assert_array_equal(tables["--x"].values.ravel(), [1, np.nan, 3])
    assert_array_equal(tables["--y"].values.ravel(), [0, 1, np.nan])
    if write != "write_ndjson":  # JSON has no infinity
        with pytest.raises(ValueError, match="column 'c', row 3 is inf"):
            read_columns(path, {"--x": "c"}, missing="drop")


def test_parquet_needs_no_pyarrow(tmp_path, monkeypatch):
    pl.DataFrame(FRAME).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert read_columns(tmp_path / "t.parquet", {"--x": "whole"})["--x"].values.shape == (3, 1)


def test_excel(tmp_path):
    pytest.importorskip("fastexcel")
    pytest.importorskip("xlsxwriter")
    pl.DataFrame(FRAME).write_excel(tmp_path / "t.xlsx")
    tables = read_columns(tmp_path / "t.xlsx", {"--x": "a.b,word"})
    assert_array_equal(tables["--x"].values, [[1, 0], [2, 1], [3, 2]])


def test_excel_without_fastexcel_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(ImportError, match=r"pip install 'infold\[excel\]'"):
        read_columns(write("junk", "t.xlsx"), {"--x": "a"})


def test_npy(tmp_path):
    np.save(tmp_path / "t.npy", ROWS.astype(np.float32))
    columns = read_columns(tmp_path / "t.npy", {"--x": "0:2", "--y": "3"})
    assert_array_equal(columns["--x"].values, ROWS.astype(np.float32)[:, :3])
    assert columns["--x"].values.dtype == np.float64


def test_npy_records(tmp_path):
    records = np.array([(1, [2.0, 3.0], "x"), (4, [5.0, 6.0], "y")], dtype=[("a", int), ("v", float, 2), ("s", "U1")])
    np.save(tmp_path / "t.npy", records)
    columns = read_columns(tmp_path / "t.npy", {"--x": "v", "--y": "a"})
    assert columns["--x"].names == ("v[0]", "v[1]")
    assert_array_equal(columns["--x"].values, [[2, 3], [5, 6]])
    words = read_columns(tmp_path / "t.npy", {"--x": "s"})["--x"]
    assert_array_equal(words.values, [[0], [1]])
    assert words.nominal == (0,)


def test_npz(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=ROWS[:, :2], Y=ROWS[:, 2], one=ROWS[:, 3:], short=np.arange(2), about=np.array("words"))
    columns = read_columns(path, {"--x": "X", "--y": "Y,one"})
    assert columns["--x"].names == ("X[0]", "X[1]")
    assert_array_equal(columns["--x"].values, ROWS[:, :2])
    assert_array_equal(columns["--y"].values, ROWS[:, 2:])
    assert_array_equal(read_columns(path, {"--x": "X[1]"})["--x"].values, ROWS[:, [1]])
    assert "'short' has 2 rows, but 'X' has 3" in complaint(path, "X", "short")
    assert "'about' has shape ()" in complaint(path, "X", "about")


def test_numpy_files_never_run_code(tmp_path):
    objects = np.array([1, "two"], dtype=object)
    np.save(tmp_path / "t.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "t.npz", a=objects, b=np.arange(2.0), allow_pickle=True)
    assert "without running its code" in complaint(tmp_path / "t.npy")
    assert "'a' holds object" in complaint(tmp_path / "t.npz")


# Classes, holes and dialects of text


def table(path, x, dialect=None, **options):
    return read_columns(open_table(path, dialect or Dialect()), {"--x": x}, **options)["--x"]


@pytest.mark.parametrize("quote", [csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
def test_text_columns_are_nominal(write, quote):
    file = io.StringIO()
    rows = [["n", "w", "code"], [1.5, "b", 7], [2.5, "a", 3], [3.5, " b ", 7]]
    csv.writer(file, quoting=quote).writerows(rows)
    found = table(write(file.getvalue()), "*")
    assert_array_equal(found.values, [[1.5, 0, 7], [2.5, 1, 3], [3.5, 0, 7]])
    assert found.nominal == (1,)
    declared = table(write(file.getvalue()), "*", discrete="code")
    assert_array_equal(declared.values[:, 2], [0, 1, 0])
    assert declared.nominal == (1, 2)


def test_a_column_to_declare_must_be_picked(write):
    with pytest.raises(ValueError, match="--discrete='c' names none of the columns that --x pick"):
        table(write(text()), "a,b", discrete="c")
    with pytest.raises(ValueError, match="--discrete='z' is not a column"):
        table(write(text()), "a,b", discrete="z")


@pytest.mark.parametrize("quoted", [False, True])
def test_holes_are_dropped_if_asked(write, quoted):
    content = "n,w,m\n1,b,1\n,a,2\nNA,,3\n4,none,nan\n5,b,\n6,NA,1\n"
    path = write(content.replace("b", '"b"') if quoted else content)
    found = table(path, "*", missing="drop")
    assert_array_equal(
        found.values, [[1, 0, 1], [np.nan, 1, 2], [np.nan, np.nan, 3], [4, 2, np.nan], [5, 0, np.nan], [6, np.nan, 1]]
    )
    assert found.nominal == (1,)
    assert "column 'n', row 2 (line 3) is empty" in complaint(path, "n", "m")
    assert "column 'w', row 3 (line 4) is empty" in complaint(path, "w", "m")
    path = write("sex,m\nmale,1\nfemale,2\nNA,3\n")
    assert "column 'sex', row 3 (line 4) is 'NA', which is no value; fill the missing value" in complaint(
        path, "sex", "m"
    )


def test_mostly_numbers_are_numbers_with_bad_cells(write):
    numbers = "\n".join(map(str, range(20)))
    for cell in ("abc", "1.2.3", "12 apples"):
        assert f"column 'b', row 17 (line 18) is {cell!r}, which is not a number" in complaint(
            write("a,b\n" + "".join(f"1,{cell if i == 16 else i}\n" for i in range(30)))
        )
    assert "write numbers with a decimal point, or pass --decimal-comma" in complaint(write("a;b\n1;1,5\n2;3,5\n"))
    assert "is '5%'" in complaint(write("a,b\n1,5%\n2,6%\n"))
    assert table(write(f"a\n{numbers}\nNA\n"), "a", missing="drop").values.shape == (21, 1)


def test_numbers_are_those_of_python(write):
    cells = ["1", "+1", "-1e-3", "1E5", ".5", "5.", " 7 ", "1e-320", "0.1", "123456789.123456789", "1e308"]
    found = table(write("a,b\n" + "".join(f"{cell},1\n" for cell in cells)), "a")
    assert_array_equal(found.values.ravel(), [float(cell) for cell in cells])
    values = np.random.default_rng(0).normal(size=500) * 10.0 ** np.arange(-250, 250)
    assert_array_equal(table(write("a\n" + "".join(f"{v!r}\n" for v in values.tolist())), "a").values.ravel(), values)


def test_decimal_comma(write):
    path = write("a;b\n1,5;x\n-2,25e1;y\n3;y\n")
    found = table(path, "*", Dialect(decimal_comma=True))
    assert_array_equal(found.values, [[1.5, 0], [-22.5, 1], [3, 1]])
    with pytest.raises(ValueError, match=r"row 3 \(line 4\) is '1.234', which is not a number; write .* decimal comma"):
        table(write("a;b\n1,5;1\n2,5;1\n1.234;1\n"), "a", Dialect(decimal_comma=True))


@pytest.mark.parametrize(
    ("given", "separator"), [("|", "|"), ("tab", "\t"), ("\\t", "\t"), (" ", "   "), ("space", " ")]
)
def test_separator(write, given, separator):
    found = table(write(text(delimiter=separator)), "b,c", Dialect(separator=given))
    assert_array_equal(found.values, ROWS[:, 1:3])
    with pytest.raises(ValueError, match="--separator='ab' cannot separate cells"):
        table(write(text()), "a", Dialect(separator="ab"))


def test_encoding(write):
    path = write("a,größe\n1,é\n2,à\n".encode("latin-1"))
    found = table(path, "größe", Dialect(encoding="latin-1"))
    assert (found.names, found.nominal) == (("größe",), (0,))
    assert_array_equal(table(write(text().encode("utf-16")), "b", Dialect(encoding="utf-16")).values, ROWS[:, [1]])
    assert "not UTF-8 text; save it as UTF-8 (in Excel: 'CSV UTF-8'), or pass its encoding" in complaint(path)
    with pytest.raises(ValueError, match="--encoding='klingon' is not known"):
        table(path, "a", Dialect(encoding="klingon"))
    with pytest.raises(ValueError, match="is not ascii text"):
        table(path, "a", Dialect(encoding="ascii"))


def test_without_a_header_the_first_row_is_data(write):
    found = table(write("x,1\ny,2\nx,3\n"), "0:1", Dialect(header=False))
    assert_array_equal(found.values, [[0, 1], [1, 2], [0, 3]])
    assert found.names == ("0", "1")


def test_the_dialect_of_text_is_for_text(tmp_path):
    np.save(tmp_path / "t.npy", ROWS)
    with pytest.raises(ValueError, match="is not text, so --separator"):
        open_table(tmp_path / "t.npy", Dialect(separator=";"))


def test_zstd(tmp_path):
    zstd = pytest.importorskip("pyarrow").compress(text().encode(), codec="zstd", asbytes=True)
    (tmp_path / "t.csv.zst").write_bytes(zstd)
    assert_array_equal(table(tmp_path / "t.csv.zst", "b").values, ROWS[:, [1]])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_blank_lines_and_ends_of_lines(write, end, quote):
    lines = ["", f"{quote}a{quote},b", "", f"1,{quote}2{quote}", "", "   ", "3,4"]
    path = write(end.join(lines))
    assert_array_equal(table(path, "a,b").values, [[1, 2], [3, 4]])
    path = write(end.join([*lines, "5,bad", "6,7"]))
    assert "row 3 (line 8) is 'bad'" in complaint(path)
    assert "line 8 has 1 cells" in complaint(write(end.join([*lines, "5", "6,7"])))
    assert "line 8 has 3 cells" in complaint(write(end.join([*lines, "5,6,", "6,7"])))


def test_one_column_has_no_blank_rows(write):
    assert_array_equal(table(write("a\n1\n\n2\n"), "a").values, [[1], [2]])


def test_quotes_inside_cells(write):
    found = table(write('size,n\n5" x,1\n6" y,2\n"a ""b""",3\n'), "*")
    assert_array_equal(found.values, [[0, 1], [1, 2], [2, 3]])


CELLS = ["a", "b b", "ü", 'q"x', "x,y", "z;w", " lead", "new\nline", "'"]
NUMBERS = ["1.5", "-3", "1e5", " 2.5 ", "+3", ".5", "0.1"]


@pytest.mark.parametrize("seed", range(100))
def test_what_the_csv_module_writes_is_read_back(write, seed):
    rng = np.random.default_rng(seed)
    is_text = rng.random(rng.integers(1, 6)) < 0.4
    rows = [[str(rng.choice(CELLS if words else NUMBERS)) for words in is_text] for _ in range(rng.integers(1, 12))]
    if len(is_text) > 1 and len(rows) > 3:
        rows[1][0] = rows[2][-1] = ""
    file, separator = io.StringIO(), str(rng.choice(list(",;\t")))
    quoting = csv.QUOTE_ALL if seed % 3 == 0 else csv.QUOTE_MINIMAL
    writer = csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n" if seed % 2 else "\r\n")
    for row in [[f"c{i}" for i in range(len(is_text))], *rows]:
        writer.writerow(row)
        file.write("\n" if rng.random() < 0.1 else "")
    found = table(write(file.getvalue()), "*", Dialect(separator=separator), missing="drop")
    for column, words, *cells in zip(found.values.T, is_text, *rows, strict=True):
        there = [cell.strip() for cell in cells if cell]
        expected = [list(dict.fromkeys(there)).index(cell) if words else float(cell) for cell in there]
        assert_array_equal(column[~np.isnan(column)], expected)
        assert [cell == "" for cell in cells] == np.isnan(column).tolist()
    assert found.nominal == tuple(np.flatnonzero(is_text).tolist())


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet", "arrow", "ndjson", "npy"])
def test_stdin(tmp_path, monkeypatch, kind):
    path = tmp_path / f"t.{kind}"
    frame = pl.DataFrame(ROWS, schema=NAMES, orient="row")
    if kind == "npy":
        np.save(path, ROWS)
    elif kind.startswith("csv"):
        path.write_bytes(gzip.compress(text().encode()) if kind.endswith("gz") else text().encode())
    else:
        {"parquet": frame.write_parquet, "arrow": frame.write_ipc, "ndjson": frame.write_ndjson}[kind](path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    opened = open_table("-")
    assert opened.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert_array_equal(table(opened, "1,2").values, ROWS[:, 1:3])


# Selectors

HEADER = Header(["id", "x1", "x2", "x10", "X1", "a:b", "s*", "star", "p,q", "2"], {"G": [1, 2]})


@pytest.mark.parametrize(
    ("selector", "positions"),
    [
        ("x1", [1]),
        (" x1 , x2 ", [1, 2]),
        ("x2,x1,x2", [2, 1]),
        ("x1:x10", [1, 2, 3]),
        ("0:x2", [0, 1, 2]),
        ("1:3", [1, 2, 3]),
        ("x*", [1, 2, 3]),
        ("x?", [1, 2]),
        ("*1*", [1, 3, 4]),
        ("a:b", [5]),
        ("a:b:star", [5, 6, 7]),
        ("s*", [6]),
        ("s??r", [7]),
        ('"p,q",id', [8, 0]),
        (r"p\,q", [8]),
        ("2", [9]),
        ("3", [3]),
        ("G,x10", [1, 2, 3]),
        ("*", list(range(10))),
    ],
)
def test_selector(selector, positions):
    assert select(HEADER, selector, "--x") == positions


@pytest.mark.parametrize(
    ("selector", "parts"),
    [
        ("", ["names no column"]),
        ("  ", ["names no column"]),
        ("x1,,x2", ["empty name between commas"]),
        (
            "x3",
            [
                "--x='x3' is not a column",
                "did you mean",
                "'x1'",
                "columns are id, x1, x2, x10",
                "(10 in all)",
            ],
        ),
        ("zebra", ["--x='zebra' is not a column; the columns are"]),
        ("x1:x11", ["--x='x11' (in 'x1:x11') is not a column"]),
        ("x10:x1", ["runs backwards", "write x1:x10"]),
        ("y*", ["--x='y*' matches no column (case counts)"]),
        ("p,q", ["""double quotes: --x '"p,q"'"""]),
        ('"p,q', ["unmatched quote"]),
        ("10", ["--x='10' is not a column"]),
        ("x[0-9]*", ["matches no column"]),
    ],
)
def test_selector_complaints(selector, parts):
    with pytest.raises(ValueError, match="--x") as caught:
        select(HEADER, selector, "--x")
    for part in parts:
        assert part in str(caught.value)


# Complaints about files and cells


@pytest.mark.parametrize(
    ("cell", "says"),
    [
        ("high", "column 'b', row 2 (line 3) is 'high', which is not a number; clean the cell"),
        ("", "column 'b', row 2 (line 3) is empty"),
        ("NA", "fill the missing value or drop the row"),
        ("2024_01", "is '2024_01', which is not a number"),
        ('"1,5"', "write numbers with a decimal point"),
        ("nan", "column 'b', row 2 is nan"),
        ("inf", "column 'b', row 2 is inf"),
    ],
)
def test_bad_cell(write, cell, says):
    assert says in complaint(write(f"a,b\n1,2\n3,{cell}\n5,6\n"))


@pytest.mark.parametrize(
    ("content", "name", "says"),
    [
        ("", "t.csv", "is empty"),
        ("\n\n", "t.csv", "is empty"),
        ("a,b\n", "t.csv", "a header but no rows"),
        ("a,b,a\n1,2,3\n", "t.csv", "more than one column named 'a'"),
        ("a,b\n1,2\n3,4,5\n", "t.csv", "line 3 has 3 cells, but there are 2 columns"),
        ("a b\nr1 1 2\nr2 3 4\n", "t.txt", "line 2 has 3 cells, but there are 2 columns"),
        ("a,b\n1\n", "t.csv", "line 2 has 1 cells"),
        ('a,b\n1,"2\n', "t.csv", "damaged"),
        (b"\x89PNG\r\n\x1a\n\x00\xff\xfe", "t.csv", "not UTF-8"),
        (b"PK\x03\x04\x00\x00\x00", "t.csv", "is not text"),
        ("a,b\n1,é\n".encode("latin-1"), "t.csv", "not UTF-8"),
        ("a,b\n1,2\n".encode("utf-16"), "t.csv", "not UTF-8"),
        ("a,b\n1,2\n", "t.csv.gz", "damaged"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 99)[:-12], "t.csv.gz", "damaged"),
        (b"PAR1 not really", "t.parquet", "damaged"),
        (b"\x93NUMPY\x01\x00", "t.npy", "damaged"),
        ("a,b\n1,2\n", "t.npy", "damaged"),
        (b"PK\x03\x04 cut", "t.npz", "damaged"),
        (b"ARROW1 not really", "t.arrow", "damaged"),
        ('{"a": 1, "b"\n', "t.ndjson", "damaged"),
        ("a,b\n1,2\n", "t.csv.zst", "damaged"),
        ("a,b\n1,2\n", "t.xls", "unknown suffix '.xls'"),
        ("a,b\n1,2\n", "table", "unknown suffix ''"),
    ],
)
def test_not_a_table(write, content, name, says):
    path = write(content, name)
    message = complaint(path)
    assert says in message
    assert str(path) in message


def test_missing_file_and_directory(tmp_path):
    assert "no such file" in complaint(tmp_path / "none.csv")
    assert "is a directory" in complaint(tmp_path)


def test_a_column_belongs_to_one_side(write):
    assert "--x and --y both pick column 'b'" in complaint(write(text()), "a:b", "b,c")


def test_years_as_names_are_explained(write):
    message = complaint(write("2019,2020\n1,2\n"), "2019", "2020")
    assert "the first row is all numbers, so columns are named by position" in message


@pytest.mark.parametrize("name", ["data.csv", "data.csv.gz", "data.parquet", "data.npy"])
def test_a_file_is_read_once(tmp_path, name):
    path = tmp_path / name
    if name.endswith(".parquet"):
        pl.DataFrame(ROWS, schema=["0", "1", "2", "3"], orient="row").write_parquet(path)
    elif name.endswith(".npy"):
        np.save(path, ROWS)
    else:
        content = text(names=["0", "1", "2", "3"]).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    expected = hashlib.sha256(path.read_bytes()).hexdigest()
    opened = open_table(path)
    path.unlink()
    assert opened.sha256 == expected
    assert_array_equal(read_columns(opened, {"--x": "1"})["--x"].values, ROWS[:, [1]])
    assert read_labels(opened, "2", "--groups") == ["-3.0", "7.0", "11.0"]
