"""What of clusters goes when units are forgotten: words in keys, descriptions, tags, staged rows and the history."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from edge.memory.cluster_erasure import (
    Lost,
    cleaned,
    emptied,
    fallback_key,
    holds_lost,
    lost_words,
    new_key,
    note_without,
    still_lost,
    texts_in,
)
from edge.memory.clusters import Profile
from edge.memory.leftovers import Gone, mentions
from edge.memory.units import ClusterId, Kind, OwnerId, UnitId
from edge.store.cluster_rows import profile_columns, profile_from, profile_json, profile_of
from edge.store.rows import Row, json_ids

_GONE = "SELECT kind, content, value FROM units WHERE id IN (SELECT value FROM json_each(:ids))"
_TOUCHED = """
    SELECT cluster FROM units WHERE id IN (SELECT value FROM json_each(:ids)) AND cluster NOTNULL
    UNION SELECT before FROM cluster_placements WHERE unit IN (SELECT value FROM json_each(:ids)) AND before NOTNULL
    UNION SELECT cluster FROM cluster_placements WHERE unit IN (SELECT value FROM json_each(:ids)) AND cluster NOTNULL
"""
_STAGED = "SELECT number FROM cluster_placements WHERE unit IN (SELECT value FROM json_each(:ids)) AND number NOTNULL"
_HOMES = """
    SELECT DISTINCT cluster FROM units WHERE owner = :owner AND cluster NOTNULL
        AND id IN (SELECT value FROM json_each(:ids)) ORDER BY cluster
"""
_RENAME = "UPDATE clusters SET key = ?, description = ?, tags = ?, named_by = ?, coarse = ? WHERE id = ? AND owner = ?"
_REBASE = """
    UPDATE cluster_changes SET before = ? WHERE cluster = ? AND before NOTNULL
        AND run = (SELECT id FROM cluster_runs WHERE owner = ? AND state = 'open')
"""
"""What the person forgets is no edit: a change that was staged still fits."""
_LEFT = """
    SELECT content FROM units INDEXED BY units_in_cluster WHERE owner = :owner AND cluster = :cluster
        AND id NOT IN (SELECT value FROM json_each(:ids)) ORDER BY superseded, id DESC
"""
_STAGED_LEFT = """
    SELECT u.content FROM cluster_placements p JOIN units u ON u.id = p.unit
    WHERE p.run = :run AND (p.number = :number OR p.cluster = :cluster)
        AND u.id NOT IN (SELECT value FROM json_each(:ids))
"""
_CHANGES = """
    SELECT c.id, c.run, r.state = 'open', c.cluster, c.number, c.before, c.after, c.why
    FROM cluster_changes c JOIN cluster_runs r ON r.id = c.run WHERE r.owner = ?
"""


@dataclass(frozen=True, slots=True)
class _Forgetting:
    """What goes, and where it was: clusters in which a unit is, was or is to be, and new ones of the open run."""

    db: sqlite3.Connection
    owner: OwnerId
    ids: str
    gone: list[Gone]
    lost: Lost
    clusters: frozenset[int]
    numbers: frozenset[int]

    def members(self, cluster: int | None) -> Iterator[str]:
        """What the members of a cluster say that are left, current ones first."""
        asked = {"owner": self.owner, "cluster": cluster, "ids": self.ids}
        return (content for (content,) in self.db.execute(_LEFT, asked).fetchall())

    def staged(self, run: int, number: int | None, cluster: int | None) -> Iterator[str]:
        """What the units say that are left of those that a run puts into a cluster."""
        asked = {"run": run, "number": number, "cluster": cluster, "ids": self.ids}
        return (content for (content,) in self.db.execute(_STAGED_LEFT, asked).fetchall())


def clear_clusters(db: sqlite3.Connection, owner: OwnerId, units: Collection[UnitId]) -> list[ClusterId]:
    """Before the units are removed, in the same transaction. The clusters that lose members, for `recentre`."""
    if db.execute("SELECT 1 FROM cluster_runs WHERE owner = ? LIMIT 1", (owner,)).fetchone() is None:
        return []
    forgetting = _forgetting(db, owner, json_ids(sorted(units)))
    _clean_clusters(forgetting)
    for row in db.execute(_CHANGES, (owner,)).fetchall():
        (_clean_staged if row[2] else _clean_record)(forgetting, row)
    _clean_runs(forgetting)
    rows = db.execute(_HOMES, {"owner": owner, "ids": forgetting.ids}).fetchall()
    return [ClusterId(cluster) for (cluster,) in rows]


def _forgetting(db: sqlite3.Connection, owner: OwnerId, ids: str) -> _Forgetting:
    asked = {"owner": owner, "ids": ids}
    gone = [Gone(Kind(kind), content, value) for kind, content, value in db.execute(_GONE, asked).fetchall()]
    clusters = frozenset(cluster for (cluster,) in db.execute(_TOUCHED, asked).fetchall())
    numbers = frozenset(number for (number,) in db.execute(_STAGED, asked).fetchall())
    return _Forgetting(db, owner, ids, gone, lost_words(gone), clusters, numbers)


def _clean_clusters(forgetting: _Forgetting) -> None:
    db, owner = forgetting.db, forgetting.owner
    rows = db.execute(
        "SELECT id, gone, key, description, tags, named_by, coarse FROM clusters WHERE owner = ?", (owner,)
    ).fetchall()
    keys = {row[0]: row[2] for row in rows if not row[1]}
    for cluster, gone, *columns in rows:
        before = profile_of(tuple(columns))
        others = [key for other, key in keys.items() if other != cluster]
        after = _clean_cluster(forgetting, ClusterId(cluster), before, None if gone else others)
        if after != before:
            keys[cluster] = after.key
            db.execute(_RENAME, (*profile_columns(after), cluster, owner))
            db.execute(_REBASE, (profile_json(after), cluster, owner))


def _clean_cluster(
    forgetting: _Forgetting, cluster: ClusterId, profile: Profile, others: Collection[str] | None
) -> Profile:
    """The profile that a cluster keeps; `others` are the keys of the others, None for one that is gone."""
    lost, members = Lost(frozenset(), forgetting.lost.values), list[str]()
    if cluster in forgetting.clusters:
        members = [] if others is None else list(forgetting.members(cluster))
        if not members:
            return emptied(profile, cluster)
        lost = still_lost(forgetting.lost, texts_in(profile), members)
    elif not any(lost.is_in(text) for text in texts_in(profile)):
        return profile
    key = new_key(cluster, members, lost, others or ()) if lost.is_in(profile.key) else profile.key
    return cleaned(profile, lost, key)


def _clean_staged(forgetting: _Forgetting, row: Row) -> None:
    """A staged profile that holds a lost word in its key or tags is dropped: the next run makes another."""
    change, run, _, cluster, number, _, after, why = row
    profile = profile_from(after)
    if profile is not None:
        members = list(forgetting.staged(run, number, cluster))
        members += [] if cluster is None else list(forgetting.members(cluster))
        lost = still_lost(forgetting.lost, texts_in(profile), members)
        is_touched = cluster in forgetting.clusters or number in forgetting.numbers
        if holds_lost(profile, lost) or (is_touched and not members):
            forgetting.db.execute("DELETE FROM cluster_changes WHERE id = ?", (change,))
            return
        if is_touched or lost.is_in(profile.description):
            after = profile_json(cleaned(profile, lost, profile.key))
            forgetting.db.execute("UPDATE cluster_changes SET after = ?, centroid = NULL WHERE id = ?", (after, change))
    _clean_why(forgetting, change, why)


def _clean_record(forgetting: _Forgetting, row: Row) -> None:
    """What was before and after a run that was applied: undoing restores what is left of it."""
    change, _, _, cluster, _, *stored, why = row
    profiles = [profile_from(text) for text in stored]
    texts = [text for profile in profiles for text in texts_in(profile)]
    lost = Lost(frozenset(), forgetting.lost.values)
    if cluster in forgetting.clusters:
        lost = still_lost(forgetting.lost, texts, forgetting.members(cluster))
    elif not any(lost.is_in(text) for text in texts):
        return
    key = fallback_key(ClusterId(cluster))
    before, after = (None if each is None else profile_json(cleaned(each, lost, key)) for each in profiles)
    forgetting.db.execute(
        "UPDATE cluster_changes SET before = ?, after = ?, before_centroid = NULL WHERE id = ?", (before, after, change)
    )
    _clean_why(forgetting, change, why)


def _clean_why(forgetting: _Forgetting, change: int, why: str) -> None:
    if forgetting.lost.is_in(why):
        forgetting.db.execute("UPDATE cluster_changes SET why = '' WHERE id = ?", (change,))


def _clean_runs(forgetting: _Forgetting) -> None:
    db, owner = forgetting.db, forgetting.owner
    for run, note, why in db.execute("SELECT id, note, why FROM cluster_runs WHERE owner = ?", (owner,)).fetchall():
        kept = (note_without(note, forgetting.lost), "" if mentions(why, forgetting.gone) else why)
        if kept != (note, why):
            db.execute("UPDATE cluster_runs SET note = ?, why = ? WHERE id = ?", (*kept, run))
