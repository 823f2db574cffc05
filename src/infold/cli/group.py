"""The group of all commands: how every one of them ends, with which exit code."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import threading
from collections.abc import Iterator
from typing import Any

import typer
import typer.core

from .messages import UserError

# What is written to has no space left, or is broken.
FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", -1), errno.EFBIG, errno.EIO)

# The base class of all usage errors: click's own in older versions of typer, typer's in newer ones.
_UsageProblem: Any = typer.BadParameter.__mro__[2]


class Commands(typer.core.TyperGroup):
    """Commands that all end in the same way."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command; Ctrl-C, or a closed pipe, ends it quietly."""
        with _heard_interrupts() as interrupts:
            try:
                answer = super().invoke(ctx)
                sys.stdout.flush()
            except (KeyboardInterrupt, RuntimeError) as error:
                if not interrupts and not isinstance(error, KeyboardInterrupt):
                    raise
                typer.echo("infold: interrupted", err=True)
                raise typer.Exit(130) from None
            except BrokenPipeError:
                _discard_stdout()
                raise typer.Exit(1) from None
        return answer

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Parse and run; every error is one line on stderr."""
        kwargs["standalone_mode"] = False
        try:
            code = super().main(*args, **kwargs)
        except UserError as error:
            code = _complain(str(error))
        except _UsageProblem as error:
            code = _complain(f"{error.format_message().rstrip('.')} (see: {_help_command(error)})")
        except OSError as error:
            if error.errno not in FULL:
                raise
            _discard_stdout()
            where = error.filename or "the answer"
            code = _complain(f"{where} cannot be written ({error.strerror}); make some space, or name another place.")
        sys.exit(code if isinstance(code, int) else 0)


@contextlib.contextmanager
def _heard_interrupts() -> Iterator[list[int]]:
    """Keep a list of interrupts: inside the compiler, one can surface as a RuntimeError."""
    came: list[int] = []

    def interrupt(number: int, _: Any) -> None:
        came.append(number)
        raise KeyboardInterrupt

    in_main = threading.current_thread() is threading.main_thread()
    if not in_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, or someone else's
        yield came
        return
    signal.signal(signal.SIGINT, interrupt)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _complain(message: str) -> int:
    """Print one line on stderr and return the exit code of a user's mistake."""
    with contextlib.suppress(OSError):  # stderr may be full too
        typer.echo(f"infold: error: {' '.join(message.split())}", err=True)
    return 2


def _discard_stdout() -> None:
    """Let what is left to print go nowhere: Python flushes stdout once more on exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _help_command(error: Any) -> str:
    context = getattr(error, "ctx", None)
    return f"{context.command_path if context else 'infold'} --help"
