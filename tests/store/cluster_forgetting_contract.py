"""What every ClusterStore keeps of a forgotten unit: nothing. The same tests for SQLite and for the fake."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from edge.memory.clusters import (
    Change,
    Coarse,
    Dissolve,
    NamedBy,
    Profile,
    Reprofile,
    RunState,
)
from edge.memory.units import ClusterId, UnitId
from tests.store.clusters_contract import (
    COFFEE,
    ONE,
    SERVERS,
    TWO,
    Stores,
    begin,
    embed,
    homes,
    keys,
    made,
    new,
    place,
    run,
    say,
)
from tests.store.making import ANN, BOB, NOON, after


def words(store: Stores) -> str:
    """All that the store of clusters tells of an owner, in one text."""
    return "\n".join(_words(store))


def _words(store: Stores) -> Iterator[str]:
    profiles: list[Profile | None] = [cluster.profile for cluster in store.clusters.clusters(ANN)]
    for found in store.clusters.runs(ANN, limit=99):
        yield f"{found.phase} {found.note} {found.why}"
        for record in store.clusters.changes(ANN, found.id):
            profiles += [record.before, record.after]
            yield record.why
        for change in store.clusters.staged(ANN, found.id).changes:
            profiles.append(None if isinstance(change, Dissolve) else change.profile)
            yield change.why
    for profile in profiles:
        if profile is not None:
            yield " ".join((profile.key, profile.description, *profile.tags))


class ClusterForgettingContract:
    """Subclasses give the `store`."""

    def test_a_key_is_renamed_from_the_words_of_those_that_are_left(self, store: Stores) -> None:
        units = say(store, "zabaglione on Sundays", "espresso from the machine", "cleans the espresso machine")
        profile = Profile(
            "zabaglione and espresso", "Sweets.", ("zabaglione", "espresso"), NamedBy.MODEL, Coarse.PERSON
        )
        made(store, *units, profile=profile)
        store.forget(ANN, units[:1])
        (cluster,) = store.clusters.clusters(ANN)
        assert cluster.profile == Profile("espresso machine", "", ("espresso",), NamedBy.WORDS, Coarse.PERSON)
        assert cluster.size == 2
        assert "zabaglione" not in words(store)

    def test_so_it_is_in_chinese(self, store: Stores) -> None:
        units = say(store, "我每天喝拿铁咖啡", "咖啡豆在厨房", "厨房里有咖啡机")
        made(store, *units, profile=Profile("拿铁咖啡", "她爱喝拿铁。", ("拿铁", "咖啡"), NamedBy.MODEL))
        store.forget(ANN, units[:1])
        (cluster,) = store.clusters.clusters(ANN)
        assert "拿铁" not in words(store)
        assert cluster.profile.key == "厨房 咖啡"
        assert cluster.profile.tags == ("咖啡",)

    def test_a_word_that_others_say_stays(self, store: Stores) -> None:
        units = say(store, "coffee at seven", "coffee beans are at home")
        made(store, *units)
        store.forget(ANN, units[:1])
        (cluster,) = store.clusters.clusters(ANN)
        assert cluster.profile == replace(COFFEE, description="")

    def test_a_description_goes_whatever_its_words(self, store: Stores) -> None:
        """A model may have told in other words what the unit said."""
        units = say(store, "takes insulin", "sees the doctor")
        made(store, *units, profile=Profile("doctor and health", "Ann is diabetic."))
        store.forget(ANN, units[:1])
        assert "diabetic" not in words(store)

    def test_of_an_emptied_cluster_nothing_is_told(self, store: Stores) -> None:
        units = say(store, "takes insulin")
        cluster = made(store, *units, profile=Profile("diabetes care plan", "Ann is diabetic.", ("health",)))
        embed(store, units[0], 0.6, 0.8)
        store.forget(ANN, units)
        (found,) = store.clusters.clusters(ANN)
        assert (found.profile, found.size, found.centroid) == (Profile(f"topic {cluster}"), 0, None)

    def test_a_centroid_keeps_no_part_of_it(self, store: Stores) -> None:
        units = say(store, "likes espresso", "coffee at home")
        embed(store, units[0], 1.0, 0.0)
        embed(store, units[1], 0.0, 1.0)
        cluster = made(store, *units)
        store.forget(ANN, units[:1])
        centroid = store.clusters.cluster(ANN, cluster).centroid
        assert centroid is not None
        assert centroid.tolist() == [0.0, 1.0]

    def test_nor_does_one_that_undoing_restores(self, store: Stores) -> None:
        units = say(store, "likes espresso", "coffee at home")
        embed(store, units[0], 1.0, 0.0)
        embed(store, units[1], 0.0, 1.0)
        cluster = made(store, *units)
        run(store, [Reprofile(cluster, SERVERS, np.array([0.6, 0.8], dtype=np.float32), "")])
        store.forget(ANN, units[:1])
        store.clusters.undo(ANN, None, NOON)
        centroid = store.clusters.cluster(ANN, cluster).centroid
        assert centroid is not None
        assert centroid.tolist() == [0.0, 1.0]

    def test_what_was_before_keeps_nothing_of_it(self, store: Stores) -> None:
        """The unit has left the cluster, which is called otherwise by now: undoing must not bring its words back."""
        units = say(store, "zabaglione on Sundays", "espresso from the machine", "runs nginx")
        sweets = made(store, *units[:2], profile=Profile("zabaglione and espresso", "", ("zabaglione",)))
        servers = made(store, units[2], profile=SERVERS)
        run(store, [Reprofile(sweets, Profile("espresso machine"), None, "zabaglione left")], place(units[:1], servers))
        store.forget(ANN, units[:1])
        assert "zabaglione" not in words(store)
        store.clusters.undo(ANN, None, NOON)
        assert "zabaglione" not in words(store)
        assert homes(store, units[1:]) == [sweets, servers]
        assert keys(store) == [f"topic {sweets}", SERVERS.key]

    def test_what_was_dissolved_keeps_nothing_of_it(self, store: Stores) -> None:
        units = say(store, "zabaglione on Sundays", "runs nginx")
        sweets = made(store, units[0], profile=Profile("zabaglione and sweets"))
        servers = made(store, units[1], profile=SERVERS)
        run(store, [Dissolve(sweets, "zabaglione is rare", into=servers)])
        store.forget(ANN, units[:1])
        assert "zabaglione" not in words(store)
        store.clusters.undo(ANN, None, NOON)
        assert keys(store) == [f"topic {sweets}", SERVERS.key]

    @pytest.mark.parametrize("value", ["+49 30 7654321", "ann@example.org", "TK-2041"])
    def test_a_number_goes_wherever_it_stands(self, store: Stores, value: str) -> None:
        """Also in a cluster that it never was in, and in what was edited."""
        units = say(store, "runs nginx", "likes espresso")
        made(store, units[0], profile=Profile("web server upkeep", f"Call {value}.", (value,)))
        store.clusters.edit(ANN, f"moved {value}", [], [], NOON)
        begun = store.apply(ANN, [], NOON)
        (told,) = say(store, value)
        assert begun.added == ()
        store.forget(ANN, [told])
        assert value not in words(store)
        assert keys(store) == ["web server upkeep"]

    def test_what_is_staged_keeps_nothing_of_it(self, store: Stores) -> None:
        units = say(store, "zabaglione on Sundays", "cream and zabaglione", "runs nginx", "nginx on port 80", "a cat")
        servers = made(store, units[2], profile=SERVERS)
        number = begin(store)
        changes: list[Change] = [
            new(ONE, Profile("zabaglione and cream")),
            new(TWO, Profile("pets of Ann", "A cat, and zabaglione.")),
            Reprofile(servers, Profile("nginx and zabaglione"), None, "zabaglione came in"),
        ]
        placements = [*place(units[:2], ONE), *place(units[3:4], servers), *place(units[4:], TWO)]
        store.clusters.stage(ANN, number, changes, placements, note=("placing", json.dumps({"last": "zabaglione"})))
        store.forget(ANN, units[:2])
        assert "zabaglione" not in words(store)
        assert store.clusters.run(ANN, number).note == "{}"
        done = store.clusters.apply_run(ANN, number, NOON)
        assert keys(store) == [SERVERS.key, "pets of Ann"]
        assert homes(store, units[2:4]) == [servers, servers]
        assert done.counts.placed == 2

    def test_what_is_staged_of_a_cluster_that_was_cleaned_still_fits(self, store: Stores) -> None:
        units = say(store, "zabaglione on Sundays", "espresso from the machine", "cleans the espresso machine")
        sweets = made(store, *units, profile=Profile("zabaglione and espresso"))
        number = begin(store)
        store.clusters.stage(ANN, number, [Reprofile(sweets, Profile("espresso at home"), None, "")])
        store.forget(ANN, units[:1])
        store.clusters.apply_run(ANN, number, NOON)
        assert keys(store) == ["espresso at home"]

    def test_of_an_abandoned_run_no_reason_tells_it(self, store: Stores) -> None:
        (unit,) = say(store, "zabaglione on Sundays")
        number = begin(store)
        store.clusters.abandon_run(ANN, number, "unsure of: zabaglione on Sundays", NOON)
        store.forget(ANN, [unit])
        found = store.clusters.run(ANN, number)
        assert (found.state, found.why) == (RunState.ABANDONED, "")

    @pytest.mark.parametrize(
        ("left", "other", "key"),
        [
            ("espresso machine", "espresso machine", "talk of espresso"),
            ("espresso", "talk of espresso", "topic 1"),
            ("咖啡", "咖啡", "topic 1"),
        ],
    )
    def test_a_key_from_words_stays_distinct(self, store: Stores, left: str, other: str, key: str) -> None:
        units = say(store, "zabaglione on Sundays", left, f"the {left}")
        made(store, *units[:2], profile=Profile("zabaglione and espresso"))
        made(store, units[2], profile=Profile(other))
        store.forget(ANN, units[:1])
        assert keys(store) == [key, other]

    def test_undoing_restores_the_units_that_are_left(self, store: Stores) -> None:
        units = say(store, "likes espresso", "coffee at home", "runs nginx")
        coffee = made(store, *units[:2])
        servers = made(store, units[2], profile=SERVERS)
        run(store, [Dissolve(coffee, "", into=servers)])
        store.forget(ANN, units[:1])
        store.clusters.undo(ANN, None, after(hours=3))
        assert homes(store, units[1:]) == [coffee, servers]
        assert store.clusters.cluster(ANN, coffee).size == 1

    def test_another_owners_clusters_are_left_alone(self, store: Stores) -> None:
        (unit,), (theirs,) = say(store, "coffee at seven"), say(store, "coffee at seven", owner=BOB)
        number = begin(store, BOB)
        vector = np.array([1.0, 0.0], dtype=np.float32)
        create = replace(new(ONE, COFFEE), centroid=vector)
        store.clusters.stage(BOB, number, [create], place([theirs], ONE))
        store.clusters.apply_run(BOB, number, NOON)
        made(store, unit)
        store.forget(ANN, [unit])
        (cluster,) = store.clusters.clusters(BOB)
        assert (cluster.profile, cluster.size) == (COFFEE, 1)

    def test_forgetting_all_and_naming_none_leaves_no_word(self, store: Stores) -> None:
        units = say(store, "zabaglione on Sundays", "runs nginx")
        made(store, *units, profile=Profile("zabaglione on nginx"))
        store.clusters.undo(ANN, None, NOON)
        store.forget(ANN, units)
        assert not any(word in words(store) for word in ("zabaglione", "nginx"))
        assert [store.clusters.clusters(ANN), homes(store, list[UnitId]())] == [[], list[ClusterId]()]
