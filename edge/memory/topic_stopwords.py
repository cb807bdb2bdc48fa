"""Words of a talk that say nothing of its subject: courtesies, times, and what people do with any subject."""

from __future__ import annotations

_ENGLISH_STEMS = """
actual again alreadi also amaz anoth anyth appreci ask awesom back bad befor best better big bit call can cant
chang check come continu cool could day discuss do earli earlier els even ever everyth excit feel find first fun
get give glad go good got grate great haha happen happi hear hello help here hi hope hour issu just keep kind know
last later let like littl long look lot love make mani may mayb mean might minut moment month more much must need
never new next nice no not now ok okay old one onli other part peopl plan pleas point previous problem put question
quick quit rather realli regard right said say see seem someth soon sorri sort sound speak start still stuff
subject sure take talk tell thank thing think time today tomorrow tonight topic tri two use veri wait want way week
welcom well will wonder work wow year yes yesterday yet
"""
_CHINESE_PAIRS = """
话题 问题 事情 情况 继续 回到 另外 一件 件事 一样 东西 告诉 帮忙 帮我 需要 应该 如果 因为 所以
"""

_CHAT_STEMS = """
absolut agre along alway anyon certain chill congrat cute definit differ each end everyon felt folk gave gonna gotta
guy hey import incred insan kinda late lately made mention off over own person pic reward seven show sinc some someon
sometim stay super thanks total tough truli user wanna word yeah yep yup
"""

SAY_NOTHING = frozenset(_ENGLISH_STEMS.split()) | frozenset(_CHINESE_PAIRS.split())
"""English words as their stems, Chinese ones as pairs of characters."""
NAME_NOTHING = SAY_NOTHING | frozenset(_CHAT_STEMS.split())
"""With these no group of notes is named: a talk may still turn to one of them ("import")."""
SAY_NOTHING_CHARACTERS = frozenset(
    "怎样想要说问看来去做能会可好很太真不没多少几点儿时候天今昨明现刚才前后请谢行嗯啊哦再又先吧等知道觉得着过从到为于而且只最已经"
)
"""A pair with one of these says nothing."""
