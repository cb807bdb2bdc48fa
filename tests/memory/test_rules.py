from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge.errors import SettingsInvalid
from edge.memory.rules import OwnTable, Rules, parse_rules
from edge.memory.rules_text import fold
from edge.memory.rules_values import READERS
from edge.memory.units import SELF, Draft, Kind, SlotQuestion

HERE = Path(__file__).parent
TABLES = HERE.parents[1] / "edge" / "memory" / "tables"


def read_tables() -> list[str]:
    return [path.read_text(encoding="utf-8") for path in sorted(TABLES.glob("*.toml"))]


RULES = parse_rules(read_tables())


def cases(name: str) -> Iterator[str]:
    for path in sorted((HERE / "cases").glob(f"{name}_*.txt")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and not line.startswith("#"):
                yield line


def pairs(name: str) -> list[tuple[str, str]]:
    return [(text, wanted) for text, _, wanted in (line.rpartition(" => ") for line in cases(name))]


def in_short(draft: Draft) -> str:
    subject = "" if draft.subject == SELF else f"({draft.subject})"
    return f"{'-' if draft.retracts else ''}{draft.slot}{subject}={draft.value}"


@pytest.mark.parametrize(("text", "wanted"), pairs("statements"))
def test_a_statement_gives_exactly_its_facts(text: str, wanted: str) -> None:
    found = sorted(in_short(draft) for draft in RULES.find_facts(text))
    assert found == sorted(re.split(r", (?=-?[a-z_]+[:(=])", wanted))


@pytest.mark.parametrize("text", list(cases("lookalikes")))
def test_what_only_looks_like_a_fact_teaches_nothing(text: str) -> None:
    assert RULES.find_facts(text) == ()


@pytest.mark.parametrize(("text", "wanted"), pairs("questions"))
def test_a_question_names_its_slots(text: str, wanted: str) -> None:
    parsed = re.fullmatch(r"(\??)([^(]*?)(?: \((.*)\))?", wanted)
    assert parsed is not None
    slots, found = parsed[2].split(), RULES.find_question(text)
    assert found is not None
    assert found.slots[0] == slots[0]
    assert set(slots) <= set(found.slots)
    assert (found.subject, found.certain) == (parsed[3] or SELF, not parsed[1])


@pytest.mark.parametrize("text", list(cases("not_questions")))
def test_what_asks_for_no_slot_is_no_slot_question(text: str) -> None:
    assert RULES.find_question(text) is None


@pytest.mark.parametrize(("text", "_wanted"), pairs("statements"))
def test_a_statement_is_not_a_certain_question(text: str, _wanted: str) -> None:
    found = RULES.find_question(text)
    assert found is None or not found.certain


def test_there_are_enough_cases_in_both_languages() -> None:
    for name, least in (("statements", 150), ("questions", 150), ("lookalikes", 120)):
        lines = list(cases(name))
        chinese = sum(not line.rpartition(" => ")[0 if " => " in line else 2].isascii() for line in lines)
        assert len(lines) >= least
        assert chinese >= 0.35 * len(lines)


# --- what a draft says -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "content", "kind"),
    [
        ("My phone number is 138-0013-8000.", "The user's phone number is 138-0013-8000.", Kind.USER_PROFILE),
        ("我的电话号码是138-0013-8000。", "用户的电话号码是138-0013-8000。", Kind.USER_PROFILE),
        ("我的电话是一三八零零一三八零零零", "用户的电话号码是13800138000。", Kind.USER_PROFILE),
        ("My sister's phone is 0151 2345678", "The user's sister's phone number is 0151 2345678.", Kind.FACT_REFERENCE),
        ("我姐姐的电话是13900001111", "用户的姐姐的电话号码是13900001111。", Kind.FACT_REFERENCE),
        ("Anna's number is 030 445566.", "Anna's phone number is 030 445566.", Kind.FACT_REFERENCE),
        ("my order number is a-20391", "The user's order number is a-20391.", Kind.FACT_REFERENCE),
        ("我的 order number 是 ABC123，明天 ship", "用户的订单号是ABC123。", Kind.FACT_REFERENCE),
        ("I don't like coffee any more", "The user no longer likes coffee.", Kind.USER_PROFILE),
        ("我不再喝咖啡了", "用户不再喜欢咖啡。", Kind.USER_PROFILE),
        ("I don't like mushrooms.", "The user does not like mushrooms.", Kind.USER_PROFILE),
        ("I like coffee if it's hot.", "The user likes coffee if it's hot.", Kind.USER_PROFILE),
        ("我最喜欢的颜色是绿色", "用户最喜欢的颜色是绿色。", Kind.USER_PROFILE),
        ("My dog's name is Rex.", "The user's dog is called Rex.", Kind.USER_PROFILE),
        ("购物车里有三件衬衫", "本次对话：用户的购物车里有三件衬衫。", Kind.SESSION_STATE),
        ("for now call me Captain", "The user's name is Captain.", Kind.SESSION_STATE),
    ],
)
def test_content_stands_by_itself_in_the_language_of_the_statement(text: str, content: str, kind: Kind) -> None:
    (draft,) = RULES.find_facts(text)
    assert (draft.content, draft.kind) == (content, kind)
    assert draft.session_only is (kind is Kind.SESSION_STATE)


def test_a_draft_shows_the_words_and_the_names_it_comes_from() -> None:
    (draft,) = RULES.find_facts("Hello! By the way, my phone number is +49 30 123456, call any time.")
    assert draft.quote == "my phone number is +49 30 123456"
    assert draft.entities == ("+49 30 123456",)


def test_of_two_values_in_one_message_the_correction_stays() -> None:
    found = RULES.find_facts("My number is 13800138000. No, it's 139-0013-8000.")
    assert [draft.value for draft in found] == ["13900138000"]


def test_a_bare_i_am_is_less_certain() -> None:
    (bare,), (named,) = RULES.find_facts("I'm Zhang Wei."), RULES.find_facts("My name is Zhang Wei.")
    assert bare.confidence < named.confidence


@pytest.mark.parametrize(
    "number", ["138-0013-8000", "138 0013 8000", "１３８００１３８０００", "一三八零零一三八零零零", "13800138000"]
)
def test_a_number_has_one_normal_form_however_it_is_written(number: str) -> None:
    assert [d.value for d in RULES.find_facts(f"我的电话是{number}")] == ["13800138000"]
    spaced = RULES.find_facts(f"My phone number is {number}")
    assert [d.value for d in spaced] == ["13800138000"]


# --- the talk at hand ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("I have 3 shirts in my cart", True),
        ("we are at step 4 now", True),
        ("For now, keep the answers short.", True),
        ("Remove the last one from my basket", True),
        ("Is this offer still valid?", True),
        ("In this chat please answer in French.", True),
        ("购物车里那件先别删", True),
        ("这一步怎么填？", True),
        ("这次报价能再低一点吗", True),
        ("暂时用中文回答", True),
        ("My name is Will", False),
        ("我的订单号是A-20391", False),
        ("What's the weather like?", False),
        ("今天天气怎么样", False),
        ("I put a hat in my cart. My phone number is 0171 2345678.", False),
    ],
)
def test_what_concerns_this_talk_only(text: str, wanted: bool) -> None:
    assert RULES.session_only(text) is wanted


# --- slots and tables ------------------------------------------------------------------------------------------


def test_every_slot_has_labels_and_names_slots_that_exist() -> None:
    for name, slot in RULES.slots.items():
        assert slot.name == name
        assert slot.labels["en"]
        assert slot.labels["zh"]
        assert {base.rstrip(":") for base in slot.also} <= set(RULES.slots)


def test_a_topic_is_a_slot_of_its_own() -> None:
    slot = RULES.slots["favorite:color"]
    assert (slot.name, slot.labels["en"], slot.labels["zh"]) == ("favorite:color", "favourite color", "最喜欢的颜色")
    assert "favorite:color" in RULES.slots
    assert "name:color" not in RULES.slots
    with pytest.raises(KeyError):
        RULES.slots["hat_size"]


OWN_TABLE = """
[slots.ticket_id]
reader = "code"
kind = "fact_reference"
many = true
labels = { en = "ticket number", zh = "工单号" }
content = { en = "{Whose} ticket number is {value}.", zh = "{whose}工单号是{value}。" }
nouns = ["ticket number", "ticket", "工单号"]
"""


def test_a_table_of_ones_own_gets_every_way_of_saying_and_asking() -> None:
    rules = parse_rules([*read_tables(), OWN_TABLE])
    assert [in_short(d) for d in rules.find_facts("My ticket number is T-77.")] == ["ticket_id=T-77"]
    assert [in_short(d) for d in rules.find_facts("我的工单号是T-77")] == ["ticket_id=T-77"]
    assert rules.find_question("what's my ticket number?") == SlotQuestion(("ticket_id",))
    assert rules.find_question("我的工单号是多少") == SlotQuestion(("ticket_id",))


def test_a_later_table_adds_words_to_a_slot() -> None:
    rules = parse_rules([*read_tables(), '[slots.phone]\nnouns = ["handy"]'])
    assert [d.value for d in rules.find_facts("My handy is 0171 2345678")] == ["01712345678"]
    assert [d.value for d in rules.find_facts("My phone is 0171 2345678")] == ["01712345678"]


@pytest.mark.parametrize(
    ("table", "named"),
    [
        ("slots = [", "not TOML"),
        ("[colours]\na = {}", "colours"),
        (OWN_TABLE + 'states = ["(unclosed"]', "slots.ticket_id.states"),
        (OWN_TABLE + 'states = ["{nobody} is {value}"]', "{nobody}"),
        (OWN_TABLE + 'states = ["is {value:shoe}"]', "shoe"),
        (OWN_TABLE + "colour = 3", "slots.ticket_id.colour"),
        (OWN_TABLE + 'core = "yes"', "slots.ticket_id.core"),
        (OWN_TABLE + "asks = [3]", "slots.ticket_id.asks"),
        (OWN_TABLE + 'also = "name"', "slots.ticket_id.also"),
        (OWN_TABLE.replace('"code"', '"codes"'), "codes"),
        (OWN_TABLE.replace("fact_reference", "fact"), "slots.ticket_id.kind"),
        (OWN_TABLE.replace("{value}.", "{worth}."), "slots.ticket_id.content.en"),
        (OWN_TABLE.replace(', zh = "工单号"', ""), "zh"),
        ("[slots.ticket_id]\nmany = true", "reader"),
        ('[slots."Bad Name"]\nmany = true', "Bad Name"),
        ('[language.fr]\njoins = ["et"]', "fr"),
        ('[language.en]\nwords = ["and"]', "words"),
        ('[relations.aunt]\nfr = ["tante"]', "relations.aunt.fr"),
    ],
)
def test_a_bad_table_is_refused_and_its_entry_named(table: str, named: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        parse_rules([], OwnTable("/etc/edge/rules.toml", table))
    assert named in caught.value.message
    assert caught.value.message.startswith("/etc/edge/rules.toml")


# --- any text at all -------------------------------------------------------------------------------------------

SPOKEN = (
    "my name is call me 我的 电话 是 叫 我 13800138000 A-20391 order number , . ? ！ ， I like "
    "and don't \" ' ` ``` # 喜欢 Bob 张伟 <| \x00 \ud800 \n if said sister's what's 什么 吗 、 "
    "in my cart May 3 live Berlin b@example.org"
)
WORDS = st.sampled_from(SPOKEN.split(" "))
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=300),
    st.lists(WORDS, max_size=60).map(" ".join),
    st.lists(WORDS, max_size=60).map("".join),
)


@given(TEXTS)
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_and_every_draft_stands_in_it(text: str) -> None:
    RULES.find_question(text)
    RULES.session_only(text)
    for draft in RULES.find_facts(text):
        assert 0 < len(draft.content) <= 150
        assert draft.quote is not None
        assert draft.quote in text
        assert draft.slot in RULES.slots
        assert draft.subject
        assert draft.value
        for entity in draft.entities:
            assert all(word in fold(text) for word in re.findall(r"[A-Za-z]{2,}", entity))
        draft.content.encode("utf-8")


REPEATED = [
    "a",
    "1",
    ", ",
    "my ",
    "我",
    "I like ",
    "我喜欢",
    "my name is A ",
    "1-",
    "a@",
    "a.",
    "A ",
    "'a",
    '"',
    "`",
    "「",
    "and ",
    "hi ",
    "what is my ",
    "我的电话",
    "。",
    "\ud800",
    "\x00",
    "I live in Aa ",
    "a, ",
    "+1 ",
    "是我的",
    "not ",
    "\n",
    "is my name ",
]


@pytest.mark.parametrize("piece", REPEATED)
@pytest.mark.parametrize("chars", [3_900, 100_000])
def test_repetition_is_read_in_linear_time(piece: str, chars: int) -> None:
    """A pattern that backtracks exponentially, or cubically over a message, would not end within the test run."""
    text = piece * (chars // len(piece))
    for whole in (text, f"My name is Bob.\n{text}\n我的电话是13800138000"):
        RULES.find_question(whole)
        RULES.session_only(whole)
    found = RULES.find_facts(f"My name is Bob.\n{'.' * 4000}{text}\n我的电话是13800138000")
    assert {"name", "phone"} >= {draft.slot for draft in found if draft.slot in ("name", "phone")}


def test_of_a_paste_the_persons_own_words_around_it_are_read() -> None:
    log = "at org.example.Main: my order number is X-1\n" * 3000
    found = RULES.find_facts(f"My name is Bob, here is the log.\n{log}My phone number is 0171 2345678")
    assert [in_short(draft) for draft in found] == ["name=bob", "phone=01712345678"]


def test_rules_are_read_from_several_tables_in_any_order() -> None:
    rules: Rules = parse_rules(reversed(read_tables()))
    assert [in_short(d) for d in rules.find_facts("My name is Bob.")] == ["name=bob"]


def test_every_pattern_of_the_tables_is_one() -> None:
    """Patterns are compiled when a sentence needs them: one that is none would fail a person's turn."""
    parse_rules(read_tables()).compile(None)


def test_what_tells_intents_is_compiled_first(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = parse_rules(read_tables())
    compiling = rules.compiling()
    for _ in range(400):
        next(compiling)
    monkeypatch.setattr(re, "compile", lambda *_: pytest.fail("a turn waits for a pattern"))
    rules._intents.of("When did I last descale the kettle?")
    rules._intents.of("我上次给水壶除垢是什么时候？")


def test_they_are_compiled_one_by_one_and_each_once(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = parse_rules(read_tables())
    compiled: list[str] = []
    real = re.compile

    def compile_and_note(pattern: str, flags: int = 0) -> re.Pattern[str]:
        compiled.append(pattern)
        return real(pattern, flags)

    monkeypatch.setattr(re, "compile", compile_and_note)
    compiling = rules.compiling()
    next(compiling)
    assert len(compiled) == 1
    items = 1 + sum(1 for _ in compiling)
    assert len(compiled) == items > 300
    rules.find_facts("Hello! My name is Zhang Wei. 我养了一只叫团团的猫。")
    rules.find_question("我的猫叫什么？ What is my name?")
    assert len(compiled) == items


# --- corrections -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("told", "said", "wanted"),
    [
        ("My birthday is March 3.", "No, it's March 4.", "birthday=--03-04"),
        ("My sister's number is 0151 2345678.", "Sorry, 0151 2345679", "phone(sister)=01512345679"),
        ("我妈的生日是5月1号。", "不对，是5月2号。", "birthday(mother)=--05-02"),
        ("My name is Bob and my phone number is 0171 2345678.", "No, it's 0171 2345679.", "phone=01712345679"),
        ("My name is Bob and my phone number is 0171 2345678.", "No, it's Rob.", "name=rob"),
        ("My favourite colour is green.", "No wait. Blue.", "favorite:color=blue"),
        ("我最喜欢的颜色是绿色。", "说错了，是蓝色。", "favorite:color=蓝色"),
        ("What's my phone number?", "No, it's 0171 2345679.", "phone=01712345679"),
        ("我的生日是哪天？", "不对，是5月2号。", "birthday=--05-02"),
    ],
)
def test_a_bare_correction_is_of_what_was_told_or_asked_last(told: str, said: str, wanted: str) -> None:
    assert [in_short(draft) for draft in RULES.find_facts(said, [(told, "OK.")])] == [wanted]
    assert RULES.find_facts(said, []) == () or "0171" in said


def test_a_correction_of_a_correction_reaches_back_to_what_was_told() -> None:
    before = [("My order number is A-201.", "OK."), ("No, it's A-202.", "OK."), ("Yes, right.", "OK.")]
    (draft,) = RULES.find_facts("Oh no, A-203.", before)
    assert (draft.slot, draft.value, draft.corrects, draft.replaces) == ("order_id", "A-203", True, "A-202")


@pytest.mark.parametrize(
    ("question", "answer", "wanted"),
    [
        ("What's my phone number?", "0171 2345679", "phone=01712345679"),
        ("我叫什么名字？", "张伟", "name=张伟"),
        ("What's my birthday?", "it's on May 3", "birthday=--05-03"),
    ],
)
def test_what_the_reply_asked_for_is_learnt_from_the_bare_answer(question: str, answer: str, wanted: str) -> None:
    assert [in_short(d) for d in RULES.find_facts(answer, [(question, "I don't know it yet. Would you tell me?")])] == [
        wanted
    ]
    assert RULES.find_facts(answer, [(question, "It is 5.")]) == ()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("My name is Bob.", "No, thanks."),
        ("My name is Bob. What's the capital of Peru?", "No, it's Lima."),
        ("The weather is fine.", "No, it's March 4."),
        ("My birthday is March 3.", "No, is it March 4?"),
        ("我叫张伟。", "不用了，谢谢。"),
        ("My birthday is March 3.", "Yes, it's March 3."),
        ("My birthday is March 3.", "No, it's March 3, as I said."),
    ],
)
def test_what_only_begins_as_a_correction_changes_nothing(told: str, said: str) -> None:
    assert RULES.find_facts(said, [(told, "OK.")]) == ()


@pytest.mark.parametrize("text", [*"aA5Z?#我订单名号", "ok", "no", "不"])
def test_a_single_letter_is_no_fact_and_no_question(text: str) -> None:
    before = [("My order number is A-20391.", "OK?"), ("What's my order number?", "What is it?")]
    assert RULES.find_facts(text, before) == ()
    asked = RULES.find_question(text)
    assert asked is None or not asked.certain


def test_a_value_that_ends_as_a_sentence_does_is_told_with_one_stop() -> None:
    (fact,) = RULES.find_facts("My birthday is on 14 September.")
    assert fact.content == "The user's birthday is 14 September."


def test_a_reply_that_asks_without_a_question_mark_asks() -> None:
    (fact,) = RULES.find_facts("13800138000", [("我的电话是多少", "我还不知道，可以告诉我吗")])
    assert in_short(fact) == "phone=13800138000"


@pytest.mark.parametrize("said", ["not foo, March 4", "no, not the 3rd, March 4", "不是三号，是3月4日"])
def test_a_correction_may_deny_what_is_no_date(said: str) -> None:
    facts = RULES.find_facts(said, [("My birthday is March 3.", "OK.")])
    assert [in_short(fact) for fact in facts] in ([], ["birthday=--03-04"])


@given(st.sampled_from(sorted(READERS)), st.text(max_size=20))
def test_a_reader_takes_any_text(name: str, text: str) -> None:
    read = READERS[name].read(text)
    assert read is None or len(read) == 2
