"""Write files for the user: completely or not at all, through links, and directly to devices and pipes."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
import sys
from pathlib import Path

STDOUT = 1


def write_output(path: str | Path, content: str | bytes) -> None:
    """Write `content` to `path`, text as UTF-8.

    A regular file is replaced once the new one is complete, with the same owner and permissions; until then, and if
    writing fails, the old one stays. A symbolic link stays a link: the file it points to is written. Devices, pipes and
    standard output are written to directly, as they cannot be replaced.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    data = content.encode() if isinstance(content, str) else content
    file = regular_file(path)
    if file is not None:
        _replace(file, data)
    elif _is_stdout(os.stat(path)):
        sys.stdout.flush()
        with open(STDOUT, "wb", closefd=False) as stream:
            stream.write(data)
    else:
        Path(path).write_bytes(data)


def check_output(path: str | Path) -> None:
    """Raise a ValueError if `path` could not be written; call this before computing what will be written there."""
    try:
        is_folder, file = Path(path).is_dir(), regular_file(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be written ({error.strerror or error}); name another place.") from error
    if is_folder:
        raise ValueError(f"{path} is a directory; name a file in it.")
    if file is None:
        if not os.access(path, os.W_OK):
            raise ValueError(f"{path} cannot be written, as it is not writable; name another place.")
    elif not file.parent.is_dir():
        raise ValueError(f"{path} cannot be written, as {_folder(path, file)} is not a directory; create it first.")
    elif not os.access(file.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written, as {_folder(path, file)} is not writable; name another place.")


def remove_output(path: str | Path) -> None:
    """Delete the regular file that `path` names, if there is one; links, devices and pipes stay."""
    file = regular_file(path)
    if file is not None:
        file.unlink(missing_ok=True)


def regular_file(path: str | Path) -> Path | None:
    """Return the file that `path` names or would create, links resolved; None if it must be written to directly."""
    with contextlib.suppress(FileNotFoundError, NotADirectoryError):
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or _is_stdout(status):
            return None
    return Path(os.path.realpath(path))


def _replace(file: Path, data: bytes) -> None:
    """Write a new file next to `file`, then replace `file` with it."""
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(4)}.part")
    try:
        with temporary.open("xb") as stream:
            stream.write(data)
        if file.exists():
            _copy_access(file, temporary)
        temporary.replace(file)
    finally:
        temporary.unlink(missing_ok=True)


def _copy_access(old: Path, new: Path) -> None:
    """Give `new` the owner, where the system allows it, and the permissions of `old`."""
    status = old.stat()
    if hasattr(os, "chown"):
        with contextlib.suppress(PermissionError):
            os.chown(new, status.st_uid, status.st_gid)
    new.chmod(stat.S_IMODE(status.st_mode))


def _is_stdout(status: os.stat_result) -> bool:
    """Return whether this is standard output; replacing a file it is redirected to would lose what is printed."""
    with contextlib.suppress(OSError):
        return os.path.samestat(status, os.fstat(STDOUT))
    return False


def _folder(path: str | Path, file: Path) -> Path:
    """Return the folder to name in an error, as the user wrote it unless a link leads elsewhere."""
    return file.parent if Path(path).is_symlink() else Path(path).parent
