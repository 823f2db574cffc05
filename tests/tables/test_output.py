"""Answers are written whole, through links, and straight to devices and pipes."""

import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from infold.data.output import check_output, remove_output, write_output

pytestmark = pytest.mark.skipif(os.name == "nt", reason="POSIX links, pipes and devices")


@pytest.fixture
def read_pipe(tmp_path):
    """A named pipe, and a function that returns what came out of it."""
    pipe, found = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()), daemon=True)
    reader.start()

    def read():
        reader.join(10)
        return found[0]

    return pipe, read


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("content", ["two\nlines é\n", "two\nlines é\n".encode()])
def test_a_new_file_has_the_content_and_nothing_else_is_left(tmp_path, content):
    write_output(tmp_path / "new.txt", content)
    assert (tmp_path / "new.txt").read_bytes() == "two\nlines é\n".encode()
    assert names(tmp_path) == ["new.txt"]


def test_new_files_have_the_permissions_that_the_user_set(tmp_path):
    old = os.umask(0o027)
    try:
        write_output(tmp_path / "new.txt", "new")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "new.txt").stat().st_mode) == 0o640


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("a longer, old content")
    path.chmod(0o604)
    with path.open() as still_reading:
        write_output(path, "new")
        assert still_reading.read() == "a longer, old content"  # another inode, so never half of each
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_a_file_keeps_its_owner(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("old")
    os.chown(path, 1234, 2345)
    write_output(path, "new")
    assert (path.stat().st_uid, path.stat().st_gid) == (1234, 2345)


def test_a_write_that_fails_keeps_the_old_file(tmp_path):
    path = tmp_path / "old.txt"
    path.write_text("old")
    code = (
        "import resource, signal, sys\n"
        "from infold.data.output import write_output\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try:\n    write_output(sys.argv[1], 'x' * 100_000)\n"
        "except OSError:\n    sys.exit(7)\n"
    )
    assert subprocess.run([sys.executable, "-B", "-c", code, path]).returncode == 7
    assert path.read_text() == "old"
    assert names(tmp_path) == ["old.txt"]


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o600)
    (tmp_path / "between.txt").symlink_to("there/target.txt")
    link.symlink_to("between.txt")
    check_output(link)
    write_output(link, "new")
    assert link.readlink() == Path("between.txt")
    assert (target.is_symlink(), target.read_text()) == (False, "new")
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert names(tmp_path / "there") == ["target.txt"]
    remove_output(link)
    assert link.is_symlink()
    assert not target.exists()


def test_a_dangling_link_creates_its_file(tmp_path):
    link = tmp_path / "link.txt"
    link.symlink_to("target.txt")
    check_output(link)
    write_output(link, "new")
    assert link.is_symlink()
    assert (tmp_path / "target.txt").read_text() == "new"


def test_links_in_a_circle_are_refused(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.symlink_to(two)
    two.symlink_to(one)
    with pytest.raises(ValueError, match="cannot be written"):
        check_output(one)
    with pytest.raises(OSError, match="symbolic links"):
        write_output(one, "new")
    assert one.is_symlink()


def test_a_pipe_is_written_to(read_pipe):
    pipe, read = read_pipe
    check_output(pipe)
    write_output(pipe, "new")
    remove_output(pipe)
    assert read() == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_a_device(tmp_path):
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    for path in (os.devnull, link):
        check_output(path)
        write_output(path, "new")
        remove_output(path)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    assert link.is_symlink()


@pytest.mark.parametrize("name", ["/dev/stdout", "told.txt"])
@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout")
def test_standard_output_is_not_replaced_even_if_it_is_a_file(tmp_path, name):
    code = (
        "import sys\nfrom infold.data.output import check_output, write_output\n"
        "print('before')\ncheck_output(sys.argv[1])\nwrite_output(sys.argv[1], 'answer\\n')\nprint('after')"
    )
    command = [sys.executable, "-c", code, name]
    with (tmp_path / "told.txt").open("w") as told:
        subprocess.run(command, stdout=told, cwd=tmp_path, check=True)
    assert (tmp_path / "told.txt").read_text() == "before\nanswer\nafter\n"


def test_standard_output_may_be_a_pipe():
    code = "from infold.data.output import write_output\nwrite_output('/dev/stdout', 'answer')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout == b"answer"


def test_what_cannot_be_written_is_refused_beforehand(tmp_path):
    (tmp_path / "file").write_text("")
    (tmp_path / "dangling").symlink_to("nowhere/target.txt")
    for name, says in (
        ("", "is a directory"),
        ("none/new.txt", "none is not a directory; create it first"),
        ("file/new.txt", "file is not a directory"),
        ("dangling", "nowhere is not a directory"),
    ):
        with pytest.raises(ValueError, match=says):
            check_output(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_what_is_not_writable_is_refused_beforehand(tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(0o500)
    (tmp_path / "link").symlink_to("closed/target.txt")
    for path in (closed / "new.txt", tmp_path / "link"):
        with pytest.raises(ValueError, match="closed is not writable"):
            check_output(path)
    os.mkfifo(tmp_path / "pipe", 0o400)
    with pytest.raises(ValueError, match="it is not writable"):
        check_output(tmp_path / "pipe")
