"""Made-up memories, half of them Chinese, and questions about them. They measure speed; they say nothing of quality."""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from edge.memory.units import Draft, Kind, Source


def _words(joined: str) -> tuple[str, ...]:
    return tuple(joined.split())


RULE_QUESTIONS = ("What is my phone number?", "What's my email?", "我的电话号码是多少？", "我叫什么名字？")

_NAMES = _words("Anna Ben Clara David Emma Felix Grace Henry Ida Jonas Kate Liam Mia Noah Olivia Paul")
_DOINGS = _words("bought repaired painted visited cooked planted read borrowed sold measured ordered photographed")
_THINGS = _words(
    "bicycle bookshelf kitchen garden lamp violin kettle blanket camera router radio backpack teapot ladder "
    "telescope printer aquarium carpet mirror window tomato chess piano sweater"
)
_PLACES = _words("Hamburg Kyoto Lisbon Oslo Porto Turin Vienna Ghent Bergen Malmo Graz Lyon")
_ADVERBS = _words("early late twice again quickly together alone happily slowly finally")

_ZH_NAMES = _words("小王 小李 老张 陈静 刘洋 赵敏 孙浩 周杰 吴倩 郑凯")
_ZH_DOINGS = _words("买了 修好了 参观了 画了 种了 借了 卖掉了 打扫了 订了 拍了")
_ZH_THINGS = _words("自行车 书架 厨房 花园 台灯 小提琴 水壶 毛毯 相机 路由器 收音机 背包 茶壶 梯子 望远镜 打印机")
_ZH_PLACES = _words("杭州 成都 西安 厦门 青岛 昆明 苏州 大连 桂林 拉萨")
_ZH_TIMES = _words("早上 傍晚 周末 昨天 上个月 春节 夏天 下雨的时候")


def drafts(count: int, seed: int, start: datetime) -> list[Draft]:
    """Episodes of a sentence or two; every second one is Chinese. The same seed gives the same ones."""
    chance = random.Random(seed)
    told = [_chinese(chance, number) if number % 2 else _english(chance, number) for number in range(count)]
    return [
        Draft(Kind.EPISODE, text, source=Source.USER, valid_from=start + number * timedelta(seconds=1))
        for number, text in enumerate(told)
    ]


def own_doings(count: int, seed: int) -> list[str]:
    """What a person tells of themselves, every second sentence in Chinese."""
    chance = random.Random(seed)
    pick = chance.choice
    told = []
    for number in range(count):
        if number % 2:
            told.append(f"我{pick(_ZH_TIMES)}在{pick(_ZH_PLACES)}{pick(_ZH_DOINGS)}{pick(_ZH_THINGS)}。")
        else:
            told.append(f"I {pick(_DOINGS)} the {pick(_THINGS)} {pick(_ADVERBS)} in {pick(_PLACES)}.")
    return told


def profile(start: datetime) -> list[Draft]:
    """The slots that RULE_QUESTIONS ask for."""
    slots = {"name": "张伟", "phone": "13800138000", "email": "zhang.wei@example.org"}
    return [
        Draft(Kind.USER_PROFILE, f"{slot}: {value}", slot=slot, value=value, valid_from=start)
        for slot, value in slots.items()
    ]


def questions(count: int, seed: int) -> list[str]:
    """Questions that no rule answers, in words that many units hold; every second one is Chinese."""
    chance = random.Random(seed)
    return [_asked_chinese(chance) if number % 2 else _asked_english(chance) for number in range(count)]


def _english(chance: random.Random, number: int) -> str:
    pick = chance.choice
    first = f"{pick(_NAMES)} {pick(_DOINGS)} the {pick(_THINGS)} {pick(_ADVERBS)} in {pick(_PLACES)}, item {number}."
    if number % 4:
        return first
    return f"{first} It cost {chance.randrange(5, 900)} euros, and {pick(_NAMES)} said the {pick(_THINGS)} was better."


def _chinese(chance: random.Random, number: int) -> str:
    pick = chance.choice
    first = (
        f"{pick(_ZH_TIMES)}{pick(_ZH_NAMES)}在{pick(_ZH_PLACES)}{pick(_ZH_DOINGS)}{pick(_ZH_THINGS)}，编号{number}。"
    )
    if number % 4 == 1:
        return first
    return f"{first}花了{chance.randrange(5, 900)}元，{pick(_ZH_NAMES)}觉得{pick(_ZH_THINGS)}更好。"


def _asked_english(chance: random.Random) -> str:
    pick = chance.choice
    return f"When did {pick(_NAMES)} have the {pick(_THINGS)} {pick(_DOINGS)} in {pick(_PLACES)}?"


def _asked_chinese(chance: random.Random) -> str:
    pick = chance.choice
    return f"{pick(_ZH_NAMES)}是什么时候在{pick(_ZH_PLACES)}{pick(_ZH_DOINGS)}{pick(_ZH_THINGS)}的？"
