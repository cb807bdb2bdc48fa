"""The changes of the schema that were released."""

from __future__ import annotations

import hashlib

import pytest

from edge.store.schema import MIGRATIONS, Migration

_RELEASED = {
    "001_turns_units_embeddings": "7dd0f40afecece31b91bd079cedcc9778a3bfbbcaabd8171701c441f7348b080",
    "002_numbered_embeddings": "decf0a22febedb090fb475faf0846903b3b823dd82873cd00c86bab5f6075217",
    "003_lives_contexts_batches": "1e044ad88c6ffa2f39f7925bc5386a63dbdfe413508a5569a4192814fb65aca6",
    "004_clusters": "8847d03aa344427c4f50b490f69b8c5f0e79cc69f969ef56f7589f3f33ccaba1",
    "005_distilling": "2da7fdff129ed36791f59d85baec581b16ab30b78620dacde628461b9661e2f6",
    "006_nights": "17ba2a63f299ddb1b375dbfb82a913fdabf836ddf2c36a936c947c603c66ff93",
    "007_readings": "59f569ba14b5eb28751b0b38e43ca6acc600a24d2d57594992b1225756f1ed34",
    "008_told_together": "94d44a05ac57daf0224dc2a8ff2e2aff510576b2e3bae28849b280f47814fea6",
    "009_merging": "e27ad3ad5cce0006022825a44ecf9f40c40f99a52741e93c10ce871cf669fd8a",
    "010_evolving": "a19e559dd9c0dedce34febf435ccdc8feb98964553169067746e5d87e127223d",
}
"""SHA-256 of the name and the statements of each."""


@pytest.mark.parametrize(("name", "pinned"), _RELEASED.items())
def test_a_released_change_of_the_schema_is_what_it_was(name: str, pinned: str) -> None:
    found = {migration.name: _sha256(migration) for migration in MIGRATIONS}
    assert found.get(name) == pinned, f"{name} was released: never edit a released change, add a new one at the end"


def test_released_changes_come_first_and_in_their_order() -> None:
    names = [migration.name for migration in MIGRATIONS]
    assert names[: len(_RELEASED)] == [*_RELEASED]
    assert names == sorted(set(names))


def _sha256(migration: Migration) -> str:
    return hashlib.sha256("\0".join((migration.name, *migration.statements)).encode()).hexdigest()
