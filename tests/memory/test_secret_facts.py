"""Secrets that are to be remembered as memories, and drafts without those that are not."""

from __future__ import annotations

import pytest

from edge.memory.secret_facts import secret_facts, statement_of, without_secrets
from edge.memory.secret_wishes import LONGEST_WISH
from edge.memory.units import Draft, Kind


@pytest.mark.parametrize(
    ("message", "secret"),
    [("Remember that my PIN is 4821.", "4821"), ("记住我的WiFi密码是hunter2。", "hunter2")],
    ids=["en", "zh"],
)
def test_a_short_message_is_one_fact_with_the_secret_as_its_value(message: str, secret: str) -> None:
    [fact] = secret_facts(message, session_only=False)
    assert (fact.kind, fact.content, fact.value, fact.entities) == (Kind.FACT_REFERENCE, message, secret, (secret,))


def test_of_a_long_message_each_sentence_with_a_secret_is_a_fact() -> None:
    noise = "We talked about the garden and the trees in it. " * 8
    facts = secret_facts(f"Remember: my PIN is 4821. {noise}And my password is hunter2.", session_only=True)
    assert [(fact.content, fact.value) for fact in facts] == [
        ("Remember: my PIN is 4821.", "4821"),
        ("And my password is hunter2.", "hunter2"),
    ]
    assert all(fact.session_only for fact in facts)


def test_a_message_without_a_secret_gives_none() -> None:
    assert secret_facts("My order number is A-20391-XK.", session_only=False) == []
    assert statement_of("My order number is A-20391-XK.", session_only=False).value is None


def test_a_message_of_which_nothing_was_to_be_kept_is_not_looked_through() -> None:
    assert secret_facts("Remember: my PIN is 4821. " + "noise " * LONGEST_WISH, session_only=False) == []


def test_a_draft_loses_a_secret_in_every_field() -> None:
    draft = Draft(
        Kind.FACT_REFERENCE, "The password is hunter2", value="hunter2", entities=("hunter2", "router", "PIN: 4821"),
        subject="hunter2",
    )  # fmt: skip
    clean, labels = without_secrets(draft)
    assert clean.content == "The password is [redacted password]"
    assert (clean.value, clean.entities, clean.subject) == (None, ("router", "PIN: [redacted PIN]"), "self")
    assert labels == ("password", "PIN")


def test_a_draft_that_asks_to_keep_its_secret_stays_as_it_is() -> None:
    draft = Draft(Kind.FACT_REFERENCE, "记住密码是hunter2", value="hunter2", entities=("hunter2",))
    assert without_secrets(draft) == (draft, ())


@pytest.mark.parametrize(("slot", "marked"), [("wifi_password", "[redacted password]"), ("密码", "［已隐去 密码］")])
def test_a_slot_that_is_called_a_secret_makes_its_value_one(slot: str, marked: str) -> None:
    draft = Draft(Kind.FACT_REFERENCE, "It is swordfish.", slot=slot, value="swordfish", entities=("swordfish",))
    clean, labels = without_secrets(draft)
    assert (clean.content, clean.slot, clean.value, clean.entities) == (f"It is {marked}.", slot, None, ())
    assert labels == ("password",)


def test_a_secret_in_the_name_of_a_slot_is_taken_out() -> None:
    clean, labels = without_secrets(Draft(Kind.FACT_REFERENCE, "It is so.", slot="password: hunter2", value="so"))
    assert (clean.slot, labels) == ("password: [redacted password]", ("password",))
