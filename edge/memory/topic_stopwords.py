"""Words of a talk that say nothing of its subject: courtesies, times, and what people do with any subject."""

from __future__ import annotations

_ENGLISH_STEMS = """
absolut actual again agre along alreadi also alway amaz anoth anyon anyth appreci ask awesom back bad befor best
better big bit call can cant certain chang check chill come congrat continu cool could cute day definit differ discuss
do each earli earlier els end even ever everyon everyth excit feel felt find first folk fun gave get give glad go
gonna good got gotta grate great guy haha happen happi hear hello help here hey hi hope hour import incred insan issu
just keep kind kinda know last late lately later let like littl long look lot love made make mani may mayb mean
mention might minut moment month more much must need never new next nice no not now off ok okay old one onli other
over own part peopl person pic plan pleas point previous problem put question quick quit rather realli regard reward
right said say see seem seven show sinc some someon someth sometim soon sorri sort sound speak start stay still stuff
subject super sure take talk tell thank thanks thing think time today tomorrow tonight topic total tough tri truli two
use user veri wait wanna want way week welcom well will wonder word work wow yeah year yep yes yesterday yet yup
"""
_CHINESE_PAIRS = """
话题 问题 事情 情况 继续 回到 另外 一件 件事 一样 东西 告诉 帮忙 帮我 需要 应该 如果 因为 所以
"""

SAY_NOTHING = frozenset(_ENGLISH_STEMS.split()) | frozenset(_CHINESE_PAIRS.split())
"""English words as their stems, Chinese ones as pairs of characters."""
SAY_NOTHING_CHARACTERS = frozenset(
    "怎样想要说问看来去做能会可好很太真不没多少几点儿时候天今昨明现刚才前后请谢行嗯啊哦再又先吧等知道觉得着过从到为于而且只最已经"
)
"""A pair with one of these says nothing."""
