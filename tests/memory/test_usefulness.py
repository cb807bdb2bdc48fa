"""Which memories a reply used, and what the person's next message says of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from edge.memory.relevance import Event
from edge.memory.units import Kind, Unit
from edge.memory.usefulness import used_units, verdict
from tests.memory.making import unit
from tests.memory.test_rules import RULES

ASSENT = RULES.assent


def remembered(content: str, value: str | None = None, *entities: str) -> Unit:
    return replace(unit(1, content, kind=Kind.FACT_REFERENCE), value=value, entities=entities)


PHONE = remembered("The user's phone number is 13800138000.", "13800138000")
COFFEE = remembered("The user likes black coffee.", "black coffee")
ORDER = remembered("The user's order number is ORD-55871.", "ORD-55871")
SEAT = remembered("The user prefers window seats.", "window")
SISTER = remembered("Ann's sister Marta lives in Lisbon.", None, "Marta", "Lisbon")
TALK = unit(1, "We planned the garden: tomatoes along the fence, beans behind the shed.")
ROUTER = remembered("The router restarts itself every night because of a firmware fault.")
CHILDREN = remembered("The user has 2 children.", "2")
FAULT = remembered("Creating the order failed with error 503, retry later.")
CODE = remembered("The locker's code is B7.", "B7")

PHONE_ZH = remembered("用户的电话号码是13800138000。", "13800138000")
TEA_ZH = remembered("用户喜欢喝乌龙茶。", "乌龙茶")
ORDER_ZH = remembered("用户的订单号是CN20260317。", "CN20260317")
SEAT_ZH = remembered("用户喜欢靠窗的座位。", "靠窗")
SISTER_ZH = remembered("用户的妹妹叫李娜，住在成都。", "李娜", "李娜", "成都")
TALK_ZH = unit(1, "我们计划在篱笆旁边种番茄，棚子后面种豆角。")
ROUTER_ZH = remembered("路由器每天晚上因为固件故障自动重启。")
CHILDREN_ZH = remembered("用户有2个孩子。", "2")
FAULT_ZH = remembered("创建订单失败，错误503，请稍后重试。")
CODE_ZH = remembered("储物柜的密码是B7。", "B7")

USED = [
    (PHONE, "What is my phone number?", "Your phone number is 13800138000."),
    (PHONE, "What is my phone number?", "It is 138-0013-8000."),
    (PHONE, "How can they reach me?", "I gave them 138 0013 8000."),
    (COFFEE, "What should I order?", "A black coffee, as always?"),
    (ORDER, "Track it for me", "ord-55871 is on its way."),
    (SEAT, "Book me a flight", "I booked it, a window seat in row 9."),
    (SISTER, "Whom could I visit in May?", "You could visit Marta."),
    (SISTER, "Where should I go in May?", "How about Lisbon, where your family is?"),
    (TALK, "What was our plan?", "Tomatoes along the fence and beans behind the shed."),
    (TALK, "Remind me of the plan", "Beans go behind the shed, tomatoes at the fence."),
    (ROUTER, "Why is the internet gone at night?", "The router restarts, a fault in its firmware."),
    (CHILDREN, "How many tickets for the zoo?", "One for you and 2 for the children."),
    (FAULT, "What went wrong?", "It was error 503."),
    (CODE, "How do I open it?", "The code is B7."),
    (PHONE_ZH, "我的电话号码是多少？", "你的电话号码是13800138000。"),
    (PHONE_ZH, "我的电话号码是多少？", "是138-0013-8000。"),
    (TEA_ZH, "今天喝什么？", "来一杯乌龙茶吧。"),
    (ORDER_ZH, "帮我查一下", "cn20260317 已经发货了。"),
    (SEAT_ZH, "帮我订票", "订好了，靠窗的位置。"),
    (SISTER_ZH, "五月我去看谁好？", "可以去看看李娜。"),
    (SISTER_ZH, "五月去哪里好？", "去成都怎么样？"),
    (TALK_ZH, "我们的计划是什么？", "篱笆旁边种番茄，棚子后面种豆角。"),
    (TALK_ZH, "提醒我一下", "番茄种在篱笆旁边，豆角种在棚子后面。"),
    (ROUTER_ZH, "晚上怎么没网？", "路由器自动重启了，是固件故障。"),
    (CHILDREN_ZH, "动物园要几张票？", "给孩子买 2 张。"),
    (FAULT_ZH, "出了什么问题？", "错误是503。"),
    (CODE_ZH, "怎么打开？", "密码是B7。"),
    (PHONE, "我的电话是多少？", "你的电话是 13800138000。"),
    (PHONE_ZH, "What is my number?", "It is 13800138000."),
]
UNUSED = [
    (PHONE, "What is my phone number?", "I don't know your phone number yet."),
    (PHONE, "My phone number is 13800138000.", "Noted: 13800138000."),
    (PHONE, "Is it 139 0013 9000?", "Yes, 139 0013 9000."),
    (COFFEE, "I feel like black coffee", "Then have a black coffee."),
    (COFFEE, "What should I drink?", "Some water would be good."),
    (ORDER, "Where is ORD-55871?", "ORD-55871 is on its way."),
    (ORDER, "What is my order number?", "Your order number is ORD-55872."),
    (SEAT, "Book me a flight", "It is booked."),
    (SISTER, "Tell me of Marta and Lisbon", "Marta is a name, Lisbon a city."),
    (TALK, "What was our plan?", "We did not plan anything."),
    (TALK, "Tomatoes or beans?", "Tomatoes, beans need more water."),
    (ROUTER, "What is the weather?", "It rains every day."),
    (CHILDREN, "When do we leave?", "At 12 o'clock."),
    (FAULT, "Did it work?", "I will look."),
    (CODE, "Where is the key?", "In the drawer."),
    (CODE, "What does it weigh?", "Ask in room AB71."),
    (PHONE_ZH, "我的电话号码是多少？", "我还不知道你的电话号码。"),
    (PHONE_ZH, "我的电话号码是13800138000。", "记住了，13800138000。"),
    (PHONE_ZH, "是13900139000吗？", "是的，13900139000。"),
    (TEA_ZH, "我想喝乌龙茶", "那就喝乌龙茶。"),
    (TEA_ZH, "今天喝什么？", "多喝水。"),
    (ORDER_ZH, "CN20260317到哪了？", "CN20260317 已经发货了。"),
    (ORDER_ZH, "我的订单号是多少？", "你的订单号是CN20260318。"),
    (SEAT_ZH, "帮我订票", "订好了。"),
    (SISTER_ZH, "李娜在成都吗？", "李娜在成都。"),
    (TALK_ZH, "我们的计划是什么？", "我们还没有计划。"),
    (TALK_ZH, "种番茄还是豆角？", "种番茄吧。"),
    (ROUTER_ZH, "今天天气怎么样？", "今天下雨。"),
    (CHILDREN_ZH, "几点出发？", "12点。"),
    (FAULT_ZH, "成功了吗？", "我看一下。"),
    (CODE_ZH, "钥匙在哪里？", "在抽屉里。"),
]


def test_there_are_sixty_cases_half_of_them_chinese() -> None:
    assert len(USED) + len(UNUSED) >= 60
    chinese = [case for case in USED + UNUSED if not case[2].isascii() or not case[1].isascii()]
    assert len(chinese) >= 28


@pytest.mark.parametrize(("known", "message", "reply"), USED)
def test_a_reply_that_holds_what_only_memory_had_used_it(known: Unit, message: str, reply: str) -> None:
    assert used_units(reply, message, [known]) == [known]


@pytest.mark.parametrize(("known", "message", "reply"), UNUSED)
def test_a_reply_that_does_without_did_not(known: Unit, message: str, reply: str) -> None:
    assert used_units(reply, message, [known]) == []


@pytest.mark.parametrize(
    "message",
    [
        *("No, that's wrong.", "that's old", "That is not right.", "Wrong!", "No, incorrect.", "you're mistaken"),
        *("That's my old address", "not any more", "That is no longer true, I moved.", "It's out of date"),
        *("不对", "不对，不是这个。", "这个号码不对", "那是旧的", "你记错了", "错了！", "那个地址过时了", "信息不准确"),
        *("not correct", "That's false", "thats wrong"),
    ],
)
def test_a_memory_misled(message: str) -> None:
    assert verdict(message, ASSENT) is Event.MISLED


@pytest.mark.parametrize(
    "message",
    [
        *(
            "Don't use that anymore",
            "ignore that",
            "Please do not mention it again.",
            "Never mind that",
            "Leave it out",
        ),
        *("stop bringing that up", "别再用这个了", "不要提那件事", "不用管它", "忽略这条", "先别考虑这个"),
    ],
)
def test_a_memory_is_not_to_be_used(message: str) -> None:
    assert verdict(message, ASSENT) is Event.IGNORED


@pytest.mark.parametrize(
    "message",
    [
        *(
            "Yes, that number.",
            "That's right, that number.",
            "Correct.",
            "Yes",
            "you're right",
            "Yes, it is still right",
        ),
        *("没错", "对，就是这个号码。", "是的，就是这个。", "你说得对", "还是这个号码", "这个没错", "对"),
        *("yup", "true", "thats right", "嗯嗯", "对啦。"),
    ],
)
def test_a_memory_is_right(message: str) -> None:
    assert verdict(message, ASSENT) is Event.CONFIRMED


@pytest.mark.parametrize(
    "message",
    [
        *("Is that right?", "No, thanks", "no", "No problem", "That's right up the street", "What's wrong with it"),
        *("The old bridge is wrong", "Right, next question", "I was wrong", "My car is old", "thank you"),
        *("不对吗？", "对不对", "我错了", "对不起", "不是", "这个不错", "好的", "我的车坏了", "这个对吗", "号码对吗？"),
        *("你记错了吗", "这个号码错了吗！", "嗯，你好", "true friends"),
    ],
)
def test_other_words_judge_nothing(message: str) -> None:
    assert verdict(message, ASSENT) is None


@pytest.mark.parametrize("filler", ["那", "don't ", "that is ", "Lapsang "])
def test_a_pasted_book_is_judged_by_its_beginning(filler: str) -> None:
    assert verdict("No, that's wrong. " + filler * 200_000, ASSENT) is Event.MISLED
    assert verdict(filler * 200_000 + "不对", ASSENT) is None
    assert used_units("It is 13800138000.", filler * 200_000, [PHONE]) == [PHONE]
