"""Secrets: each of sixty shapes is taken out, nothing that only looks alike is, and a wish to remember keeps one."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory.language import Language
from edge.memory.secret_shapes import Label
from edge.memory.secrets import find_secrets, mark, redacted, redacted_said, secrets_to_keep
from tests.secret_cases import SECRETS, SecretCase

CASES = Path(__file__).parent / "cases"
NO_SECRETS = [
    line for line in (CASES / "no_secrets.txt").read_text(encoding="utf-8").splitlines() if line and line[0] != "#"
]
OTHER_CASES = sorted(path for path in CASES.iterdir() if path.name != "no_secrets.txt")


# --- the shapes ---


@pytest.mark.parametrize("case", SECRETS, ids=lambda case: f"{case.label}: {case.template[:24]}")
def test_a_secret_is_taken_out_and_the_rest_stays(case: SecretCase) -> None:
    language: Language = "zh" if any("\u4e00" <= char <= "\u9fff" for char in case.template) else "en"
    clean, labels = redacted(case.message)
    assert labels == (case.label,)
    assert clean == case.template.replace("{}", mark(Label(case.label), language))


def test_half_of_sixty_shapes_stand_in_chinese() -> None:
    assert len(SECRETS) >= 60
    assert sum(any("\u4e00" <= char <= "\u9fff" for char in case.template) for case in SECRETS) >= 30


@pytest.mark.parametrize("case", SECRETS, ids=lambda case: f"{case.label}: {case.template[:24]}")
def test_what_is_redacted_is_not_redacted_again(case: SecretCase) -> None:
    clean, _ = redacted(case.message)
    assert redacted(clean) == (clean, ())


def test_several_in_one_message_are_told_once_each_in_order() -> None:
    clean, labels = redacted("PIN: 4821, second PIN: 7316 and my password is hunter2.")
    assert clean == "PIN: [redacted PIN], second PIN: [redacted PIN] and my password is [redacted password]."
    assert labels == ("PIN", "password")


def test_wide_characters_hide_nothing() -> None:
    assert redacted("我的密码是ｈｕｎｔｅｒ２")[1] == ("password",)
    assert redacted("卡号 ４１１１１１１１１１１１１１１１")[1] == ("card number",)


@pytest.mark.parametrize(
    ("template", "label"),
    [
        ("ｐａｓｓｗｏｒｄ：{}", "password"),
        ("pass\u200bword: {}", "password"),
        ("PASS\u00adWORD: {}", "password"),
        ("my password\nis\n{}", "password"),
        ("password:\n\n{}", "password"),
        ("Password:\r\n{}\r\n", "password"),
        ("**Password:** `{}`", "password"),
        ('the pw is "{}"', "password"),
        ("密码：\n{}", "password"),
        ("密码是\n  {}\n用户名是bob", "password"),
        (r'{"user": "bob", \"password\": \"{}\"}', "password"),
    ],
)
def test_a_password_is_found_in_any_dress_and_over_lines(template: str, label: str) -> None:
    clean, labels = redacted(template.replace("{}", "Zq1xK9vTr7Lm"))
    assert labels == (label,)
    assert clean in [template.replace("{}", mark(Label(label), language)) for language in ("en", "zh")]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("my PIN is ٩٤٧١٨٢", ("PIN",)),
        ("my PIN is 𝟗𝟒𝟕𝟏𝟖𝟐", ("PIN",)),
        ("my pin is 9 4 7 1 8 2", ("PIN",)),
        ("我的PIN码是9-4-7-1", ("PIN",)),
        ("my password is hun\u200bter2", ("password",)),
        ("card 4111 1111\n1111 1111", ("card number",)),
        ("卡号 4111-1111-1111-\r\n1111", ("card number",)),
    ],
)
def test_digits_of_any_script_spaced_or_over_lines_hide_nothing(text: str, labels: tuple[str, ...]) -> None:
    clean, found = redacted(text)
    assert found == labels
    assert not re.search(r"\d|hun", clean)


@pytest.mark.parametrize(
    "text",
    [
        "Forgot your password?\n2026-11-30 is the last day.",
        "Enter the password:\n\nThen press Return.",
        "Password\nhttps://example.org/reset1",
        "密码是\n什么？",
        "the pw is wrong",
        "years 2019 2020\n2021 2022",
    ],
)
def test_what_only_follows_on_another_line_stays(text: str) -> None:
    assert redacted(text) == (text, ())


# --- what stays ---


def test_a_hundred_lookalikes_stay() -> None:
    assert len(NO_SECRETS) >= 100
    assert [line for line in NO_SECRETS if redacted(line)[1]] == []


@pytest.mark.parametrize("path", OTHER_CASES, ids=lambda path: path.name)
def test_no_slot_holds_a_secret(path: Path) -> None:
    """What the rules learn from: names, numbers of orders, tickets, devices, phones, addresses."""
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if redacted(line)[1]] == []


def test_one_number_is_a_card_where_it_is_called_one_and_an_order_where_it_is_called_that() -> None:
    number = "4012888888881881"
    assert redacted(f"my card {number}")[1] == redacted(number)[1] == ("card number",)
    for called in ("order", "tracking number", "serial number", "订单号是", "快递单号"):
        assert redacted(f"{called} {number}")[1] == ()


# --- the wish to remember ---

ASKED = [
    "remember that my wifi password is hunter2",
    "Please remember my PIN is 4821.",
    "Don't forget: the wifi password is hunter2",
    "My wifi password is hunter2, please remember it.",
    "Keep in mind that my PIN is 4821",
    "I want you to remember that my password is hunter2",
    "Write this down: the wifi password is hunter2",
    "记住我的WiFi密码是hunter2",
    "请帮我记住，密码是hunter2",
    "密码是hunter2，帮我记一下",
    "我要你记住我的PIN码是7316",
    "别忘了我的银行卡号是6222020000000000008",
    "请保存我的密码：hunter2",
]
NOT_ASKED = [
    "my wifi password is hunter2",
    "I can't remember if my password is hunter2",
    "Don't remember this: my password is hunter2",
    "I remember my password is hunter2",
    "do you remember that my password is hunter2?",
    "My password is hunter2, keep it secret",
    "remember to change it, the password is hunter2",
    "I don't need you to save my password hunter22",
    "please do not store my password, it's password: hunter2",
    "我的密码是hunter2",
    "不要记住我的密码是hunter2",
    "我记得密码是hunter2",
    "你还记得我的密码是hunter2吗",
    "别记下来，密码是hunter2",
    "记得改密码，现在密码是hunter2",
]


@pytest.mark.parametrize("text", ASKED)
def test_a_secret_that_is_to_be_remembered_stays(text: str) -> None:
    assert redacted_said(text) == (text, ())
    assert secrets_to_keep(text) == find_secrets(text) != ()


@pytest.mark.parametrize("text", NOT_ASKED)
def test_words_of_remembering_alone_are_no_wish(text: str) -> None:
    assert redacted_said(text) == redacted(text)
    assert redacted_said(text)[1]
    assert secrets_to_keep(text) == ()


def test_a_wish_in_a_pasted_text_or_far_away_keeps_nothing() -> None:
    secret = "password=hunter2"
    assert redacted_said(f"Remember this. {'x ' * 150}{secret}")[1] == ("password",)
    assert redacted_said(f"Remember this: {secret}{' x' * 1000}")[1] == ("password",)


# --- any text ---

PIECES = [
    "my password is ",
    "密码是",
    "hunter2",
    "sk-",
    "a1B2c3D4e5F6g7H8",
    "4111 1111 1111 1111",
    " ",
    "\n",
    "PIN: ",
    "4821",
    "验证码",
    "。",
    "eyJ",
    ".",
    "://",
    "a:b@c",
    "-----BEGIN PRIVATE KEY-----",
    '"',
    "[redacted password]",
    "［已隐去 密码］",
    "İ",
    "remember ",
    "记住",
    "Bearer ",
    "token=",
    "is my password",
    "seed phrase is ",
    "alpha beta gamma delta epsilon zeta",
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=14).map("".join)


@given(TEXTS)
def test_secrets_are_apart_and_in_order_and_what_stands_between_them_stays(text: str) -> None:
    found = find_secrets(text)
    ends = [0, *(place for secret in found for place in (secret.start, secret.end)), len(text)]
    assert ends == sorted(ends)
    clean, labels = redacted(text)
    assert list(labels) == list(dict.fromkeys(secret.label.value for secret in found))
    rest = clean
    for begin, end in zip(ends[::2], ends[1::2], strict=True):
        at = rest.find(text[begin:end])
        assert at >= 0
        rest = rest[at + end - begin :]


@given(TEXTS)
def test_what_a_person_says_loses_no_more_than_what_others_say(text: str) -> None:
    assert set(redacted_said(text)[1]) <= set(redacted(text)[1])
    if not find_secrets(text):
        assert redacted_said(text) == (text, ())


# --- time grows with the length and no faster ---


def seconds(text: str) -> float:
    """What it takes of the processor, the best of three: a measure that other load disturbs little."""
    best = float("inf")
    for _ in range(3):
        begin = time.process_time()
        redacted(text)
        best = min(best, time.process_time() - begin)
    return best


REPEATED = [
    "my password is ",
    "password is hunter2 ",
    "密码是",
    "密码hunter2",
    "hunter2是我的密码",
    "sk-",
    "eyJ-",
    "eyJaaaaaaaa.",
    "://a:",
    "-----BEGIN PRIVATE KEY-----",
    "1",
    "1 ",
    "4111 ",
    "pin ",
    "bearer aaaa",
    "token: aaaaaaaa-",
    "seed phrase is able ",
    "recovery codes: 1aaaaaaa ",
    "api key of the ",
    "[redacted password] is my password ",
    "code ",
    "İ密码 ",
    "password:\n",
    "password\n",
    "密码：\n ",
    "p\u200b",
    "pw is ",
    "my pin is 1 ",
    "1111 1111\n",
]


@pytest.mark.parametrize("piece", REPEATED)
def test_sixteen_times_the_text_takes_nowhere_near_the_square_of_the_time(piece: str) -> None:
    """Linear is 16 times, quadratic 256: between the two lies room for a busy machine."""
    small, large = (seconds(piece * (size // len(piece))) for size in (4_000, 64_000))
    assert large < 80 * small
