"""The folders of indexes: named by embedder, and cleared of what nobody uses."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge.daemon.index_folders import folder_of, remove_first_form, remove_others


def test_a_folder_is_named_by_id_and_dimension(tmp_path: Path) -> None:
    assert folder_of(tmp_path, "all-minilm-l6-v2-int8/384") == tmp_path / "all-minilm-l6-v2-int8-384"


def test_the_first_form_is_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in ("index.json", "vectors-0a.hnsw", "units-0a.i64", "index.json.tmp"):
        (tmp_path / name).write_bytes(b"old")
    (tmp_path / "unfit").mkdir()
    (tmp_path / "unfit/index.json").write_text("{}")
    kept = tmp_path / "new-32/unfit"
    kept.mkdir(parents=True)
    (tmp_path / "new-32/index.json").write_text("{}")
    remove_first_form(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["new-32"]
    assert len(list((tmp_path / "new-32").iterdir())) == 2
    remove_first_form(tmp_path / "not there")


def test_folders_of_other_embedders_are_removed(tmp_path: Path) -> None:
    for name in ("old-64", "old-96", "new-32"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "segment").write_bytes(b"x")
    (tmp_path / "README").write_text("a person's")
    remove_others(tmp_path, ["old/64"])
    assert {path.name for path in tmp_path.iterdir()} == {"old-64", "README"}
    remove_others(tmp_path / "not there", [])


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO])
def test_a_folder_that_cannot_be_listed_is_said_and_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    (tmp_path / "old-64").mkdir()

    def refuse(path: Path) -> Iterator[Path]:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", refuse)
        remove_others(tmp_path, [])
    assert caplog.messages == [f"the indexes in {tmp_path} cannot be listed: {os.strerror(number)}"]
    assert (tmp_path / "old-64").is_dir()
