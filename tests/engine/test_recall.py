"""Recall: rules first, then search; what is not for this question stays away; nothing reliable is said so."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from edge.engine.answers import Answers
from edge.engine.model_ports import QueryEmbedding
from edge.engine.ports import Mask, Scope, Vector
from edge.engine.recall import Found, Limits, Recall
from edge.engine.vectors import Vectors
from edge.errors import EmbedderFailed
from edge.memory.clusters import Create, Placement, Profile, StagedNumber, Why
from edge.memory.ranking import Ranker
from edge.memory.units import Draft, Kind, OwnerId, SessionId, Source, Stage, TurnState, UnitId
from edge.memory.weights import WEIGHTS
from tests.engine.making import ANN, BOB, MAIN, OTHER, Desk, remembered
from tests.fakes.embedder import HashEmbedder
from tests.fakes.vector_index import ExactIndex
from tests.memory.test_rules import RULES


class BrokenEmbedder(HashEmbedder):
    """Embeds what is stored and fails at questions."""

    def read_query(self, text: str) -> QueryEmbedding:
        raise EmbedderFailed("The network broke off.")


class CountingEmbedder(HashEmbedder):
    """Counts questions."""

    asked = 0

    def read_query(self, text: str) -> QueryEmbedding:
        self.asked += 1
        return super().read_query(text)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def ask(
    desk: Desk, query: str, *, session: SessionId | None = MAIN, owner: OwnerId = ANN, limit: int | None = None
) -> Found:
    desk.clock.pass_by(minutes=1)
    return desk.recall.find(Scope(owner, session, desk.clock.now()), query, limit)


def contents(found: Found) -> list[str]:
    return [recalled.unit.content for recalled in found.recalled]


@pytest.mark.parametrize(
    ("told", "question", "answer"),
    [
        ("My name is Zhang Wei.", "What is my name?", "Zhang Wei"),
        ("我叫小王。", "我叫什么名字？", "小王"),
        ("My order number is ORD-55871.", "What's my order number?", "ORD-55871"),
        ("我的订单号是ORD-55871。", "我的订单号是多少？", "ORD-55871"),
    ],
)
def test_a_certain_hit_of_the_rules_ends_recall(told: str, question: str, answer: str) -> None:
    embedder = CountingEmbedder()
    desk = Desk(embedder=embedder)
    desk.say(told)
    desk.say("Something else about names, numbers and orders. 名字和订单号。")
    found = ask(desk, question, session=OTHER)
    assert [recalled.stage for recalled in found.recalled] == [Stage.RULE]
    assert answer in contents(found)[0]
    assert found.recalled[0].score == 1.0
    assert embedder.asked == 0
    assert found.empty_slot is None
    assert not found.nothing_to_go_on


@pytest.mark.parametrize("question", ["What is my phone number?", "我的电话号码是多少？", "what's my phone number"])
def test_a_slot_that_was_never_filled_stays_empty_however_often_it_is_asked_for(desk: Desk, question: str) -> None:
    desk.say("I bought a new phone, its screen is bright. 我买了新电话。")
    for _ in range(3):
        found = ask(desk, question)
        assert found.empty_slot is not None
        assert "phone" in found.empty_slot.slots
        assert found.nothing_to_go_on
        desk.say(question)


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("I called about my order, but they did not know the number.", "What is my order number?"),
        ("我打电话问我的订单，他们说没有我的订单号。", "我的订单号是多少？"),
        ("I forgot my e-mail address again.", "What is my e-mail address?"),
    ],
)
def test_words_about_a_slot_without_a_value_do_not_fill_it(desk: Desk, told: str, question: str) -> None:
    desk.say(told)
    assert ask(desk, question).empty_slot is not None


def test_words_that_hold_a_value_may_stand_in_for_a_slot(desk: Desk) -> None:
    desk.say("Tracking my order number today: it says 77120045 there.")
    found = ask(desk, "Tracking my order number: what does it say there today?")
    assert found.recalled


def test_a_search_that_could_not_be_made_is_not_called_nothing(desk: Desk) -> None:
    lame = Recall(desk.store, RULES, Vectors(), Limits(200, 8, 0.35, 0.4), desk.clock)
    found = lame.find(Scope(ANN, MAIN, desk.clock.now(), present=True), "What did you recommend to me?")
    assert found.degraded == ("vectors",)
    assert not found.nothing_to_go_on


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("My sister's phone number is 0151 2345678.", "What is my phone number?"),
        ("我姐姐的电话号码是13800138000。", "我的电话号码是多少？"),
    ],
)
@pytest.mark.parametrize("way", ["in a turn", "as a statement"])
def test_what_is_anothers_is_no_answer(desk: Desk, told: str, question: str, way: str) -> None:
    if way == "in a turn":
        desk.say(told)
    else:
        desk.remember.statement(ANN, MAIN, told, desk.clock.now())
        desk.embed()
    found = ask(desk, question)
    assert found.recalled == ()
    assert found.empty_slot is not None


@pytest.mark.parametrize(
    ("told", "taken_back", "question"),
    [
        ("I like coffee.", "I no longer drink coffee.", "What do I like?"),
        ("I like to drink coffee.", "I stopped drinking coffee.", "What do I like to drink?"),
        ("我喜欢喝咖啡。", "我不喝咖啡了。", "我喜欢喝什么？"),
        ("我喜欢喝咖啡。", "我不再喝咖啡了。", "我喜欢什么？"),
    ],
)
def test_words_that_were_taken_back_since_are_no_answer(desk: Desk, told: str, taken_back: str, question: str) -> None:
    desk.say(told)
    assert ask(desk, question).recalled
    desk.say(taken_back)
    assert told not in contents(ask(desk, question))
    desk.say(told)
    assert ask(desk, question).recalled


@pytest.mark.parametrize(
    ("told", "taken_back", "question"),
    [
        ("I love coffee.", "I don't like coffee any more.", "Do I love coffee?"),
        ("我喜欢喝咖啡。", "我不再喝咖啡了。", "我喜欢喝咖啡吗？"),
    ],
)
def test_what_was_taken_back_is_no_measure_for_what_took_it_back(
    desk: Desk, told: str, taken_back: str, question: str
) -> None:
    desk.say(told)
    desk.say(taken_back)
    found = contents(ask(desk, question))
    assert taken_back in found
    assert told not in found


@pytest.mark.parametrize(
    ("told", "question", "guess"),
    [
        (["I like tea.", "I don't like coffee any more."], "Do I like coffee?", "The user likes tea."),
        (["我喜欢喝茶。", "我不再喝咖啡了。"], "我喜欢咖啡吗？", "用户喜欢喝茶。"),
    ],
)
def test_what_the_rules_only_guess_stands_behind_what_is_nearer(
    desk: Desk, told: list[str], question: str, guess: str
) -> None:
    for words in told:
        desk.say(words)
    found = contents(ask(desk, question))
    assert guess in found[1:]
    assert found[0] != guess


@pytest.mark.parametrize(
    ("told", "question", "answers"),
    [
        ("My cousin Nate lives in Oslo.", "What is Nate's favourite dish?", False),
        ("Nate eats a lot of lasagne, which is his favourite.", "What is Nate's favourite dish?", True),
        ("My cousin Nate lives in Oslo.", "What is my cousin's phone number?", False),
        ("我同事小刚住在青岛。", "小刚的电话是多少？", False),
    ],
)
def test_what_the_rules_read_as_other_things_is_no_answer(
    desk: Desk, told: str, question: str, *, answers: bool
) -> None:
    desk.say(told)
    found = ask(desk, question)
    assert bool(found.recalled) is answers
    assert (found.empty_slot is None) is answers


def test_a_question_that_asks_for_more_is_searched_too(desk: Desk) -> None:
    desk.say("The castle in my city has a moat.")
    desk.say("I live in Hamburg.")
    found = ask(desk, "Which castle is there in the city I live in?")
    assert any("moat" in content for content in contents(found))


@pytest.mark.parametrize(
    ("told", "query"),
    [
        ("我养了一只黑猫。", "猫"),
        ("请查一下我的订单。", "订单"),
        ("The zeppelin leaves at nine.", "When does the zeppelin leave?"),
        ("Der Zug fährt um neun 🙂", "🙂 Zug"),
    ],
)
def test_what_was_said_is_found(desk: Desk, told: str, query: str) -> None:
    desk.say("Bread is in the oven. 面包在烤箱里。")
    desk.say(told)
    found = ask(desk, query)
    assert told in contents(found)


@pytest.mark.parametrize("query", ['"foo" OR NEAR( *', "a-b", "🙂", "'\"", "\ud800", "？", " ", "*", "x" * 100_000])
def test_any_query_is_text(desk: Desk, query: str) -> None:
    desk.say("The zeppelin leaves at nine.")
    assert ask(desk, query).recalled == ()


def test_a_scope_is_kept(desk: Desk) -> None:
    desk.say("The zeppelin leaves at nine.")
    remembered(desk.store, Draft(Kind.SESSION_STATE, "The zeppelin is booked."), session=MAIN)
    desk.embed()
    assert len(ask(desk, "zeppelin").recalled) == 2
    assert len(ask(desk, "zeppelin", session=OTHER).recalled) == 1
    assert ask(desk, "zeppelin", owner=BOB).recalled == ()
    early = Scope(ANN, MAIN, desk.clock.now() - timedelta(days=1))
    assert desk.recall.find(early, "zeppelin").recalled == ()
    kinds = Scope(ANN, MAIN, desk.clock.now(), frozenset({Kind.SESSION_STATE}))
    assert [r.unit.kind for r in desk.recall.find(kinds, "zeppelin").recalled] == [Kind.SESSION_STATE]


def test_what_expired_or_was_forgotten_is_not_found(desk: Desk) -> None:
    end = desk.clock.now() + timedelta(hours=1)
    desk.remember.drafts(
        ANN, MAIN, [Draft(Kind.TOOL_RESULT, "The zeppelin is late.", valid_until=end)], desk.clock.now()
    )
    desk.say("The zeppelin leaves at nine.")
    gone = desk.units()[-1].id
    assert len(ask(desk, "zeppelin").recalled) == 2
    desk.forget(ANN, [gone])
    assert contents(ask(desk, "zeppelin")) == ["The zeppelin is late."]
    desk.clock.pass_by(hours=1)
    assert ask(desk, "zeppelin").recalled == ()


def test_an_index_that_is_not_whole_is_said_and_searched_all_the_same(desk: Desk) -> None:
    desk.say("The zeppelin leaves at nine.")
    index = desk.vectors.index
    assert isinstance(index, ExactIndex)
    index.lost = 1
    found = ask(desk, "zeppelin")
    assert found.degraded == ("index",)
    assert contents(found) == ["The zeppelin leaves at nine."]
    assert "dense" in found.recalled[0].signals
    nothing = ask(desk, "What did you recommend to me?")
    assert (nothing.recalled, nothing.nothing_to_go_on) == ((), False)
    index.lost = 0
    assert ask(desk, "What did you recommend to me?").nothing_to_go_on


def test_damage_that_a_search_itself_finds_is_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.say("齐柏林飞艇九点起飞。")
    index = desk.vectors.index
    assert isinstance(index, ExactIndex)
    whole_search = index.search

    def finds_damage(vector: Vector, limit: int, allowed: Mask | None) -> list[tuple[UnitId, float]]:
        index.lost = 1
        return whole_search(vector, limit, allowed)

    monkeypatch.setattr(index, "search", finds_damage)
    found = ask(desk, "你给我推荐了什么？")
    assert (found.degraded, found.nothing_to_go_on) == (("index",), False)


def test_while_most_is_not_embedded_nothing_found_is_not_called_nothing(desk: Desk) -> None:
    desk.vectors.mostly_missing = True
    found = ask(desk, "你给我推荐了什么？")
    assert (found.recalled, found.degraded) == ((), ("embeddings",))
    assert not found.nothing_to_go_on
    desk.embed()
    assert ask(desk, "你给我推荐了什么？").degraded == ()


@pytest.mark.parametrize("vectors", [Vectors(), "broken"])
def test_without_vectors_recall_goes_on_and_says_so(vectors: Vectors | str) -> None:
    desk = Desk(embedder=BrokenEmbedder())
    if isinstance(vectors, Vectors):
        limits = Limits(200, 8, 0.35, 0.5)
        desk.recall = Recall(desk.store, RULES, vectors, limits, desk.clock)
    desk.say("The zeppelin leaves at nine.")
    found = ask(desk, "zeppelin")
    assert found.degraded == ("vectors",)
    assert contents(found) == ["The zeppelin leaves at nine."]


def test_only_so_many_are_returned_and_the_others_named(desk: Desk) -> None:
    for n in range(12):
        desk.say(f"The zeppelin flew over town number {n}.")
    found = ask(desk, "zeppelin", limit=3)
    assert len(found.recalled) == 3
    assert any("best 3" in why for _, why in found.dropped)
    scores = [recalled.score for recalled in found.recalled]
    assert scores == sorted(scores, reverse=True)


def test_with_a_limit_of_0_nothing_is_claimed_about_memory(desk: Desk) -> None:
    desk.say("My name is Zhang Wei.")
    found = ask(desk, "What is my name?", limit=0)
    assert found.recalled == ()
    assert found.empty_slot is None
    assert not found.nothing_to_go_on


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("What did you recommend to me?", "I recommend the harbour tour and the old castle."),
        ("你推荐的港口游览几点开始？", "我推荐港口游览和城堡。"),
    ],
)
def test_the_assistants_own_words_are_found(desk: Desk, question: str, reply: str) -> None:
    turn = desk.remember.begin_turn(ANN, MAIN, "What should I see in town?", desk.clock.now()).turn
    assert turn is not None
    desk.remember.finish_turn(
        ANN, MAIN, turn, reply, TurnState.DONE, ["What should I see?"], desk.clock.now(), session_only=False
    )
    desk.embed()
    found = ask(desk, question)
    assert any(r.unit.source is Source.ASSISTANT for r in found.recalled)


@pytest.mark.parametrize(
    ("told", "question"),
    [
        ("My sister Hannah works as a nurse in Bergen.", "Where does Hannah work?"),
        ("我姐姐陈思敏在成都当护士。", "陈思敏在哪里工作？"),
    ],
)
def test_what_is_said_of_somebody_by_name_is_searched(desk: Desk, told: str, question: str) -> None:
    desk.say(told)
    found = ask(desk, question)
    assert not any("slot that is empty" in why for _, why in found.dropped)


@pytest.mark.parametrize(
    ("told", "question"),
    [("My sister lives in Kyoto.", "Where does my sister work?"), ("我姐姐住在京都。", "我姐姐在哪里工作？")],
)
def test_a_relation_of_whom_a_slot_is_empty_is_not(desk: Desk, told: str, question: str) -> None:
    desk.say(told)
    assert ask(desk, question).empty_slot is not None


def test_small_talk_is_not_about_the_past(desk: Desk) -> None:
    for message in ("Hello!", "你好", "What is the capital of France?"):
        assert not ask(desk, message).nothing_to_go_on


def test_vectors_find_what_shares_no_stem(desk: Desk) -> None:
    desk.say("The zeppelin leaves at nine.")
    vector = HashEmbedder().embed_query("The zeppelin leaves at nine.")
    assert np.isclose(np.linalg.norm(vector), 1.0)
    allowed = desk.store.visible(Scope(ANN, MAIN, desk.clock.now()))
    assert list(desk.vectors.nearest(HashEmbedder().embed_query("the zeppelin leaves"), 5, allowed)) == [1]


@pytest.mark.parametrize(
    ("filler", "fact", "question"),
    [
        ("The weather was fine and we walked on. ", "The zeppelin leaves at nine.", "When does the zeppelin leave?"),
        ("天气很好，我们继续走。", "飞艇九点起飞。", "飞艇几点起飞？"),
    ],
)
def test_of_a_long_text_the_passage_that_matched_is_told(desk: Desk, filler: str, fact: str, question: str) -> None:
    desk.say(filler * 80 + fact + filler * 80)
    (recalled,) = ask(desk, question).recalled
    assert recalled.passage is not None
    assert fact in recalled.passage
    assert len(recalled.passage) < len(recalled.unit.content) / 3
    assert recalled.told.content == recalled.passage
    assert recalled.told.id == recalled.unit.id


def test_a_short_text_is_told_whole(desk: Desk) -> None:
    desk.say("The zeppelin leaves at nine.")
    (recalled,) = ask(desk, "When does the zeppelin leave?").recalled
    assert (recalled.passage, recalled.told) == (None, recalled.unit)


def test_the_words_before_an_answer_find_it(desk: Desk) -> None:
    for number in range(60):
        desk.say(f"The zeppelin number {number} is blue.", session=OTHER)
    desk.say("When does the balloon leave?")
    desk.say("At nine, from the harbour.")
    found = desk.recall.find(Scope(ANN, MAIN, desk.clock.now()), "balloon", 30)
    names = {recalled.unit.content for recalled in [*found.recalled, *(dropped for dropped, _ in found.dropped)]}
    assert "At nine, from the harbour." in names


def heard(desk: Desk, who: str, words: str) -> None:
    """Somebody's words, as an import of a talk keeps them."""
    desk.clock.pass_by(minutes=1)
    draft = Draft(Kind.EPISODE, words, source=Source.IMPORT, subject=who)
    desk.remember.drafts(ANN, None, [draft], desk.clock.now())
    desk.embed()


@pytest.mark.parametrize(
    ("ann", "bob", "words", "asked"),
    [
        ("Ann", "Bob", "I sold my blue violin to a neighbour.", "Who did {} sell the blue violin to?"),
        ("小安", "小博", "我把蓝色的小提琴卖给了邻居。", "{}把蓝色的小提琴卖给了谁？"),
    ],
)
def test_what_one_person_said_is_no_answer_about_another(
    desk: Desk, ann: str, bob: str, words: str, asked: str
) -> None:
    heard(desk, ann, words)
    heard(desk, bob, "I slept well. 我睡得很好。")
    right, wrong = (ask(desk, asked.format(who)) for who in (ann, bob))
    assert right.recalled[0].unit.subject == ann
    assert wrong.recalled == ()
    assert wrong.nothing_to_go_on
    assert wrong.dropped[0][0].signals["contrast"] < 0 < right.recalled[0].signals["contrast"]


class ReadingEmbedder(HashEmbedder):
    """Notes how long the questions are."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[int] = []

    def read_query(self, text: str) -> QueryEmbedding:
        self.read.append(len(text))
        return super().read_query(text)


def test_a_pasted_book_is_not_read_whole_for_a_search() -> None:
    embedder = ReadingEmbedder()
    desk = Desk(embedder=embedder)
    desk.say("The zeppelin leaves at nine.")
    for book in ("When does the zeppelin leave? " * 30_000, "飞艇几点起飞？" * 50_000):
        ask(desk, book)
    assert max(embedder.read) < 10_000
    assert "The zeppelin leaves at nine." in contents(ask(desk, "When does the zeppelin leave?" + " " * 100_000))


@pytest.mark.parametrize(
    ("told", "question", "about_people"),
    [
        ("My sister's birthday is 3 May.", "What is my sister afraid of?", True),
        ("My sister's birthday is 3 May.", "What could I cook for my sister?", False),
        ("My sister's birthday is 3 May.", "What is my brother afraid of?", False),
        ("我妹妹的生日是5月3日。", "我妹妹怕什么？", True),
        ("我妹妹的生日是5月3日。", "我该给我妹妹做什么菜？", False),
        ("我妹妹的生日是5月3日。", "我弟弟怕什么？", False),
    ],
)
def test_whether_a_question_is_about_somebody_memory_knows(
    desk: Desk, told: str, question: str, about_people: bool
) -> None:
    desk.say(told)
    assert ask(desk, question).about_people == about_people


@pytest.mark.parametrize(
    ("question", "reply"),
    [("What is my sister afraid of?", "I don't know that yet."), ("我妹妹怕什么？", "这个我还不知道")],
)
@pytest.mark.parametrize("fast", [True, False])
def test_what_is_not_known_of_somebody_known_is_said_by_the_runtime(
    desk: Desk, question: str, reply: str, fast: bool
) -> None:
    desk.say("My sister's birthday is 3 May. 我妹妹的生日是5月3日。")
    found = replace(ask(desk, question), recalled=())
    told = Answers(RULES, fast=fast).reply(question, found)
    assert told is not None
    assert told.startswith(reply)


def test_more_is_told_to_guess_from(desk: Desk) -> None:
    desk.say("Nate keeps two turtles in his flat.")
    strict = Recall(desk.store, RULES, desk.vectors, Limits(200, 8, 0.999, 0.4), desk.clock)
    scope = Scope(ANN, MAIN, desk.clock.now(), present=True)
    assert not strict.find(scope, "Does Nate keep a hamster in his flat?").recalled
    assert strict.find(scope, "Would Nate keep a hamster in his flat?").recalled


@pytest.mark.parametrize(
    ("sentences", "key", "question"),
    [
        (("She said it was great fun.", "He said it was great fun."), "sailing club", "Was the sailing great fun?"),
        (("她说那次特别好玩。", "他说那次特别好玩。"), "帆船俱乐部", "帆船那次好玩吗？"),
    ],
)
def test_a_cluster_boosts_and_excludes_nothing(sentences: tuple[str, str], key: str, question: str) -> None:
    def order(weight: float, *, in_cluster: bool) -> list[tuple[UnitId, float]]:
        desk = Desk(limits=Limits(200, 8, 0.0, 0.0))
        for sentence in sentences:
            desk.say(sentence)
        if in_cluster:
            placed = [Placement(UnitId(1), StagedNumber(1), Why.PERSON)]
            made = [Create(StagedNumber(1), Profile(key), None, "")]
            desk.store.clusters.edit(ANN, "new", made, placed, desk.clock.now())
        weights = {name: replace(known, cluster=weight) for name, known in WEIGHTS.items()}
        limits = Limits(200, 8, 0.0, 0.0)
        recall = Recall(desk.store, RULES, desk.vectors, limits, desk.clock, ranker=Ranker(weights))
        found = recall.find(Scope(ANN, OTHER, desk.clock.now(), present=True), question)
        return [(recalled.unit.id, recalled.score) for recalled in found.recalled]

    assert [unit for unit, _ in order(0.0, in_cluster=True)] == [2, 1]
    assert [unit for unit, _ in order(2.0, in_cluster=True)] == [1, 2]
    assert order(2.0, in_cluster=False) == order(0.0, in_cluster=False) == order(0.0, in_cluster=True)


@pytest.mark.parametrize("question", ["Was the sailing great fun?", "帆船那次好玩吗？"])
def test_what_clusters_do_not_count_for_is_not_found_out(question: str) -> None:
    def asked(weight: float) -> int:
        desk = Desk()
        desk.say("Sailing was great fun. 帆船真好玩。")
        made = [Create(StagedNumber(1), Profile("sailing club"), None, "")]
        placed = [Placement(UnitId(1), StagedNumber(1), Why.PERSON)]
        desk.store.clusters.edit(ANN, "new", made, placed, desk.clock.now())
        looks = []
        signposts = desk.store.signposts
        desk.store.signposts = lambda *args: looks.append(args) or signposts(*args)  # type: ignore[method-assign, func-returns-value]
        ranker = Ranker({name: replace(known, cluster=weight) for name, known in WEIGHTS.items()})
        recall = Recall(desk.store, RULES, desk.vectors, Limits(200, 8, 0.0, 0.0), desk.clock, ranker=ranker)
        recall.find(Scope(ANN, OTHER, desk.clock.now(), present=True), question)
        return len(looks)

    assert asked(0.0) == 0
    assert asked(2.0) == 1


@pytest.mark.parametrize(
    ("told", "ways"),
    [
        (
            "The gate code is 4471.",
            (
                "What's the gate code?",
                "Good morning! What's the gate code?",
                "Hey edge, what is the gate code? Thanks!",
            ),
        ),
        (
            "车库的钥匙在红色的盒子里。",
            ("车库的钥匙在哪里？", "早上好！车库的钥匙在哪里？", "你好，车库的钥匙在哪里？谢谢！"),
        ),
    ],
)
def test_a_question_finds_the_same_however_often_and_however_politely_it_is_asked(
    desk: Desk, told: str, ways: tuple[str, ...]
) -> None:
    desk.say(told)
    assert contents(ask(desk, ways[0])) == [told]
    for way in (*ways, *ways):
        desk.say(way)
        found = ask(desk, way)
        assert contents(found) == [told], way
    assert set(ways) <= {each.unit.content for each, _ in found.dropped}  # and why they are not there can be seen


@pytest.mark.parametrize(
    ("before", "now", "question", "holds"),
    [
        ("I live in Bonn.", "I have moved to Kiel.", "Do I still live in Bonn?", "Kiel"),
        ("I live in Bonn.", "I have moved to Kiel.", "I still live in Bonn, right?", "Kiel"),
        ("我住在成都。", "我搬到西安了。", "我还住在成都吗？", "西安"),
        ("我住在成都。", "我搬到西安了。", "我现在是不是还住在成都？", "西安"),
    ],
)
def test_asked_by_a_value_that_was_replaced_what_holds_now_is_found(
    desk: Desk, before: str, now: str, question: str, holds: str
) -> None:
    desk.say(before)
    desk.say(now)
    found = ask(desk, question, session=OTHER)
    assert any(each.unit.slot == "home" and holds in each.unit.content for each in found.recalled)
    assert before not in contents(found)
    assert found.empty_slot is None  # it is evidence for the model, not the answer
