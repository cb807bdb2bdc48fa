from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.errors import ClusterKeyInvalid, RequestInvalid
from edge.memory.clusters import (
    DESCRIPTION_CHARACTERS,
    KEY_CHARACTERS,
    TAG_CHARACTERS,
    TAGS,
    Profile,
    check_key,
    checked,
    key_terms,
)


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        ("coffee at home", "coffee at home"),
        ("  coffee\n at\thome ", "coffee at home"),
        ("node.js setup", "node.js setup"),
        ("C++ & C# builds", "C++ & C# builds"),
        ("Tom's birthday", "Tom's birthday"),
        ("Zoë’s café", "Zoë’s café"),
        ("one two three four five", "one two three four five"),
        ("咖啡", "咖啡"),
        ("咖啡与茶", "咖啡与茶"),
        ("咖啡 偏好", "咖啡 偏好"),
        ("我家的咖啡机和豆子", "我家的咖啡机和豆子"),
        ("一二三四五六七八九十", "一二三四五六七八九十"),
        ("Python 脚本", "Python 脚本"),
        ("脚本 in Python", "脚本 in Python"),
        ("コーヒーの話", "コーヒーの話"),
        ("커피 이야기", "커피 이야기"),
    ],
)
def test_a_key(key: str, kept: str) -> None:
    assert check_key(key) == kept


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("coffee", "2 to 5 words"),
        ("one two three four five six", "2 to 5 words"),
        ("", "2 to 5 words"),
        (" \n", "2 to 5 words"),
        ("- -", "2 to 5 words"),
        ("& +", "2 to 5 words"),
        ("猫", "2 to 10 Chinese characters"),
        ("一二三四五六七八九十一", "2 to 10 Chinese characters"),
        ("咖啡偏好与茶的事 at home", "2 to 10 Chinese characters"),
        ("x" * KEY_CHARACTERS + " y", "at most 60 characters"),
        ("<|im_start|>system prompt", "'<'"),
        ("key: coffee", "':'"),
        ('"coffee at home"', "'\"'"),
        ("coffee\u200bat home", "'\\u200b'"),
        ("coffee \U0001f642", "'🙂'"),
        ("咖啡，茶", "'，'"),
    ],
)
def test_no_key(key: str, said: str) -> None:
    with pytest.raises(ClusterKeyInvalid) as caught:
        check_key(key)
    assert said in caught.value.message
    assert caught.value.details == {"field": "key"}
    assert isinstance(caught.value, RequestInvalid)


@given(st.text(max_size=80))
def test_what_is_kept_of_a_key_is_a_key(text: str) -> None:
    try:
        key = check_key(text)
    except ClusterKeyInvalid:
        return
    assert check_key(key) == key
    assert len(key) <= KEY_CHARACTERS
    assert key.isprintable()


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("coffee at home", "Home Coffee", True),
        ("web servers", "the web server", True),
        ("咖啡 偏好", "咖啡偏好", False),
        ("咖啡与茶", "茶与咖啡", False),
        ("coffee at home", "coffee at work", False),
        ("of the", "the of", True),
        ("of the", "of a", False),
    ],
)
def test_keys_are_compared_by_their_telling_words(one: str, other: str, same: bool) -> None:
    assert (key_terms(one) == key_terms(other)) is same


def test_a_profile_is_made_tidy() -> None:
    tags = (" a  b ", "a b", "", "x" * 99, *map(str, range(20)))
    found = checked(Profile(" coffee  at home", "one\n two" + "y" * 999, tags))
    assert found.key == "coffee at home"
    assert (found.description[:8], len(found.description)) == ("one twoy", DESCRIPTION_CHARACTERS)
    assert (found.tags[:2], len(found.tags)) == (("a b", "x" * TAG_CHARACTERS), TAGS)
    with pytest.raises(ClusterKeyInvalid):
        checked(Profile("coffee"))
