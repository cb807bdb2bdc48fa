"""Recall by what a turn is for: how much is told and how, in both languages."""

from __future__ import annotations

from datetime import UTC

import pytest

from edge.engine.planning import Planned, Planning
from edge.engine.ports import Scope
from edge.engine.recall import Limits
from edge.memory.intents import Label
from edge.memory.language import language_of
from edge.memory.plans import PLAIN, PLANS, Hint, plan_of
from edge.memory.units import Draft, Kind, SessionId, Stage
from edge.prompt.dated_words import Form
from edge.prompt.manner import PLAINLY
from tests.engine.making import ANN, OTHER, Desk, fact, remembered
from tests.memory.test_rules import RULES

LIMIT = 8


@pytest.fixture
def desk() -> Desk:
    return Desk(limits=Limits(200, LIMIT, 0.2, 0.1))


def plan(desk: Desk, message: str) -> Planned:
    desk.clock.pass_by(minutes=1)
    planning = Planning(desk.recall, desk.store, desk.store.truth, RULES, LIMIT, UTC)
    return planning.find(Scope(ANN, OTHER, desk.clock.now(), present=True), message)


def contents(planned: Planned) -> list[str]:
    return [each.told.content for each in planned.told]


@pytest.mark.parametrize(
    ("said", "question", "form", "told"),
    [
        (
            ("Yesterday I painted the garden shed.", "The garden shed is green.", "I like the garden shed."),
            "When did I paint the garden shed?",
            Form.DAY,
            "Yesterday I painted the garden shed.",
        ),
        (
            ("上周我刷了花园的木屋。", "花园的木屋是绿色的。", "我喜欢花园的木屋。"),
            "我什么时候刷的花园的木屋？",
            Form.WEEK_BEFORE,
            "上周我刷了花园的木屋。",
        ),
    ],
)
def test_asked_when_only_the_best_is_told_with_its_day(
    desk: Desk, said: tuple[str, ...], question: str, form: Form, told: str
) -> None:
    for words in said:
        desk.say(words)
    planned = plan(desk, question)
    assert planned.intent.label is Label.TEMPORAL
    assert len(planned.found.recalled) > 1
    assert contents(planned) == [told]
    assert [time.form for time in planned.manner.happened.values()] == [form]


@pytest.mark.parametrize(
    ("said", "question"),
    [("I painted the shed.", "When did I paint the shed?"), ("我刷了木屋。", "我什么时候刷的木屋？")],
)
def test_where_no_words_tell_the_time_the_day_they_were_said_stays(desk: Desk, said: str, question: str) -> None:
    desk.say(said)
    planned = plan(desk, question)
    assert contents(planned) == [said]
    assert not planned.manner.happened


@pytest.mark.parametrize(
    ("said", "question", "told"),
    [
        (
            "What a day it was at work with all these people. I read the book Momo. "
            "Then I cooked a soup for lunch and slept for a while. My neighbour came by to talk about the fence.",
            "What books have I read?",
            "I read the book Momo.",
        ),
        (
            "今天上班见了好多人，真的非常累，回家路上还下了大雨，鞋子全湿了，地铁也晚点了半个小时。我读了《毛毛》这本书。"
            "然后煮了汤当午饭，睡了一会儿，邻居过来聊了聊围墙的事，他说下个月要重新刷漆，问我们愿不愿意一起出钱，我说要再想一想。"
            "晚上又看了一会儿电视，新闻里说明天会更冷，我把厚衣服都找了出来，还给妈妈打了个电话，聊了很久才睡觉。",
            "我读过哪些书？",
            "我读了《毛毛》这本书。",
        ),
    ],
)
def test_asked_for_all_passages_are_told_and_a_list_is_asked_for(
    desk: Desk, said: str, question: str, told: str
) -> None:
    said += ("然后我们散了步。" if language_of(said) == "zh" else " Then we went for a walk.") * 40
    desk.say(said)
    planned = plan(desk, question)
    assert planned.intent.label is Label.AGGREGATE
    (passage,) = contents(planned)
    most = PLANS[Label.AGGREGATE].passage
    assert told in passage
    assert most is not None
    assert len(passage) <= most < len(said)
    assert planned.manner.hint is Hint.ALL


@pytest.mark.parametrize(
    ("noted", "said", "question"),
    [
        (
            "The choir of the church sings in the old town hall.",
            "The choir of the church sings in the town hall tomorrow.",
            "When does the choir of the church sing in the old town hall?",
        ),
        ("教堂合唱团在老市政厅演唱。", "教堂合唱团明天在市政厅演唱。", "教堂合唱团什么时候在老市政厅演唱？"),
    ],
)
def test_where_the_best_has_no_day_the_best_that_has_one_is_told_too(noted: str, said: str, question: str) -> None:
    desk = Desk(limits=Limits(200, LIMIT, 0.2, 0.0))
    desk.say(said)
    remembered(desk.store, fact(noted))
    desk.embed()
    planned = plan(desk, question)
    assert planned.found.recalled[0].unit.content == noted
    assert set(contents(planned)) == {noted, said}
    assert [time.form for time in planned.manner.happened.values()] == [Form.DAY]
    days = [each.unit.valid_from for each in planned.told]
    assert days == sorted(days)


@pytest.mark.parametrize(
    ("talk", "elsewhere", "question"),
    [
        ("I have read books: number {}.", "I have read books by Momo.", "What books have I read?"),
        ("我读了第{}本书。", "我读了《毛毛》这本书。", "我读过哪些书？"),
    ],
)
def test_a_list_is_of_several_talks(talk: str, elsewhere: str, question: str) -> None:
    desk = Desk(limits=Limits(200, LIMIT, 0.0, 0.0))
    desk.say(elsewhere, SessionId("long ago"))
    for number in range(11, 26):
        desk.say(talk.format(number))
    planned = plan(desk, question)
    assert planned.intent.label is Label.AGGREGATE
    assert len(planned.found.recalled) == LIMIT
    assert elsewhere in contents(planned)


@pytest.mark.parametrize("kind", [Kind.USER_PROFILE, Kind.FACT_REFERENCE])
@pytest.mark.parametrize(
    ("known", "question"),
    [
        ("Contacts are imported with care.", "How far is the import of the contacts?"),
        ("联系人要仔细导入。", "联系人导入到哪一步了？"),
    ],
)
def test_what_a_person_is_tells_of_no_progress(desk: Desk, kind: Kind, known: str, question: str) -> None:
    remembered(desk.store, Draft(kind, known))
    desk.embed()
    planned = plan(desk, question)
    assert planned.intent.label is Label.PROGRESS
    assert [each.unit.content for each in planned.found.recalled] == [known]
    assert contents(planned) == ([] if kind is Kind.USER_PROFILE else [known])


@pytest.mark.parametrize("message", ["What books have I read?", "我读过哪些书？"])
def test_no_list_of_nothing_is_asked_for(desk: Desk, message: str) -> None:
    assert plan(desk, message).manner.hint is None


@pytest.mark.parametrize(
    ("said", "message"), [("Good morning, I like mornings.", "good morning!"), ("早上好，我喜欢早上。", "早上好呀")]
)
def test_small_talk_looks_for_nothing(desk: Desk, said: str, message: str) -> None:
    desk.say(said)
    planned = plan(desk, message)
    assert planned.intent.label is Label.SMALL_TALK
    assert planned.found.recalled == planned.told == ()
    assert not planned.found.nothing_to_go_on
    assert desk.recall.find(Scope(ANN, OTHER, desk.clock.now(), present=True), message).recalled


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("From now on always give me temperatures in celsius.", "please write a note for the door"),
        ("以后都用摄氏度给我说温度。", "帮我写一张门口的便条"),
    ],
)
def test_what_is_to_be_done_is_told_with_the_standing_rules(desk: Desk, rule: str, message: str) -> None:
    desk.say(rule)
    planned = plan(desk, message)
    assert planned.plan.rules
    assert any(each.unit.slot == "instruction" for each in planned.told), contents(planned)


@pytest.mark.parametrize("limit", [1, 8])
@pytest.mark.parametrize("message", ["When is my appointment with the dentist?", "我什么时候看牙医？"])
def test_what_the_rules_found_is_told_whole(desk: Desk, message: str, limit: int) -> None:
    desk.say("My appointment with the dentist is on Friday at 9. 我周五九点看牙医。")
    found = desk.recall.find(Scope(ANN, OTHER, desk.clock.now(), present=True), message, limit)
    by_rule = [each for each in found.recalled if each.stage is Stage.RULE]
    told = plan(desk, message).told
    assert [each for each in told if each.stage is Stage.RULE] == by_rule


@pytest.mark.parametrize(
    ("first", "second", "question"),
    [
        ("I live in Bonn.", "I have moved to Kiel.", "Where do I live now?"),
        ("我住在北京。", "我搬到上海了。", "我现在住在哪里？"),
    ],
)
def test_of_what_changed_it_is_said_since_when(desk: Desk, first: str, second: str, question: str) -> None:
    desk.say(first)
    assert not plan(desk, question).manner.changed
    desk.say(second)
    planned = plan(desk, question)
    assert planned.intent.label is Label.CURRENT_STATE
    homes = {each.unit.id for each in planned.told if each.unit.kind is Kind.USER_PROFILE}
    assert homes
    assert planned.manner.changed == homes


@pytest.mark.parametrize(
    ("first", "second", "request_", "older", "newer"),
    [
        ("I live in Bonn.", "I live in Kiel.", "Plan a walk for me from home, I live in a flat", "Bonn", "Kiel"),
        ("我住在北京。", "我住在上海。", "帮我安排一下从我住的地方出发的散步", "北京", "上海"),
    ],
)
def test_before_a_plan_what_is_in_doubt_is_named(
    desk: Desk, first: str, second: str, request_: str, older: str, newer: str
) -> None:
    desk.say(first)
    assert plan(desk, request_).manner.doubt is None
    desk.say(second)
    doubt = plan(desk, request_).manner.doubt
    assert doubt is not None
    assert older in doubt.older
    assert newer in doubt.newer


def test_without_a_plan_all_that_was_found_is_told_as_it_is(desk: Desk) -> None:
    remembered(desk.store, fact("The user's favourite dish is lentil soup."))
    desk.embed()
    question = "What is my favourite dish?"
    planned = plan(desk, question)
    assert plan_of(planned.intent, question) == planned.plan == PLAIN
    assert planned.told == planned.found.recalled
    assert planned.told
    assert planned.manner == PLAINLY
