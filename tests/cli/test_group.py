"""The process: help at once, answers on stdout, one-line complaints on stderr, quiet ends."""

import json
import os
import subprocess
import sys

import pytest

from infold.cli.answers import installed_version

from .commands import process


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
