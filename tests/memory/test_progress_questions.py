"""Which messages ask how far the work at hand is, and which only sound like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge.memory import rules_regex
from edge.memory.progress_questions import ProgressQuestions
from edge.memory.rules import parse_rules

PROGRESS = ProgressQuestions()

ENGLISH = """
How far are you?
how far are you with the contacts
How far have you got?
Hey, how far along are you?
How far along is the import?
How far is the import?
Can you tell me how far you are?
How far did you get with it?
What's the progress?
What is your progress so far?
Any progress?
Progress update, please
Give me a status update on the import.
What's the status of the batch?
How is the import coming along?
Are you done yet?
Have you finished adding the contacts?
Is the import finished?
How many are done?
How many contacts have you added so far?
How many are left?
How much is left?
Which item are you on?
Did anything fail?
Which ones failed?
"""
CHINESE = """
进度如何？
现在进度怎么样了？
导入到哪了？
导入进度呢
请问现在导入到第几个了？
做到哪一步了
加到多少了？
还剩多少？
还剩几个没导入？
已经完成了多少？
处理了多少条了
做完了吗？
联系人都加完了没有？
弄好了没？
有失败的吗？
失败了几个？
哪些失败了？
任务怎么样了？
汇报一下进度
告诉我一下目前的进度
有什么进展？
完成百分之几了？
"""
ELSE_ENGLISH = """
How far is it to Berlin?
How far is Berlin?
How far are you from the station?
How far is the moon?
How far can you count?
How do I write a progress bar?
What is a status code?
What does progress mean?
How many contacts do I have?
How many people live in Berlin?
How many are there?
How is it going?
How are you doing?
Where are you?
Where are you from?
Are you there?
Are you a robot?
Is the shop open yet?
Is dinner ready?
How much is the import duty?
How long will it take?
What is the status of my order?
Remember that the import is done on Fridays
I made progress today.
Why did the Roman Empire fail?
Do not tell me the progress.
Are you ready?
"""
ELSE_CHINESE = """
进度条怎么写？
进度条怎么写
项目进度表怎么做？
如何提高学习进度？
我的学习进度如何
到柏林有多远？
我们聊到哪了？
快递到哪了？
火车开到哪了？
你走到哪了
还剩多少钱？
我还剩多少天年假？
你吃完了吗？
电影演完了吗？
怎么导入联系人？
导入失败怎么办？
联系人有多少个？
我有几个联系人？
你叫什么名字？
天气怎么样？
你最近怎么样？
他做了多少菜？
进度是什么意思？
你的怎么样？
情况如何？
你的状态怎么样
"""


def lines(block: str) -> list[str]:
    return block.strip().splitlines()


@pytest.mark.parametrize("text", lines(ENGLISH) + lines(CHINESE))
def test_it_asks_how_far_the_work_is(text: str) -> None:
    assert PROGRESS.asked_in(text)


@pytest.mark.parametrize("text", lines(ELSE_ENGLISH) + lines(ELSE_CHINESE))
def test_it_asks_for_something_else(text: str) -> None:
    assert not PROGRESS.asked_in(text)


def test_there_are_enough_cases_in_both_languages() -> None:
    assert len(lines(ENGLISH) + lines(CHINESE)) >= 40
    assert len(lines(CHINESE)) >= 20
    assert len(lines(ELSE_ENGLISH) + lines(ELSE_CHINESE)) >= 40
    assert len(lines(ELSE_CHINESE)) >= 20


@given(st.text(max_size=300))
def test_any_text_is_judged(text: str) -> None:
    assert PROGRESS.asked_in(text) in {True, False}


@pytest.mark.parametrize("text", ["那" * 119 + "?", "so " * 39 + "x", "how far is " + "the " * 27, "现在目前" * 30])
def test_a_text_of_fillers_is_judged_at_once(text: str) -> None:
    assert not PROGRESS.asked_in(text)


def test_they_are_compiled_with_the_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = parse_rules([])
    rules.compile(None)
    monkeypatch.setattr(rules_regex, "compiled", None)  # what is compiled from now on fails
    assert rules.progress.asked_in("How far are you?")
    assert rules.progress.asked_in("进度如何？")
