"""The socket: taken over from the dead, never from the living, and only for those who may."""

from __future__ import annotations

import grp
import os
import shutil
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.daemon.listening import listen, peer_owner
from edge.errors import DaemonRunning, SocketPathInvalid

NO_GROUP = "no-such-group-there"


@pytest.fixture
def path() -> Iterator[Path]:
    """A path that is short enough for a socket."""
    folder = Path(tempfile.mkdtemp(prefix="edge"))
    yield folder / "edge.sock"
    shutil.rmtree(folder)


def test_it_listens_for_owner_and_group_only(path: Path) -> None:
    before = os.umask(0)
    try:
        with listen(path, NO_GROUP) as link:
            mode = path.stat().st_mode
            assert stat.S_ISSOCK(mode)
            assert stat.S_IMODE(mode) == 0o660
            assert not link.getblocking()
    finally:
        os.umask(before)


def test_it_belongs_to_the_group_that_is_named(path: Path) -> None:
    group = next(entry for entry in grp.getgrall() if os.geteuid() == 0 or entry.gr_gid in os.getgroups())
    with listen(path, group.gr_name):
        assert path.stat().st_gid == group.gr_gid


def test_the_socket_of_a_dead_daemon_is_replaced(path: Path) -> None:
    listen(path, NO_GROUP).close()
    assert path.exists()
    with listen(path, NO_GROUP), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


def test_the_socket_of_a_live_daemon_is_refused_naming_its_process(path: Path) -> None:
    with listen(path, NO_GROUP):
        inode = path.stat().st_ino
        with pytest.raises(DaemonRunning) as refused:
            listen(path, NO_GROUP)
        assert refused.value.details == {"pid": os.getpid(), "path": str(path)}
        assert str(os.getpid()) in refused.value.message
        assert path.stat().st_ino == inode


@pytest.mark.parametrize("what", ["file", "folder", "link to nothing", "link to a socket"])
def test_what_is_no_socket_is_left_alone(path: Path, what: str) -> None:
    if what == "file":
        path.write_text("mine")
    elif what == "folder":
        path.mkdir()
    elif what == "link to nothing":
        path.symlink_to(path.with_name("nothing"))
    else:
        listen(path.with_name("real.sock"), NO_GROUP).close()
        path.symlink_to(path.with_name("real.sock"))
    before = path.lstat()
    with pytest.raises(SocketPathInvalid, match="left alone"):
        listen(path, NO_GROUP)
    after = path.lstat()
    assert (after.st_ino, after.st_mode, after.st_ctime_ns) == (before.st_ino, before.st_mode, before.st_ctime_ns)


def test_a_folder_that_cannot_be_used_is_named(path: Path) -> None:
    path.write_text("a file in the way")
    for below in (path / "edge.sock", path.with_name("missing") / "edge.sock"):
        with pytest.raises(SocketPathInvalid) as refused:
            listen(below, NO_GROUP)
        assert str(below) in refused.value.message
        assert "None" not in refused.value.message


def test_a_path_that_is_too_long_leaves_nothing(path: Path) -> None:
    long = path.with_name("x" * 120)
    with pytest.raises(SocketPathInvalid) as refused:
        listen(long, NO_GROUP)
    assert "None" not in refused.value.message
    assert not long.exists()


def test_the_owner_is_who_the_kernel_says(path: Path) -> None:
    with listen(path, NO_GROUP) as link, socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        link.setblocking(True)
        served, _ = link.accept()
        with served:
            assert peer_owner(served) == f"uid:{os.getuid()}"
