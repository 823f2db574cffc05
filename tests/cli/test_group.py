"""The process: help at once, answers on stdout, one-line complaints on stderr, quiet ends."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from infold.cli.answers import installed_version

from .commands import complaint, process


def test_help_and_version_come_at_once():
    code = (
        "import sys\nfrom infold.cli import app\n"
        "try:\n    app(['estimate', '--help'], prog_name='infold')\n"
        "except SystemExit as end:\n    assert not end.code\n"
        "heavy = {'numba', 'sklearn', 'scipy', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "--neighbors" in done.stdout
    assert process("--version").stdout == f"infold {installed_version()}\n"
    assert "estimate" in process().stdout


def test_one_json_object_on_stdout(data):
    done = process("estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["n_samples"] == 80


def test_a_mistake_in_a_process_is_one_line(data):
    done = process("estimate", data[0], "--x", "a", "--y", "nothing")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_a_terminal_without_the_characters_is_no_failure(data):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = process("estimate", data[0], "--x", "a", "--y", "c", "--method", "ksg", env=environment)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
@pytest.mark.parametrize(
    "arguments", [["demo", "--help"], ["estimate", "{}", "--x", "a", "--y", "c", "--method", "ksg"]]
)
def test_a_reader_that_leaves_is_no_failure(data, arguments):
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "infold", *(argument.format(data[0]) for argument in arguments)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
def test_ctrl_c_leaves_nothing_behind(data, tmp_path):
    code = (
        "import os, signal, time, infold, infold.cli\n"
        "def wait(*_, **__):\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep(60)\n"
        "infold.mutual_information = wait\n"
        "infold.cli.main()"
    )
    arguments = ["estimate", data[0], "--x", "a", "--y", "c", "--local", tmp_path / "local.csv"]
    done = subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr.splitlines()[-1] == "infold: interrupted"
    assert "Traceback" not in done.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["data.csv"]


@pytest.mark.skipif(os.name == "nt", reason="POSIX pipes and signals")
@pytest.mark.parametrize(("interrupts", "code"), [(1, 130), (0, 1)])
def test_ctrl_c_inside_the_compiler_is_no_error_of_its_own(data, interrupts, code):
    # numba catches the interrupt, goes on with what is half done, and fails.
    source = (
        "import os, signal, infold, infold.cli\n"
        "def compile(*_, **__):\n"
        "    try:\n"
        f"        [os.kill(os.getpid(), signal.SIGINT) for _ in range({interrupts})]\n"
        "    except KeyboardInterrupt:\n"
        "        pass\n"
        "    raise RuntimeError('no compiled object yet')\n"
        "infold.mutual_information = compile\n"
        "infold.cli.main()"
    )
    arguments = ["estimate", str(data[0]), "--x", "a", "--y", "c"]
    done = subprocess.run([sys.executable, "-c", source, *arguments], capture_output=True, text=True)
    assert done.returncode == code
    assert ("Traceback" in done.stderr) is (interrupts == 0)


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs a device without space")
@pytest.mark.parametrize("option", [[], ["--json"]])
def test_a_full_stdout_is_one_line(data, option):
    command = [
        sys.executable,
        "-m",
        "infold",
        "estimate",
        str(data[0]),
        "--x",
        "a",
        "--y",
        "c",
        "--method",
        "ksg",
        *option,
    ]
    with FULL.open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        if not option:
            assert subprocess.run(command, stdout=full, stderr=full).returncode == 2
    assert done.returncode == 2
    assert done.stderr.startswith("infold: error: the answer cannot be written (No space left on device)")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="limits the size of files")
@pytest.mark.parametrize("command", [["estimate", "--local"], ["report", "--permutations", "19", "--output"]])
def test_a_full_disk_keeps_the_old_file(data, tmp_path, command):
    old = tmp_path / "old.html"
    old.write_text("old")
    code = (  # the limit comes with the writing: before, kernels may have to be compiled and kept
        "import resource\nfrom infold.cli import main\nfrom infold.data import output\nreal = output.write_output\n"
        "def limited(*args):\n    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n    real(*args)\n"
        "output.write_output = limited\nmain()"
    )
    first, *more = command
    columns = [str(data[0]), "--x", "a", "--y", "c", "--method", "ksg"]
    done = subprocess.run(
        [sys.executable, "-c", code, first, *columns, *more, str(old)], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith(f"infold: error: {old} cannot be written (File too large)")
    assert "Traceback" not in done.stderr
    assert old.read_text() == "old"
    assert list(tmp_path.glob("*.part")) == list(tmp_path.glob(".*.part")) == []


def test_a_warning_as_an_error_is_one_line(tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b\n" + "".join(f"1,{i}\n" for i in range(9)))
    command = [sys.executable, "-W", "error", "-m", "infold", "estimate", str(path), "--x", "a", "--y", "b"]
    done = subprocess.run([*command, "--method", "ksg"], capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("infold: error: X has constant columns ('a')")
    assert "which -W error or PYTHONWARNINGS makes an error" in done.stderr
    assert done.stderr.count("\n") == 1


def test_nothing_is_compiled_without_the_jit(monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert "NUMBA_DISABLE_JIT is set, so there is nothing to compile; unset it" in complaint("compile")
