"""What clustering does with small talk, also with what lies in the archive."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest

from edge.memory.clusters import Coarse, RunState
from edge.memory.units import Draft, Kind, UnitId
from tests.engine.test_clustering import COURTESIES, NOTES, homes, made, night, store, told
from tests.fakes.clock import NOON as CLOCK
from tests.fakes.memory_store import FakeMemoryStore
from tests.fakes.topical_model import TopicalModel
from tests.store.making import ANN, NOON, after, insert

__all__ = ["store"]
_TELLING = {
    "en": "The boiler shows error E133, the landlord sends a plumber on Tuesday",
    "zh": "锅炉显示故障代码，房东星期二派水管工来修理",
}
_DOGS = [f"the dog {what}" for what in ("limps", "barks", "sleeps", "eats", "swims", "runs")]


def noted(store: FakeMemoryStore, notes: Sequence[str]) -> list[UnitId]:
    """Units of a kind that leaves with a cold cluster."""
    drafts = [Draft(Kind.FACT_REFERENCE, note) for note in notes]
    return list(store.apply(ANN, [insert(draft) for draft in drafts], NOON).added)


class _Chatty(TopicalModel):
    """A model that finds small talk likely after boilers."""

    def _likelihood(self, note: str, candidate: str) -> float:
        is_small_talk = any(word in candidate for word in ("small talk", "闲聊"))
        is_boiler = any(word in note for word in ("boiler", "锅炉"))
        return -0.5 if is_small_talk and is_boiler else super()._likelihood(note, candidate)


@pytest.mark.parametrize(("language", "key"), [("en", "small talk"), ("zh", "闲聊")])
def test_a_note_that_tells_something_is_no_small_talk_however_likely_a_model_finds_it(
    store: FakeMemoryStore, language: str, key: str
) -> None:
    small = told(store, COURTESIES[language])
    made(store, "Pet care", told(store, NOTES[:6]))
    made(store, "Hospital medicine", told(store, NOTES[6:12]))
    chatting = made(store, key, small, coarse=Coarse.SMALL_TALK)
    telling, courtesy = told(store, [_TELLING[language], COURTESIES[language][0] + "!"])
    night(store, _Chatty())
    assert store.unit(ANN, telling).cluster != chatting
    assert store.unit(ANN, courtesy).cluster == chatting


def test_what_only_goes_to_the_small_talk_that_there_is_counts_as_gathered(store: FakeMemoryStore) -> None:
    chatting = made(store, "small talk", told(store, COURTESIES["en"]), coarse=Coarse.SMALL_TALK)
    small = told(store, COURTESIES["zh"])
    counts = night(store, None)
    gathered = homes(store, small).count(chatting)
    assert gathered >= len(small) / 2
    assert counts["gathered"] == gathered
    assert counts["created"] == 0


@pytest.mark.parametrize(("language", "key"), [("en", "small talk"), ("zh", "闲聊")])
def test_small_talk_comes_back_from_the_archive_with_new_courtesies(
    store: FakeMemoryStore, language: str, key: str
) -> None:
    chatting = made(store, key, noted(store, COURTESIES[language]), coarse=Coarse.SMALL_TALK)
    assert store.cold.put_away(ANN, chatting, after(days=1), after(days=31))
    small = noted(store, [f"{words}!" for words in COURTESIES[language]])
    told(store, _DOGS)
    night(store, None)
    assert homes(store, small).count(chatting) > len(small) / 2
    store.cold.mend(ANN, after(days=32), 100)
    names = [cluster.id for cluster in store.clusters.clusters(ANN) if cluster.profile.coarse is Coarse.SMALL_TALK]
    assert names == [chatting]


def test_a_new_cluster_is_not_called_as_one_in_the_archive(store: FakeMemoryStore) -> None:
    old = _of_dogs(store)
    key, cluster = _key(store, old), store.unit(ANN, old[0]).cluster
    assert cluster is not None
    assert store.cold.put_away(ANN, cluster, CLOCK + timedelta(days=1), CLOCK + timedelta(days=31))
    new = _of_dogs(store)
    assert None not in homes(store, new)
    assert _key(store, new) != key
    assert store.clusters.runs(ANN, limit=1)[0].state is RunState.DONE
    assert store.clusters.runs(ANN, limit=1)[0].counts.skipped == 0


def _of_dogs(store: FakeMemoryStore) -> list[UnitId]:
    units = noted(store, _DOGS)
    told(store, [f"锅炉{what}" for what in ("坏了", "修好了", "又漏水", "太吵", "要换", "点不着")])
    night(store, None)
    return units


def _key(store: FakeMemoryStore, units: Sequence[UnitId]) -> str:
    cluster = store.unit(ANN, units[0]).cluster
    assert cluster is not None
    return store.clusters.cluster(ANN, cluster).profile.key
