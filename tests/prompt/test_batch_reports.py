"""How far a batch is, in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.memory.batches import Batch, BatchState, Failure, reports_on
from edge.prompt.batch_reports import report
from tests.memory.test_batches import begun

SEVEN = replace(begun(), handled=7, failed=1, failures=(Failure(4, "no e-mail address."),))
CHINESE = replace(SEVEN, title="添加10个联系人", failures=(Failure(4, "没有邮箱地址。"),))


@pytest.mark.parametrize(
    ("batch", "language", "told"),
    [
        (begun(), "en", "Adding 10 contacts: 0 of 10 done."),
        (SEVEN, "en", "Adding 10 contacts: 6 of 10 done, 1 failed (item 4: no e-mail address)."),
        (CHINESE, "zh", "添加10个联系人：已完成6/10，1个失败（第4个：没有邮箱地址）。"),
        (
            replace(SEVEN, state=BatchState.CANCELLED, failed=0, failures=()),
            "en",
            "Adding 10 contacts: cancelled, 7 of 10 done.",
        ),
        (
            replace(CHINESE, handled=10, state=BatchState.DONE, title="导入"),
            "zh",
            "导入：已结束，完成9/10，1个失败（第4个：没有邮箱地址）。",
        ),
        (replace(SEVEN, failures=(Failure(4, ""),)), "en", "Adding 10 contacts: 6 of 10 done, 1 failed (item 4)."),
    ],
)  # fmt: skip
def test_it_is_told_in_a_line(batch: Batch, language: str, told: str) -> None:
    assert report([batch], language) == told
    assert reports_on(told, batch.title)


def test_of_many_failures_the_newest_are_named_and_the_rest_counted() -> None:
    failures = tuple(Failure(item, "bad " * 60) for item in range(1, 8))
    told = report([replace(begun(), handled=7, failed=7, failures=failures)], "en")
    assert "7 failed (item 5: bad" in told
    assert told.endswith("and 4 more).")
    assert len(told) < 400


def test_several_batches_are_a_line_each() -> None:
    assert report([SEVEN, CHINESE], "en").count("\n") == 1
