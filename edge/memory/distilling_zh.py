"""A Chinese sentence in which a person says something of themselves, told of 用户.

As in English only the person is put in another way: the first 我 becomes 用户, a later one that begins a clause is left
out, 我的 becomes 自己的. What could come to mean something else so is not told at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from edge.memory.compression import LIMIT
from edge.memory.distilling_words import GENERAL_ZH

_TIME = (
    "今天|昨天|前天|明天|后天|今晚|昨晚|今早|最近|近来|现在|目前|平时|以前|之前|从小|小时候|周末|上周末?|这周末?|下周末?|上个月|这个月|下个月|去年|今年|明年"
    "|(?:上|这|下)?(?:周|星期|礼拜)[一二三四五六日天]|[0-9一二三四五六七八九十几两]+(?:天|周|个月|年)前|(?:早上|上午|中午|下午|晚上)"
)
_LEAD_IN = re.compile(
    r"^(?:(?:你好|您好|嗨|嘿|哈喽|早上好|晚上好|下午好|朋友|是的|是啊|对啊|对的|好的|嗯|恩|哦|啊|其实|说实话|对了|不过|但是?|而且|所以|因为|另外|还有|然后|老实说|没错|当然)[,，!！、。]?\s*)+"
)
_SUBJECT = re.compile(rf"^((?:(?:{_TIME})[,，]?)*)我(?!们|国|俩)((?:{_TIME})?)")
_HYPOTHESIS = re.compile(
    "如果|要是|假如|假设|倘若|万一|的话|除非|否则|只要|梦见|梦到|做梦|假装|想象|好像|仿佛|开玩笑|以为|但愿|幸好没|要不是"
)
_OTHERS = re.compile("[你您咱]|我们|我俩|用户|大家")
_ASKS = re.compile("[吗呢么]$|什么|怎么|为什么|哪[里个些儿]|多少|是不是|有没有|能不能|可不可以|几[个点]")
_POINTS = re.compile("[它他她]|[这那](?!么|段时间|几天|个月|周|次旅行|样)|其中|此")
_TURNS = re.compile("^(?:但|却|可|不过|然而|结果|其实|除|才|只是|可惜|没想到)")
_SAYS_NOTHING = re.compile(
    "^用户(?:也|都|非常|很|真的?|十分|会|一定|要|想|当然|完全|就|已经|再|还|去|先|的确|确实|也许|可能|想要|希望)*"
    "(?:谢|感谢|感激|希望|祝|同意|赞同|明白|知道|理解|懂|觉得|认为|相信|想问|问|请|建议|推荐|告诉|说|保证|记住|听|试|尝试|考虑|注意|努力|尽|思考|期待|看看|了解|分享|聊|谈|试着|按照|做到|好好|认真|多|可以)"
    "|^用户(?:不知道|没想到|有一个(?:问题|烦恼)|有个(?:问题|烦恼)|(?:感到|感觉|很|非常)?(?:高兴|开心|抱歉|荣幸))"
)
_TELLING = re.compile("[\u3400-\u9fffA-Za-z0-9]")
_CLAUSE = re.compile("[^，,；;：]+[，,；;：]*")
_FEWEST = 6
"""Characters that tell more than a mood, names and numbers in other letters among them."""


def told_in_chinese(sentence: str) -> Iterator[tuple[str, str]]:
    """What a sentence says of the person, as lines about the user, each with the words that it is made of."""
    said = _LEAD_IN.sub("", sentence.strip()).rstrip("。！!.～~…;；，, ")
    if _HYPOTHESIS.search(said) or _ASKS.search(said):
        return
    said = _own_clauses(said)
    line = _told(said)
    if line is not None and len(line) < LIMIT and not _SAYS_NOTHING.match(line):
        yield f"{line}。", said


def _own_clauses(said: str) -> str:
    """The clauses from the first that can be told alone; none where what follows turns their sense."""
    kept, size = [], 0
    clauses = _CLAUSE.findall(said)
    for number, clause in enumerate(clauses):
        left_out = _OTHERS.search(clause) or _POINTS.search(clause) or size + len(clause) > LIMIT - 10
        if left_out:
            if any(_TURNS.match(each) for each in clauses[number:]):
                return ""
            break
        kept.append(clause)
        size += len(clause)
    return "".join(kept).rstrip("，,；;：")


def _told(said: str) -> str | None:
    found = _SUBJECT.match(said)
    if found is None:
        return None
    time, rest = (found[1] + found[2]).replace("，", "").replace(",", ""), said[found.end() :]
    owned = rest.startswith("的")
    rest = re.sub("([，,；;：](?:但是?|而且|所以|因为|不过|可是|并且|然后|于是|同时|也|就)?)我(?!们|的)", r"\1", rest)
    rest = rest.replace("我的", "自己的")
    if "我" in rest or (owned and time) or len(_TELLING.findall(GENERAL_ZH.sub("", rest))) < _FEWEST:
        return None
    return f"用户{time}{rest}"
