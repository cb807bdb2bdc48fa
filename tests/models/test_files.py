from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from edge.errors import ModelDamaged, ModelMissing, ModelUnknown
from edge.models.files import ModelFiles, State
from edge.models.manifest import Manifest, load_manifest
from edge.models.partial import partial_path
from edge.models.progress import Phase
from edge.places import model_dirs
from tests.models.made import DATA, NAME, Heard, made_file, made_files, made_model, put, sha256

REAL_FOLDERS = model_dirs(os.environ, Path.home())
FLIPPED = DATA[:-1] + bytes([DATA[-1] ^ 1])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "模型 é"


def test_missing(folder: Path) -> None:
    files = made_files(folder)
    assert files.check("small").state is State.MISSING
    with pytest.raises(ModelMissing, match=r"weights\.gguf of the model small is not on this machine") as caught:
        files.usable_path("small", NAME)
    assert "edge models fetch small" in caught.value.hint
    assert not folder.exists()


def test_present(folder: Path) -> None:
    path = put(folder)
    assert made_files(folder).check("small").state is State.PRESENT
    assert made_files(folder).usable_path("small", NAME) == path


def test_partial(folder: Path) -> None:
    target = put(folder, DATA[:70])
    target.rename(partial_path(target))
    assert made_files(folder).check("small").state is State.PARTIAL
    with pytest.raises(ModelMissing, match=f"only in part \\(70 of {len(DATA)} bytes\\)"):
        made_files(folder).usable_path("small", NAME)


def test_truncated(folder: Path) -> None:
    path = put(folder, DATA[:-1])
    assert made_files(folder).check("small").state is State.DAMAGED
    with pytest.raises(ModelDamaged) as caught:
        made_files(folder).usable_path("small", NAME)
    assert f"{path} has {len(DATA) - 1} bytes, expected {len(DATA)}" in caught.value.message


def test_flipped_bit(folder: Path) -> None:
    path = put(folder, FLIPPED)
    assert made_files(folder).check("small").state is State.DAMAGED
    with pytest.raises(ModelDamaged) as caught:
        made_files(folder).usable_path("small", NAME)
    assert str(path) in caught.value.message
    assert f"sha256 {sha256(FLIPPED)}, expected {sha256(DATA)}" in caught.value.message


def test_a_folder_in_the_files_place_is_damage(folder: Path) -> None:
    (folder / "small" / NAME).mkdir(parents=True)
    assert made_files(folder).check("small").state is State.DAMAGED


def test_unknown_names(folder: Path) -> None:
    with pytest.raises(ModelUnknown):
        made_files(folder).check("large")
    with pytest.raises(ModelUnknown):
        made_files(folder).usable_path("small", "other.gguf")


def test_a_model_with_some_of_its_files_is_partial(folder: Path) -> None:
    model = made_model(made_file(), made_file(b"{}", name="tokenizer.json"))
    put(folder, b"{}", name="tokenizer.json")
    check = ModelFiles(Manifest((model,)), [folder]).check("small")
    assert check.state is State.PARTIAL
    assert [file.state for file in check.files] == [State.MISSING, State.PRESENT]


def test_all_folders_are_searched_and_a_right_file_wins_over_a_wrong_one(folder: Path) -> None:
    own, system = folder / "own", folder / "system"
    files = ModelFiles(made_files(own).manifest, [own, system])
    put(own, FLIPPED)
    assert files.check("small").state is State.DAMAGED
    path = put(system)
    assert files.usable_path("small", NAME) == path
    assert files.home(files.manifest.model("small")) == own / "small"


def test_a_checked_file_is_not_read_again(folder: Path) -> None:
    put(folder)
    first, second = Heard(), Heard()
    made_files(folder).usable_path("small", NAME, first)
    made_files(folder).usable_path("small", NAME, second)
    assert first.phases() == {Phase.CHECKING}
    assert first.said[-1].done == first.said[-1].total == len(DATA)
    assert second.said == []


def test_any_sign_of_change_reads_it_again(folder: Path) -> None:
    path = put(folder)
    made_files(folder).usable_path("small", NAME)
    status = path.stat()

    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    heard = Heard()
    made_files(folder).usable_path("small", NAME, heard)
    assert heard.said

    other = path.with_name("other")
    other.write_bytes(FLIPPED)
    os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    other.replace(path)
    with pytest.raises(ModelDamaged):
        made_files(folder).usable_path("small", NAME)


def test_a_stamp_for_another_sha256_does_not_count(folder: Path) -> None:
    put(folder)
    made_files(folder).usable_path("small", NAME)
    newer = ModelFiles(Manifest((made_model(made_file(FLIPPED)),)), [folder])
    with pytest.raises(ModelDamaged):
        newer.usable_path("small", NAME)


@pytest.mark.parametrize("stamp", [b"", b"{", b"[]", b"\xff\x00", b"null"])
def test_an_unreadable_stamp_does_not_count(folder: Path, stamp: bytes) -> None:
    path = put(folder, FLIPPED)
    path.with_name(NAME + ".verified").write_bytes(stamp)
    assert made_files(folder).check("small").state is State.DAMAGED


def test_works_where_no_stamp_can_be_written(folder: Path) -> None:
    path = put(folder)
    path.with_name(NAME + ".verified").mkdir()
    for _ in range(2):
        heard = Heard()
        assert made_files(folder).usable_path("small", NAME, heard) == path
        assert heard.said
    assert {entry.name for entry in path.parent.iterdir()} == {NAME, NAME + ".verified"}


def test_verify_reads_the_file_whatever_its_stamp_says(folder: Path) -> None:
    path = put(folder)
    made_files(folder).usable_path("small", NAME)
    status = path.stat()
    with path.open("r+b") as file:
        file.write(bytes([DATA[0] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))

    assert made_files(folder).verify("small").state is State.DAMAGED
    with pytest.raises(ModelDamaged):
        made_files(folder).usable_path("small", NAME)


def test_a_copied_stamp_does_not_vouch_for_another_file(folder: Path) -> None:
    put(folder / "a")
    made_files(folder / "a").usable_path("small", NAME)
    shutil.copytree(folder / "a", folder / "b")
    path = put(folder / "b", FLIPPED)
    os.utime(path, ns=(0, (folder / "a" / "small" / NAME).stat().st_mtime_ns))
    assert made_files(folder / "b").check("small").state is State.DAMAGED


@pytest.mark.models
def test_the_real_default_files_are_what_the_manifest_says() -> None:
    files = ModelFiles(load_manifest(), REAL_FOLDERS)
    for model in files.manifest.models:
        if model.default:
            assert files.verify(model.id).state is State.PRESENT, model.id
