"""`scripts/install` below a folder of its own: what it puts where, again and again, and what it takes away."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scripts.conftest import Checkout


@pytest.fixture
def dest(tmp_path: Path) -> Path:
    return tmp_path / "a root"


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if "opt/edge/venv-" not in str(path)}


def install(checkout: Checkout, dest: Path, *arguments: str) -> str:
    result = checkout.run("install", "--root", str(dest), *arguments)
    assert result.returncode == 0, result.stderr
    return result.stderr


def test_it_installs_program_units_and_models(checkout: Checkout, dest: Path) -> None:
    errors = install(checkout, dest)
    assert (dest / "opt/edge/venv/bin/edge").exists()
    assert (dest / "etc/systemd/system/edge.service").exists()
    assert (dest / "etc/sysusers.d/edge.conf").exists()
    assert (dest / "etc/tmpfiles.d/edge.conf").exists()
    assert (dest / "usr/local/bin/edge").readlink() == Path("/opt/edge/venv/bin/edge")
    assert f"models fetch --default in {dest}/var/lib/edge/models" in checkout.notes()
    assert "systemd does not run here" in errors
    assert "usermod -aG edge" in errors


def test_models_that_were_fetched_before_are_copied(checkout: Checkout, dest: Path) -> None:
    fetched = checkout.cache / "models/small/small.gguf"
    fetched.parent.mkdir(parents=True)
    fetched.write_text("weights")
    install(checkout, dest)
    assert (dest / "var/lib/edge/models/small/small.gguf").read_text() == "weights"


def test_a_second_time_changes_nothing(checkout: Checkout, dest: Path) -> None:
    install(checkout, dest)
    before = files(dest)
    program = (dest / "opt/edge/venv").readlink()
    checkout.notes()
    install(checkout, dest)
    assert files(dest) == before
    assert (dest / "opt/edge/venv").readlink() == program
    assert not [note for note in checkout.notes() if note.startswith(("pip", "venv"))]


def test_a_new_version_takes_the_place_of_the_old_one(checkout: Checkout, dest: Path) -> None:
    install(checkout, dest)
    old = (dest / "opt/edge/venv").readlink()
    (checkout.root / "edge/__init__.py").write_text('__version__ = "1"\n')
    install(checkout, dest)
    new = (dest / "opt/edge/venv").readlink()
    assert new != old
    assert [path.name for path in (dest / "opt/edge").glob("venv-*")] == [str(new)]


def test_an_interrupted_installation_is_finished_by_the_next(checkout: Checkout, dest: Path) -> None:
    install(checkout, dest)
    (dest / "opt/edge" / (dest / "opt/edge/venv").readlink() / "stamp").unlink()
    checkout.notes()
    install(checkout, dest)
    assert "venv" in checkout.notes()
    assert (dest / "opt/edge/venv/stamp").exists()


def test_uninstall_keeps_memories_unless_purged(checkout: Checkout, dest: Path) -> None:
    install(checkout, dest)
    (dest / "var/lib/edge/edge.db").write_text("memories")
    install(checkout, dest, "--uninstall")
    assert {name for name in files(dest) if (dest / name).is_file()} == {"var/lib/edge/edge.db"}
    assert not (dest / "usr/local/bin/edge").is_symlink()
    assert not (dest / "opt/edge").exists()
    install(checkout, dest, "--uninstall", "--purge")
    assert not (dest / "var/lib/edge").exists()


def test_a_dry_run_does_nothing(checkout: Checkout, dest: Path) -> None:
    assert "would: fetch the default models" in install(checkout, dest, "--dry-run")
    assert not dest.exists()
    install(checkout, dest)
    assert "would: remove" in install(checkout, dest, "--dry-run", "--uninstall", "--purge")
    assert (dest / "opt/edge/venv/bin/edge").exists()


@pytest.mark.parametrize("arguments", [["--rot", "x"], ["--root"], ["--root", ""], ["--purge"]], ids=" ".join)
def test_wrong_options_are_refused(checkout: Checkout, arguments: list[str]) -> None:
    result = checkout.run("install", "--dry-run", *arguments)
    assert result.returncode == 2
    assert "Usage: sudo ./scripts/install" in result.stderr


def test_help_is_printed(checkout: Checkout) -> None:
    result = checkout.run("install", "--help")
    assert result.returncode == 0
    assert "--purge" in result.stdout
