from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.cli.terminal import has_colours, local_time, on_one_line, shown, size, styled, table
from edge.cli.units import unit_line


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@given(st.text())
def test_nothing_that_is_shown_can_steer_a_terminal(text: str) -> None:
    controls = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0))}
    assert not set(shown(text)) & (controls - {"\n", "\t"})
    assert not set(on_one_line(text)) & controls
    assert len(on_one_line(text).splitlines()) <= 1


def test_what_is_harmless_stays_as_it_is() -> None:
    text = "Zhang Wei 张伟 🎉 naïve\n\tindented"
    assert shown(text) == text


def test_escape_sequences_become_visible() -> None:
    assert shown("\x1b]0;owned\x07\x9b31m") == "␛]0;owned␇\ufffd31m"


def test_marks_that_turn_the_direction_of_what_follows_become_visible() -> None:
    assert shown("\u202eevil\u202c \u2067x\u2069 مرحبا") == "\ufffdevil\ufffd \ufffdx\ufffd مرحبا"


def test_a_long_memory_is_cut_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    unit: Any = {
        "id": 4, "created_at": "2026-05-03T14:00:00Z", "kind": "episode", "content": "猫" * 5000,
        "superseded_by": None, "archived_at": None, "valid_until": None,
    }  # fmt: skip
    assert unit_line(unit).endswith("猫" * 5000)
    monkeypatch.setattr("sys.stdout", Terminal())
    assert unit_line(unit).endswith("猫" * 500 + "… (5,000 characters)")


@pytest.mark.parametrize(
    ("environ", "stream", "expected"),
    [
        ({"TERM": "xterm"}, Terminal(), True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, Terminal(), False),
        ({"TERM": "xterm", "NO_COLOR": ""}, Terminal(), True),
        ({"TERM": "dumb"}, Terminal(), False),
        ({"TERM": "xterm"}, io.StringIO(), False),
    ],
)
def test_colours(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str], stream: io.StringIO, expected: bool) -> None:
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    assert has_colours(stream) is expected
    assert ("\x1b" in styled("x", stream, bold=True)) is expected


def test_times_are_the_persons_own(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    monkeypatch.setenv("TZ", "Asia/Shanghai")
    time.tzset()
    assert local_time("2026-03-01T23:30:00Z") == "2026-03-02 07:30"
    assert local_time(None) == "-"
    assert local_time("tomorrow\x1b") == "tomorrow␛"


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 B"), (999, "999 B"), (40960, "41 kB"), (999_600, "1 MB"), (2_340_000_000, "2.34 GB")]
)
def test_sizes(count: int, text: str) -> None:
    assert size(count) == text


def test_tables_align_all_but_the_last_column() -> None:
    assert table([("a", "long", "x"), ("bbb", "c", "y\nz")]) == ["a    long  x", "bbb  c     y z"]


def test_a_chinese_character_takes_two_columns() -> None:
    assert table([("工作", "1"), ("main", "2"), ("é", "3")]) == ["工作  1", "main  2", "é     3"]
