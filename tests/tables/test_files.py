"""Tables and selectors: what is read is what was written, and every complaint is one line with a remedy."""

import gzip
import hashlib
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from infold.data.files import open_table, read_columns, read_labels
from infold.data.selectors import Header, select

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


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_parquet(tmp_path, library):
    pytest.importorskip("pyarrow")
    frames = pytest.importorskip(library)
    frame = frames.DataFrame(
        {"a.b": [1.0, 2.0, 3.0], "whole": [1, 2, 3], "yes": [True, False, True], "word": ["x", "1", "z"]}
    )
    path = tmp_path / "t.parquet"
    if library == "pandas":
        frame.iloc[[0, 2]].to_parquet(path)  # has an index column, which `*` must not pick
    else:
        frame[[0, 2]].write_parquet(path)
    columns = read_columns(path, {"--x": "a.b,yes", "--y": "whole"})
    assert_array_equal(columns["--x"].values, [[1, 1], [3, 1]])
    assert_array_equal(columns["--y"].values, [[1], [3]])
    assert "column 'word' holds" in complaint(path, "*", "whole").replace("--x and --y both", "column 'word' holds")
    assert "column 'word' holds" in complaint(path, "word", "whole")
    assert "a.b, whole, yes, word." in complaint(path, "nothing", "whole")


def test_parquet_null_is_named(tmp_path):
    pytest.importorskip("pyarrow")
    polars = pytest.importorskip("polars")
    polars.DataFrame({"a": [1, None, 3], "b": [1.0, 2.0, 3.0]}).write_parquet(tmp_path / "t.parquet")
    assert "column 'a', row 2 is nan" in complaint(tmp_path / "t.parquet")


def test_parquet_without_pyarrow_names_the_extra(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'infold\[parquet\]'"):
        read_columns(write("junk", "t.parquet"), {"--x": "a"})


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
    assert "holds <U1" in complaint(tmp_path / "t.npy", "s", "a")


def test_npz(tmp_path):
    path = tmp_path / "t.npz"
    np.savez(path, X=ROWS[:, :2], Y=ROWS[:, 2], one=ROWS[:, 3:], short=np.arange(2), about=np.array("words"))
    columns = read_columns(path, {"--x": "X", "--y": "Y,one"})
    assert columns["--x"].names == ("X[0]", "X[1]")
    assert_array_equal(columns["--x"].values, ROWS[:, :2])
    assert_array_equal(columns["--y"].values, ROWS[:, 2:])
    assert_array_equal(read_columns(path, {"--x": "X[1]"})["--x"].values, ROWS[:, [1]])
    assert "'short' has 2 rows, but 'X' has 3" in complaint(path, "X", "short")
    assert "'about' holds <U5" in complaint(path, "X", "about")


def test_numpy_files_never_run_code(tmp_path):
    objects = np.array([1, "two"], dtype=object)
    np.save(tmp_path / "t.npy", objects, allow_pickle=True)
    np.savez(tmp_path / "t.npz", a=objects, b=np.arange(2.0), allow_pickle=True)
    assert "without running its code" in complaint(tmp_path / "t.npy")
    assert "'a' holds object" in complaint(tmp_path / "t.npz")


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
        ("a,b\n1,2\n", "t.xlsx", "unknown suffix '.xlsx'"),
        ("a,b\n1,2\n", "table", "unknown suffix ''"),
    ],
)
def test_not_a_table(write, content, name, says):
    path = write(content, name)
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
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
        pytest.importorskip("pyarrow")
        pytest.importorskip("pandas").DataFrame(ROWS, columns=["0", "1", "2", "3"]).to_parquet(path)
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
