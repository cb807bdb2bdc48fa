"""A person's own weights: what they name is changed, and a mistake is named."""

from __future__ import annotations

import pytest

from edge.errors import SettingsInvalid
from edge.memory.scoring import WEIGHT_NAMES
from edge.memory.weights import WEIGHTS, parse_weights


def test_an_empty_text_changes_nothing() -> None:
    assert parse_weights("", "w.toml") == WEIGHTS


@pytest.mark.parametrize("language", sorted(WEIGHTS))
def test_every_weight_can_be_named(language: str) -> None:
    text = f"[{language}]\n" + "\n".join(f"{name} = {number}" for number, name in enumerate(WEIGHT_NAMES))
    changed = parse_weights(text, "w.toml")
    assert [getattr(changed[language], name) for name in WEIGHT_NAMES] == list(range(len(WEIGHT_NAMES)))
    assert all(changed[other] == WEIGHTS[other] for other in WEIGHTS if other != language)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[en", "not TOML"),
        ("[fr]\ntime = 1", "fr"),
        ("en = 1", "table"),
        ("[en]\nluck = 1", "luck"),
        ("[zh]\ntime = '1'", "number"),
        ("[zh]\ntime = true", "number"),
        ("[zh]\ntime = nan", "number"),
        ("[zh]\ntime = inf", "number"),
    ],
)
def test_a_mistake_is_named(text: str, said: str) -> None:
    with pytest.raises(SettingsInvalid, match=said) as caught:
        parse_weights(text, "w.toml")
    assert "w.toml" in caught.value.message
