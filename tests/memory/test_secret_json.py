"""Secrets in JSON: taken out by what they look like and by what their fields are called."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.secret_json import redacted_json


def test_what_a_key_calls_a_secret_is_one_whatever_it_looks_like() -> None:
    given_value = {
        "api_key": "abcd1234",
        "pin": 17,
        "password": "x",
        "accessToken": "abcd12345678",
        "nextPageToken": "abcd12345678",
        "list": ["my password is hunter2", {"密码": 8848}],
        "PIN": "4821",
        "card_number": 4111111111111111,
    }
    clean, labels = redacted_json(given_value)
    assert clean == {
        "api_key": "[redacted API key]",
        "pin": 17,
        "password": "[redacted password]",
        "accessToken": "[redacted token]",
        "nextPageToken": "abcd12345678",
        "list": ["my password is [redacted password]", {"密码": "［已隐去 密码］"}],
        "PIN": "[redacted PIN]",
        "card_number": "[redacted card number]",
    }
    assert labels == ("API key", "password", "token", "PIN", "card number")


@pytest.mark.parametrize(
    "value",
    [
        [{"name": "DB_PASSWORD", "value": "{}"}],
        {"fields": [{"key": "密码", "值": "{}"}]},
        {"auth": {"password": {"value": "{}"}}},
        ["login", "--user", "bob", "--password", "{}"],
        ["curl", "--api-key", "{}"],
    ],
)
def test_what_is_called_a_secret_beside_it_is_one(value: object) -> None:
    clean, labels = redacted_json(json.loads(json.dumps(value).replace("{}", "Zq1xK9vTr7Lm")))
    assert len(labels) == 1
    assert "Zq1xK9vTr7Lm" not in json.dumps(clean)
    assert redacted_json(clean) == (clean, ())


def test_a_name_beside_a_value_takes_nothing_else() -> None:
    value = [{"name": "city", "value": "Berlin"}, ["--user", "bob", "--retry", "3"], {"name": "password", "min": 8}]
    assert redacted_json(value) == (value, ())


def test_numbers_of_orders_stay_in_json() -> None:
    value = {
        "order_id": "4111111111111111",
        "orderNumber": 4111111111111111,
        "订单号": ["4111111111111111"],
        "retry_after": 300,
        "ok": True,
        "price": 12.5,
        "none": None,
        "note": "",
    }
    assert redacted_json(value) == (value, ())


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_what_is_left_of_json_is_json_and_is_clean(value: object) -> None:
    clean, _ = redacted_json(value)
    json.dumps(clean, allow_nan=False)
    assert redacted_json(clean) == (clean, ())
