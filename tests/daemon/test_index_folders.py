"""The folders of indexes: named by embedder, and cleared of what nobody uses."""

from __future__ import annotations

from pathlib import Path

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
