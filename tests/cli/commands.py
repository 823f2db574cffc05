"""Run commands as users do: in this process, or in one of their own."""

import subprocess
import sys

from typer.testing import CliRunner

from infold import cli


def run(*arguments, **settings):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments], prog_name="infold", **settings)


def answer(*arguments):
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def complaint(*arguments):
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("infold: error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


def process(*arguments, **settings):
    command = [sys.executable, "-m", "infold", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **settings)
