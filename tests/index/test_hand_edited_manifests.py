"""Manifests whose checksum fits what no index wrote: they are moved aside, and the index is built anew."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edge.index import files
from edge.index.files import ASIDE, MANIFEST, Entry, IndexUnfit, Manifest, Shape, read_manifest, write_manifest
from tests.index.made_up import clustered
from tests.index.making import check_exact, drain, exact, filled, opened, sealed

SHAPE = Shape("made-up/8", 8)
FIRST, SECOND = Entry("0123", "0123abc", 0, 40, 0), Entry("4567", "4567def", 40, 99, 3)
ODD: list[Any] = [None, "3", 2.0, True, -1, 2**63, [], {}]


def unfit(folder: Path, manifest: Manifest) -> bool:
    """Whether it is refused, although its own checksum fits."""
    write_manifest(folder, SHAPE, manifest)
    with pytest.raises(IndexUnfit, match="does not describe an index"):
        read_manifest(folder, SHAPE)
    return True


@pytest.mark.parametrize("odd", ODD)
def test_what_is_no_number(tmp_path: Path, odd: Any) -> None:
    assert unfit(tmp_path, Manifest("mark", odd, ()))
    for field in ("after", "through", "forgotten"):
        assert unfit(tmp_path, Manifest("mark", 0, (replace(FIRST, **{field: odd}),)))


@pytest.mark.parametrize("odd", [None, 3, True, [], {}])
def test_what_is_no_text(tmp_path: Path, odd: Any) -> None:
    assert unfit(tmp_path, Manifest(odd, 0, (FIRST,)))
    for field in ("name", "sha256"):
        assert unfit(tmp_path, Manifest("mark", 0, (replace(FIRST, **{field: odd}),)))


@pytest.mark.parametrize(
    "segments",
    [
        (FIRST, FIRST),
        (SECOND, FIRST),
        (FIRST, replace(SECOND, after=39)),
        (replace(FIRST, after=40),),
        (replace(FIRST, name="../../memory"),),
    ],
)
def test_intervals_that_do_not_follow_one_another_and_names_of_other_files(
    tmp_path: Path, segments: tuple[Entry, ...]
) -> None:
    assert unfit(tmp_path, Manifest("mark", 0, segments))


def test_one_that_is_nested_too_deeply(tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_bytes(b"[" * 100_000)
    with pytest.raises(IndexUnfit):
        read_manifest(tmp_path, SHAPE)


@pytest.mark.parametrize(
    "edit",
    [
        lambda content: content.update(blanked="3"),
        lambda content: content.update(mark=["mark"]),
        lambda content: content["segments"].append(content["segments"][0]),
        lambda content: content["segments"][0].update(forgotten=None),
        lambda content: content["segments"][0].update(name=7),
    ],
)
def test_an_index_with_such_a_manifest_is_built_anew(tmp_path: Path, edit: Callable[[dict[str, Any]], None]) -> None:
    log = filled(100)
    sealed(tmp_path, log).close()
    content = json.loads((tmp_path / MANIFEST).read_text())
    del content["sha256"]
    edit(content)
    (tmp_path / MANIFEST).write_text(json.dumps({**content, "sha256": files._digest(content)}))
    index = opened(tmp_path, log)
    assert index.state().unfit == ("manifest.json does not describe an index",)
    assert (tmp_path / ASIDE / MANIFEST).exists()
    drain(index)
    for query in clustered(5, 8, seed=2):
        check_exact(index.search(query, 200, None), exact(log, query), 200)
