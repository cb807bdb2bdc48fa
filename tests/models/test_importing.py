from __future__ import annotations

from pathlib import Path

import pytest

from edge.errors import DiskFull, ModelDamaged, ModelFileUnknown, StoreFailed
from edge.models import importing
from edge.models.files import ModelFiles, State
from edge.models.importing import import_path
from edge.models.manifest import Manifest
from edge.models.partial import partial_path
from edge.models.progress import Phase
from tests.models.made import DATA, NAME, Heard, made_file, made_files, made_model, put, sha256

TOKENS = b'{"model": {}}'


@pytest.fixture
def stick(tmp_path: Path) -> Path:
    stick = tmp_path / "U盘"
    stick.mkdir()
    return stick


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "模型 é"


def left_in(folder: Path) -> set[str]:
    return {path.name for path in (folder / "small").iterdir()}


def test_a_file_is_known_by_its_sum_whatever_its_name(stick: Path, folder: Path) -> None:
    source = stick / "下载 (1).bin"
    source.write_bytes(DATA)
    heard = Heard()
    (done,) = import_path(made_files(folder), source, heard)
    assert (done.model.id, done.file.name, done.path, done.copied) == ("small", NAME, folder / "small" / NAME, True)
    assert made_files(folder).verify("small").state is State.PRESENT
    assert source.read_bytes() == DATA
    assert heard.phases() == {Phase.CHECKING, Phase.COPYING}
    assert left_in(folder) == {NAME, NAME + ".verified", ".lock"}


def test_a_second_import_copies_nothing(stick: Path, folder: Path) -> None:
    put(folder)
    (stick / NAME).write_bytes(DATA)
    (done,) = import_path(made_files(folder), stick / NAME, free_of=lambda path: 0)
    assert not done.copied


def test_an_unknown_file_is_refused_with_its_sum_and_size(stick: Path, folder: Path) -> None:
    (stick / "cat.jpg").write_bytes(b"cat")
    with pytest.raises(ModelFileUnknown) as caught:
        import_path(made_files(folder), stick / "cat.jpg")
    assert f"it has 3 bytes and the sha256 {sha256(b'cat')}" in caught.value.message
    assert not folder.exists()


def test_a_cut_copy_is_refused_and_what_it_should_be_is_said(stick: Path, folder: Path) -> None:
    (stick / NAME).write_bytes(DATA[:-1])
    with pytest.raises(ModelFileUnknown) as caught:
        import_path(made_files(folder), stick / NAME)
    assert f"it has {len(DATA) - 1} bytes" in caught.value.message
    assert f"The manifest's {NAME} has {len(DATA)} bytes, {sha256(DATA)}" in caught.value.message


def test_a_missing_file_is_refused(stick: Path, folder: Path) -> None:
    with pytest.raises(ModelFileUnknown, match="cannot be read: No such file"):
        import_path(made_files(folder), stick / "nowhere.gguf")


def test_a_damaged_file_and_a_beginning_are_replaced(stick: Path, folder: Path) -> None:
    (stick / NAME).write_bytes(DATA)
    target = put(folder, DATA[:-1])
    partial_path(target).write_bytes(DATA[:100])
    import_path(made_files(folder), stick / NAME)
    assert made_files(folder).verify("small").state is State.PRESENT
    assert left_in(folder) == {NAME, NAME + ".verified", ".lock"}


def two_files(folder: Path) -> ModelFiles:
    """The model `small`, and an embedder-like one; both have the same tokenizer.json."""
    tokens = made_file(TOKENS, "tokenizer.json")
    models = (made_model(made_file(), tokens), made_model(tokens, name="words", default=False))
    return ModelFiles(Manifest(models), [folder])


def test_a_folder_gives_every_model_file_in_it(stick: Path, folder: Path) -> None:
    (stick / "deep" / "文件夹").mkdir(parents=True)
    (stick / "deep" / "文件夹" / "a.gguf").write_bytes(DATA)
    (stick / "b.json").write_bytes(TOKENS)
    (stick / "same size.bin").write_bytes(bytes(len(TOKENS)))
    (stick / "photo.jpg").write_bytes(b"photo")
    files = two_files(folder)
    done = import_path(files, stick)
    assert {(one.model.id, one.file.name) for one in done} == {
        ("small", NAME),
        ("small", "tokenizer.json"),
        ("words", "tokenizer.json"),
    }
    assert files.verify("small").state is State.PRESENT
    assert files.verify("words").state is State.PRESENT


def test_a_folder_without_model_files_is_refused(stick: Path, folder: Path) -> None:
    (stick / "photo.jpg").write_bytes(b"photo")
    with pytest.raises(ModelFileUnknown, match=f"No file in {stick} is one of the manifest's models"):
        import_path(made_files(folder), stick)


def test_no_room_is_said_before_anything_is_copied(stick: Path, folder: Path) -> None:
    (stick / NAME).write_bytes(DATA)
    with pytest.raises(DiskFull, match="38554432 bytes are needed, 1000 are free"):
        import_path(made_files(folder), stick / NAME, free_of=lambda path: 1000)
    assert left_in(folder) == {".lock"}


def test_a_stick_that_gives_other_bytes_the_second_time(
    stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (stick / NAME).write_bytes(DATA)
    monkeypatch.setattr(importing, "chunks_of", lambda path: iter([DATA[:-1], b"?"]))
    with pytest.raises(ModelDamaged, match="changed while it was copied"):
        import_path(made_files(folder), stick / NAME)
    assert left_in(folder) == {".lock"}


def test_a_stick_that_is_pulled_out(stick: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def pulled(path: Path) -> list[bytes]:
        raise OSError(5, "Input/output error", str(path))

    (stick / NAME).write_bytes(DATA)
    monkeypatch.setattr(importing, "chunks_of", pulled)
    with pytest.raises(StoreFailed, match="Input/output error"):
        import_path(made_files(folder), stick / NAME)
    assert left_in(folder) == {".lock"}
