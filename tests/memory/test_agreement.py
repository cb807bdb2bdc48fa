"""How a question agrees with clusters: by the words of keys and tags, and by centroids; never less than nothing."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.agreement import Signposts, agreement, signposts
from edge.memory.clusters import Cluster, Profile
from edge.memory.text import query_terms
from edge.memory.units import ClusterId, OwnerId

AT = datetime(2026, 1, 1, tzinfo=UTC)


def floats(*values: float) -> Any:
    return np.array(values, dtype=np.float32)


def cluster(number: int, key: str, *tags: str, centroid: Any = None, embedder: str | None = "mini/2") -> Cluster:
    return Cluster(ClusterId(number), OwnerId("uid:1"), Profile(key, tags=tags), centroid, embedder, 3, AT, AT)


def agreed(posts: Signposts, question: str, vector: Any = None, language: str = "en") -> dict[ClusterId, float]:
    return agreement(posts, query_terms(question), vector, language)


@pytest.mark.parametrize(
    ("keys", "question", "language"),
    [
        (("coffee at home", "web server upkeep"), "How does she make her coffee?", "en"),
        (("冲咖啡", "服务器维护"), "她怎么冲咖啡？", "zh"),
    ],
)
def test_the_words_of_a_key_speak_for_its_cluster(keys: tuple[str, str], question: str, language: str) -> None:
    posts = signposts([cluster(1, keys[0]), cluster(2, keys[1])], None)
    assert list(agreed(posts, question, language=language)) == [1]


def test_a_tag_counts_as_a_word_of_the_key() -> None:
    posts = signposts([cluster(1, "coffee at home", "espresso"), cluster(2, "web server upkeep", "nginx")], None)
    assert list(agreed(posts, "restart nginx")) == [2]


def test_a_word_of_few_keys_speaks_louder() -> None:
    posts = signposts([cluster(1, "coffee at home"), cluster(2, "coffee machine"), cluster(3, "coffee beans")], None)
    found = agreed(posts, "coffee machine")
    assert found[ClusterId(2)] > found[ClusterId(1)] == found[ClusterId(3)] > 0


def test_the_nearest_centroid_agrees_most() -> None:
    near, far = floats(1, 0), floats(0.8, 0.6)
    posts = signposts([cluster(1, "one thing", centroid=far), cluster(2, "another thing", centroid=near)], "mini/2")
    found = agreed(posts, "none of that", floats(1, 0))
    assert found[ClusterId(2)] == pytest.approx(0.5)
    assert found[ClusterId(1)] < 0.1


def test_a_centroid_by_another_embedder_says_nothing() -> None:
    posts = signposts([cluster(1, "one thing", centroid=floats(1, 0), embedder="old/2")], "mini/2")
    assert agreed(posts, "none of that", floats(1, 0)) == {}
    whole = signposts([cluster(1, "one thing", centroid=floats(1, 0))], "mini/2")
    assert agreed(whole, "none of that", floats(1, 0, 0)) == {}


def test_for_chinese_the_english_embedder_has_no_say() -> None:
    posts = signposts([cluster(1, "冲咖啡", centroid=floats(1, 0))], "mini/2")
    assert agreed(posts, "服务器", floats(1, 0), "zh") == {}


def test_no_clusters_agree_with_nothing() -> None:
    assert agreed(signposts([], "mini/2"), "coffee", floats(1, 0)) == {}


WORDS = st.lists(st.sampled_from(["coffee", "server", "garden", "猫粮", "dog"]), min_size=1, max_size=3).map(" ".join)
VECTORS = st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3).map(lambda row: floats(*row))


@given(
    st.lists(st.tuples(WORDS, st.none() | VECTORS), max_size=6),
    WORDS,
    st.none() | VECTORS,
    st.sampled_from(["en", "zh"]),
)
def test_agreement_is_a_share(keys: Any, question: str, vector: Any, language: str) -> None:
    clusters = [cluster(number, key, centroid=row) for number, (key, row) in enumerate(keys)]
    found = agreed(signposts(clusters, "mini/2"), question, vector, language)
    assert all(0 < value <= 1 for value in found.values())
    assert set(found) <= {each.id for each in clusters}
