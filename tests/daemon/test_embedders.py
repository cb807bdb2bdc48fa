"""Which embedder serves: from the settings, from the store, and on the way from one to the other, whatever happens."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path

import pytest

from edge.engine.model_ports import Embedded
from edge.engine.ports import Scope
from edge.errors import DiskFull, EmbedderFailed, ModelMissing
from tests.daemon.making import Life, NamedModels
from tests.engine.making import ANN, MAIN, Desk
from tests.fakes.embedder import HashEmbedder

OLD, NEW, WIDE = HashEmbedder(64, model_id="old"), HashEmbedder(32, model_id="new"), HashEmbedder(96, model_id="old")
TOLD = ("飞艇九点起飞。", "The bread is in the oven.", "窗台上的猫睡着了。", "The bike is blue.", "乌龙茶在柜子里。")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def tell(desk: Desk, *texts: str) -> None:
    for text in texts:
        desk.remember.statement(ANN, None, text, desk.clock.now())


def lived(folder: Path, wanted: str = "old", *here: HashEmbedder) -> Life:
    """A life in which all was told and embedded."""
    life = Life(folder, NamedModels(wanted, *(here or (OLD,))))
    life.start()
    tell(life.desk, *TOLD)
    life.idle()
    return life


def next_life(before: Life, wanted: str, *here: HashEmbedder) -> Life:
    return Life(before.folder, NamedModels(wanted, *here), before.desk)


def serving(life: Life) -> str | None:
    return None if life.desk.vectors.serving is None else life.desk.vectors.serving.key


def coming(life: Life) -> str | None:
    return None if life.desk.vectors.coming is None else life.desk.vectors.coming.key


def found(life: Life, query: str) -> str:
    allowed = life.desk.store.visible(Scope(ANN, MAIN, life.desk.clock.now(), present=True))
    embedder = life.desk.vectors.embedder
    assert embedder is not None
    (unit,) = life.desk.vectors.nearest(embedder.embed_query(query), 1, allowed)
    return life.desk.store.unit(ANN, unit).content


def check_whole(life: Life, key: str) -> None:
    """One pair serves, it finds everything, and nothing is left of others."""
    assert (serving(life), coming(life), life.desk.store.embedder()) == (key, None, key)
    assert life.desk.store.count_missing(key) == 0
    assert life.desk.store.retired_embedders() == []
    assert life.folders() == {key.replace("/", "-")}
    for text in TOLD:
        assert found(life, text) == text


def test_the_first_embedder_serves_at_once_and_is_known_to_the_next_start(folder: Path) -> None:
    first = lived(folder)
    check_whole(first, "old/64")
    again = next_life(first, "old", OLD, NEW)
    again.start()
    again.idle()
    check_whole(again, "old/64")
    assert again.models.loaded == ["old"]
    assert again.indexes["old/64"].state().vectors == first.indexes["old/64"].state().vectors


@pytest.mark.parametrize("wanted", [NEW, HashEmbedder(64, model_id="narrow")], ids=["dimension", "id"])
def test_the_one_before_serves_until_the_other_has_embedded_everything(folder: Path, wanted: HashEmbedder) -> None:
    key = f"{wanted.id}/{wanted.dimension}"
    life = next_life(lived(folder), wanted.id, OLD, wanted)
    life.start()
    assert (serving(life), coming(life)) == ("old/64", key)
    assert life.folders() == {"old-64", f"{wanted.id}-{wanted.dimension}"}
    former = life.indexes["old/64"]
    while serving(life) == "old/64":
        assert life.desk.vectors.degraded == ()
        for text in TOLD:
            assert found(life, text) == text
        assert not former.closed
        assert life.memory.step()
    assert life.desk.store.count_missing(key) == 0
    assert former.closed
    life.idle()
    check_whole(life, key)


def test_what_is_told_during_a_change_is_found_at_once_and_after_it(folder: Path) -> None:
    life = next_life(lived(folder), "new", OLD, NEW)
    life.start()
    life.memory.wake()
    tell(life.desk, "新买的自行车是红色的。")
    life.memory.step()
    assert serving(life) == "old/64"
    assert found(life, "新买的自行车") == "新买的自行车是红色的。"
    life.idle()
    check_whole(life, "new/32")
    assert found(life, "新买的自行车") == "新买的自行车是红色的。"


def test_a_change_goes_on_after_a_kill_at_any_step(folder: Path) -> None:
    life = lived(folder)
    lives = 0
    while serving(life) != "new/32" or life.idle(1):
        life = next_life(life, "new", OLD, NEW)
        life.start()
        life.idle(1)
        lives += 1
        for text in TOLD:
            assert found(life, text) == text
    assert lives > 2
    check_whole(life, "new/32")


@pytest.mark.parametrize("steps", range(8))
def test_settings_that_go_back_retire_what_was_half_made(folder: Path, steps: int) -> None:
    half = next_life(lived(folder), "new", OLD, NEW)
    half.start()
    half.idle(steps)
    back = next_life(half, "old", OLD, NEW)
    back.start()
    back.idle()
    check_whole(back, "old/64")


def test_there_and_back_again(folder: Path) -> None:
    life = lived(folder)
    for wanted, key in (("new", "new/32"), ("old", "old/64"), ("new", "new/32")):
        life = next_life(life, wanted, OLD, NEW)
        life.start()
        life.idle()
        check_whole(life, key)


@pytest.mark.parametrize(("wanted", "here"), [("new", [NEW]), ("old", [WIDE])], ids=["gone", "another dimension"])
def test_where_the_one_before_is_not_there_the_other_serves_at_once(
    folder: Path, wanted: str, here: list[HashEmbedder], caplog: pytest.LogCaptureFixture
) -> None:
    life = next_life(lived(folder), wanted, *here)
    with caplog.at_level(logging.WARNING):
        life.start()
    key = f"{wanted}/{here[0].dimension}"
    assert (serving(life), coming(life), life.desk.store.embedder()) == (key, None, key)
    assert "at once" in caplog.text
    life.idle()
    check_whole(life, key)


def test_most_of_a_memory_without_vectors_is_said_until_it_has_them(folder: Path) -> None:
    first = lived(folder)
    tell(first.desk, *(f"第{number}只飞艇" for number in range(100)))
    first.idle()
    life = next_life(first, "new", NEW)
    life.start()
    seen = [life.desk.vectors.degraded]
    for steps in (3, 10_000):
        life.idle(steps)
        seen.append(life.desk.vectors.degraded)
    assert seen == [("embeddings",), ("embeddings",), ()]


@pytest.mark.parametrize("wanted", ["new", "unknown"])
def test_an_embedder_that_is_not_there_leaves_the_one_before_in_service(
    folder: Path, wanted: str, caplog: pytest.LogCaptureFixture
) -> None:
    life = next_life(lived(folder), wanted, OLD)
    life.start()
    life.idle()
    life.idle()
    assert serving(life) == "old/64"
    assert life.memory.embedder_error is not None
    assert found(life, TOLD[0]) == TOLD[0]
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == 1
    tell(life.desk, "新买的自行车是红色的。")
    life.idle()
    assert found(life, "新买的自行车") == "新买的自行车是红色的。"


def test_one_that_comes_later_takes_over_without_a_restart_and_keeps_what_it_had(folder: Path) -> None:
    half = next_life(lived(folder), "new", OLD, NEW)
    half.start()
    half.idle(1)
    done = half.indexes["new/32"].state().vectors
    assert 0 < done < len(TOLD)
    life = next_life(half, "new", OLD)
    life.start()
    life.idle()
    assert (serving(life), coming(life), life.models.loaded.count("old")) == ("old/64", None, 1)
    life.models.here["new"] = NEW
    life.memory.wake()
    assert coming(life) == "new/32"
    assert life.memory.embedder_error is None
    assert life.indexes["new/32"].state().vectors == done
    life.idle()
    check_whole(life, "new/32")


def test_without_any_embedder_there_are_no_vectors(folder: Path) -> None:
    life = Life(folder, NamedModels("old"))
    life.start()
    tell(life.desk, *TOLD)
    life.idle()
    assert isinstance(life.memory.embedder_error, ModelMissing)
    assert life.desk.vectors.degraded == ("vectors",)
    assert life.desk.store.embedder() is None
    life.models.here["old"] = OLD
    life.idle()
    check_whole(life, "old/64")


class Lame(HashEmbedder):
    """Embeds nothing."""

    def embed(self, texts: Sequence[str]) -> list[Embedded]:
        raise EmbedderFailed("It broke off.")


def test_a_coming_embedder_that_fails_does_not_take_over_and_is_said_once(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    life = next_life(lived(folder), "new", OLD, Lame(32, model_id="new"))
    life.start()
    for _ in range(3):
        life.idle()
    assert (serving(life), coming(life)) == ("old/64", "new/32")
    assert [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR] == [
        "the coming embedder waits: It broke off. Run `edge models verify`."
    ]


def test_a_former_embedder_that_fails_keeps_the_other_from_nothing(folder: Path) -> None:
    life = next_life(lived(folder), "new", Lame(64, model_id="old"), NEW)
    life.start()
    tell(life.desk, "新买的自行车是红色的。")
    life.idle()
    check_whole(life, "new/32")


def test_a_full_disk_at_the_switch_leaves_the_one_before(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    life = next_life(lived(folder), "new", OLD, NEW)
    life.start()

    def fail(embedder: str) -> None:
        raise DiskFull("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(life.desk.store, "use_embedder", fail)
        life.idle()
        assert (serving(life), coming(life)) == ("old/64", "new/32")
        assert not life.indexes["old/64"].closed
    life.idle()
    check_whole(life, "new/32")


def test_an_index_that_is_not_whole_does_not_take_over(folder: Path) -> None:
    life = next_life(lived(folder), "new", OLD, NEW)
    life.start()
    life.indexes["new/32"].due, life.indexes["new/32"].lost = 3, 1
    life.memory.wake()
    while life.indexes["new/32"].lost:
        assert serving(life) == "old/64"
        assert life.memory.step()
    life.idle()
    check_whole(life, "new/32")


def test_what_the_store_calls_an_embedder_may_be_no_key(folder: Path) -> None:
    desk = Desk(attached=False)
    desk.store.use_embedder("from another time")
    life = Life(folder, NamedModels("old", OLD), desk)
    life.start()
    tell(desk, *TOLD)
    life.idle()
    check_whole(life, "old/64")
