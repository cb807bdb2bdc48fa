"""What is asked for by its name in two pieces, and how it is called where it is not known."""

from __future__ import annotations

import pytest

from edge.errors import SettingsInvalid
from edge.memory.rules import OwnTable, parse_rules
from tests.memory.test_rules import RULES, read_tables


@pytest.mark.parametrize(
    ("question", "slot", "subject"),
    [
        ("What is the number of my order?", "order_id", "self"),
        ("Tell me the number of my order.", "order_id", "self"),
        ("What number is my order?", "order_id", "self"),
        ("Which number does my order have?", "order_id", "self"),
        ("What is my order's number?", "order_id", "self"),
        ("What's the number of my sister's flight?", "flight", "sister"),
        ("What is the number of my phone?", "phone", "self"),
        ("我那个订单是几号？", "order_id", "self"),
        ("我那笔订单是哪个号？", "order_id", "self"),
        ("我的订单是什么编号？", "order_id", "self"),
        ("我那个订单的编号是什么？", "order_id", "self"),
        ("我订单的号码是多少？", "order_id", "self"),
        ("我的发票的编号是多少？", "invoice_number", "self"),
    ],
)
def test_a_noun_in_two_pieces_certainly_asks_for_its_slot(question: str, slot: str, subject: str) -> None:
    asked = RULES.find_question(question)
    assert asked is not None
    assert (asked.slots[0], asked.subject, asked.certain) == (slot, subject, True)


@pytest.mark.parametrize(
    "question",
    [
        "What is the date of my order?",
        "What is the status of my order?",
        "What is the name of my order?",
        "Is the number of my order A-17?",
        "我的订单几号到？",
    ],
)
def test_what_else_is_asked_of_an_order_is_not_certainly_its_number(question: str) -> None:
    asked = RULES.find_question(question)
    assert asked is None or not asked.certain


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("What's my dog's name?", "dog's name"),
        ("What is the name of my cat?", "cat's name"),
        ("What is my hamster called?", "hamster's name"),
        ("What do I call my rabbit?", "rabbit's name"),
        ("What pets do I have?", "pet"),
        ("我的狗叫什么名字？", "狗的名字"),
        ("我的猫叫什么？", "猫的名字"),
        ("我的宠物叫什么名字？", "宠物的名字"),
        ("我养了什么宠物？", "宠物"),
        ("What is my nickname?", "nickname"),
        ("What is my name?", "name"),
        ("Where was I born?", "place of birth"),
        ("What is my WeChat?", "wechat account"),
        ("我的微信号是多少？", "微信账号"),
        ("What's my locker number?", "locker number"),
        ("我的车位号是多少？", "车位号"),
        ("我电脑的序列号是多少？", "电脑的序列号"),
        ("What is my laptop's serial number?", "laptop serial number"),
        ("When is my dentist appointment?", "appointment (dentist)"),
        ("我什么时候去看牙医？", "看牙医的时间"),
        ("When do I get up?", "usual time (get up)"),
        ("我几点起床？", "起床的时间"),
        ("我上次点了什么？", "上次的选择（点）"),
        ("What is my favourite colour?", "favourite color"),
        ("我最喜欢的颜色是什么？", "最喜欢的颜色"),
        ("What is my phone number?", "phone number"),
    ],
)
def test_what_is_not_known_is_called_as_it_was_asked_for(question: str, called: str) -> None:
    asked = RULES.find_question(question)
    assert asked is not None
    assert RULES.called_in(question, asked.slots[0]) == called


@pytest.mark.parametrize("entry", ['"(dog" = "dog"', '"dog" = "{what}"', '"dog" = 3'])
def test_a_table_of_ones_own_is_told_what_is_wrong_with_such_a_name(entry: str) -> None:
    table = OwnTable("rules.toml", f"[slots.pet.unknown]\n{entry}\n")
    with pytest.raises(SettingsInvalid, match=r"slots\.pet\.unknown"):
        parse_rules(read_tables(), table)
