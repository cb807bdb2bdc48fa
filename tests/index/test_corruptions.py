"""A hundred damaged indexes: none makes the process fail, none gives a wrong neighbour, each is built anew."""

from __future__ import annotations

import copy
import json
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from edge.index.files import MANIFEST, IndexUnfit, Shape, read_manifest
from edge.index.index import SegmentedIndex
from edge.index.layout import HEADER_BYTES
from edge.index.opening import open_index
from tests.fakes.vector_log import VectorLog
from tests.index.made_up import clustered
from tests.index.making import EMBEDDER, check_true, drain, exact, filled, mask_of, more, sealed, small, walk_always

COUNT, DIMENSION = 700, 8
OPTIONS = small(DIMENSION, head=64, capacity=220)
QUERIES = clustered(8, DIMENSION, seed=2)


@dataclass
class World:
    """An index and what it was built from, earlier states of it, and indexes of others."""

    folder: Path
    log: VectorLog
    older: Path
    other_embedder: Path
    other_dimension: Path


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> World:
    base = tmp_path_factory.mktemp("corruptions")
    log = filled(COUNT - 200)
    sealed(base / "live", log, OPTIONS)
    shutil.copytree(base / "live", base / "older")
    more(log, 200, first=COUNT - 199, seed=3)
    log.supersede(range(20, 60))
    log.forget(range(300, 310))
    sealed(base / "live", log, OPTIONS)
    more(log, 20, first=COUNT + 1, seed=4)
    theirs = open_index(base / "embedder", "other/8", DIMENSION, filled(COUNT), OPTIONS)
    drain(theirs)
    sealed(base / "dimension", filled(COUNT, 12), OPTIONS)
    return World(base / "live", log, base / "older", base / "embedder", base / "dimension")


Damage = Callable[[World, Path, random.Random], None]


def some_file(folder: Path, suffix: str, luck: random.Random) -> Path:
    return luck.choice(sorted(folder.glob(f"*{suffix}")))


def cut(suffix: str) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        path = some_file(folder, suffix, luck)
        path.write_bytes(path.read_bytes()[: luck.randrange(path.stat().st_size)])

    return do


def flip(suffix: str, first: int = 0, last: int | None = None) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        path = some_file(folder, suffix, luck)
        content = bytearray(path.read_bytes())
        content[luck.randrange(first, last or len(content))] ^= luck.randint(1, 255)
        path.write_bytes(content)

    return do


def erase_a_block(suffix: str) -> Damage:
    """As a worn card does: a page of zeros, or of ones."""

    def do(world: World, folder: Path, luck: random.Random) -> None:
        path = some_file(folder, suffix, luck)
        content = bytearray(path.read_bytes())
        start = luck.randrange(len(content)) // 512 * 512
        size = len(content[start : start + 512])
        content[start : start + 512] = luck.choice([b"\0", b"\xff"]) * size
        path.write_bytes(content)

    return do


def remove(suffix: str) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        some_file(folder, suffix, luck).unlink()

    return do


def put_a_folder(suffix: str) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        path = some_file(folder, suffix, luck)
        path.unlink()
        path.mkdir()

    return do


def swap(*suffixes: str) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        one, other = luck.sample(sorted(path.stem for path in folder.glob("*.rows")), 2)
        for suffix in suffixes:
            (folder / (one + suffix)).rename(folder / "aside")
            (folder / (other + suffix)).rename(folder / (one + suffix))
            (folder / "aside").rename(folder / (other + suffix))

    return do


def take_from(which: str, suffix: str) -> Damage:
    """A file of another index under the name of one of this."""

    def do(world: World, folder: Path, luck: random.Random) -> None:
        shutil.copy(some_file(getattr(world, which), suffix, luck), some_file(folder, suffix, luck))

    return do


def take_all_of(which: str) -> Damage:
    def do(world: World, folder: Path, luck: random.Random) -> None:
        shutil.rmtree(folder)
        shutil.copytree(getattr(world, which), folder)

    return do


def older_manifest(world: World, folder: Path, luck: random.Random) -> None:
    shutil.copy(world.older / MANIFEST, folder)


def newer_manifest(world: World, folder: Path, luck: random.Random) -> None:
    take_all_of("older")(world, folder, luck)
    shutil.copy(world.folder / MANIFEST, folder)


def two_names_of_one(world: World, folder: Path, luck: random.Random) -> None:
    """A manifest that is whole but gives two segments the files of one."""
    one, other = luck.sample(sorted(path.stem for path in folder.glob("*.rows")), 2)
    for suffix in (".hnsw", ".rows"):
        shutil.copy(folder / (one + suffix), folder / (other + suffix))


DAMAGES: list[tuple[str, Damage, int]] = [
    ("graph cut", cut(".hnsw"), 6),
    ("rows cut", cut(".rows"), 5),
    ("manifest cut", cut(".json"), 5),
    ("graph flipped", flip(".hnsw"), 20),
    ("header flipped", flip(".hnsw", 0, HEADER_BYTES), 6),
    ("first records flipped", flip(".hnsw", HEADER_BYTES, HEADER_BYTES + 2000), 5),
    ("rows flipped", flip(".rows"), 8),
    ("manifest flipped", flip(".json"), 8),
    ("graph erased", erase_a_block(".hnsw"), 5),
    ("rows erased", erase_a_block(".rows"), 2),
    ("graph gone", remove(".hnsw"), 2),
    ("rows gone", remove(".rows"), 2),
    ("manifest gone", remove(".json"), 1),
    ("graph a folder", put_a_folder(".hnsw"), 2),
    ("rows a folder", put_a_folder(".rows"), 2),
    ("manifest a folder", put_a_folder(".json"), 1),
    ("graphs swapped", swap(".hnsw"), 3),
    ("rows swapped", swap(".rows"), 2),
    ("both swapped", swap(".hnsw", ".rows"), 2),
    ("two of one", two_names_of_one, 2),
    ("graph of another embedder", take_from("other_embedder", ".hnsw"), 1),
    ("rows of another embedder", take_from("other_embedder", ".rows"), 1),
    ("manifest of another embedder", take_from("other_embedder", ".json"), 1),
    ("all of another embedder", take_all_of("other_embedder"), 1),
    ("graph of another dimension", take_from("other_dimension", ".hnsw"), 1),
    ("rows of another dimension", take_from("other_dimension", ".rows"), 1),
    ("all of another dimension", take_all_of("other_dimension"), 1),
    ("all older", take_all_of("older"), 1),
    ("older manifest", older_manifest, 2),
    ("newer manifest", newer_manifest, 1),
]
CASES = [(name, damage, number) for name, damage, times in DAMAGES for number in range(times)]


def recall(index: SegmentedIndex, log: VectorLog) -> float:
    """Every unit and cosine of every answer is checked; gives the share of the nearest that was found."""
    shares = []
    for query in QUERIES:
        for allowed in (None, mask_of(range(1, 400, 2)), mask_of(range(30, 35))):
            truth = exact(log, query, allowed)
            shares += [check_true(index.search(query, limit, allowed), truth, limit) for limit in (10, 2000)]
    return float(np.mean(shares))


def is_harmless(world: World, folder: Path) -> bool:
    """Whether the files say the same as before: a space that became a tab in the manifest."""
    with suppress(IndexUnfit, OSError):
        same = read_manifest(folder, Shape(EMBEDDER, DIMENSION)) == read_manifest(
            world.folder, Shape(EMBEDDER, DIMENSION)
        )
        names = [path.name for path in sorted(world.folder.iterdir()) if path.name != MANIFEST]
        return same and all((folder / name).read_bytes() == (world.folder / name).read_bytes() for name in names)
    return False


def test_there_are_a_hundred() -> None:
    assert len(CASES) == 100


@pytest.mark.parametrize(("name", "damage", "number"), CASES, ids=[f"{name}-{number}" for name, _, number in CASES])
@pytest.mark.parametrize(
    "walks", [pytest.param(False, id="scan", marks=pytest.mark.long), pytest.param(True, id="walk")]
)
def test_damage(
    tmp_path: Path,
    world: World,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    name: str,
    damage: Damage,
    number: int,
    walks: bool,
) -> None:
    if walks:
        walk_always(monkeypatch)
    least = 0.95 if walks else 1.0
    folder, log = tmp_path / "index", copy.deepcopy(world.log)
    shutil.copytree(world.folder, folder)
    damage(world, folder, random.Random(f"{name} {number}"))
    harmless = is_harmless(world, folder)
    index = open_index(folder, EMBEDDER, DIMENSION, log, OPTIONS)
    assert recall(index, log) >= least
    said = len(list(index.verify())[-1].faults)
    assert recall(index, log) >= least
    state = index.state()
    assert said <= len(state.unfit)
    assert bool(state.unfit) != harmless
    assert all(reason in caplog.text for reason in state.unfit)
    assert (state.missing > 0) != harmless
    drain(index)
    assert index.state().missing == 0
    assert recall(index, log) >= least
    assert list(index.verify())[-1].faults == ()
    again = open_index(folder, EMBEDDER, DIMENSION, log, OPTIONS)
    assert (again.state().missing, again.state().unfit, again.state().vectors) == (0, (), index.state().vectors)
    assert recall(again, log) >= least


def test_the_folder_that_is_damaged_is_whole(world: World) -> None:
    """Else all the others would prove nothing."""
    index = open_index(world.folder, EMBEDDER, DIMENSION, copy.deepcopy(world.log), OPTIONS)
    assert (index.state().missing, index.state().unfit) == (0, ())
    assert len(index.state().segments) >= 3
    assert list(index.verify())[-1].faults == ()
    assert recall(index, world.log) == 1.0
    assert len(json.loads((world.folder / MANIFEST).read_text())["segments"]) >= 3
