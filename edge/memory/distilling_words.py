"""The English words by which a sentence about oneself is told of another. See `distilling_en`."""

from __future__ import annotations

import re

from edge.memory.text import telling_terms

_ADVERBS = (
    "also always never often still just even soon already only sometimes ever almost both too kinda first once "
    "now then not rather seldom "
)
_NO_ADVERBS = "fly rely apply reply supply imply comply multiply bully ally tally rally sully "
_NO_VERBS = "and or too both who whose which in on at of to for with from as am is are the a an my wanna gotta gonna "
ADVERBS = frozenset(_ADVERBS.split())
"""What may stand between a person and what they do, beside words in -ly."""
NO_ADVERBS = frozenset(_NO_ADVERBS.split())
"""Verbs in -ly."""
NO_VERBS = frozenset(_NO_VERBS.split())
"""What behind "I" is no verb."""

_GENERAL = (
    "feel feeling felt feels good great better best well bad amazing awesome wonderful nice happy happier glad excited "
    "exciting thrilled stoked proud lucky blessed grateful thankful hopeful optimistic confident comfortable relaxed "
    "calm stressed stress anxious anxiety nervous tired bored lonely sad down upset overwhelmed inspired inspiring "
    "motivated passionate determined accepted connected joy happiness fun love lovely time day today lot thing "
    "something anything everything stuff someone people way life world need want try trying keep going go get make "
    "take have do know think thinking thought believe hope look see really super very much more many always still also "
    "just even lately recently now already definitely truly able help helping important special meaning mean sense "
    "power strength energy moment difficulty problem trouble issue challenge setback advice chance opportunity "
    "experience bit little part doing done work working worked hard right share talk talking back up out off give "
    "start starting new friend family support positive change stay focus care user"
)
_GENERAL_ZH = (
    "感觉|觉得|感到|心情|非常|很|真的|超级|有些|有点|一些|一直|总是|经常|通常|一般|最近|今天|昨天|现在|目前|已经|还|也|都|会|想|要"
    "|可以|可能|需要|确实|自己|生活|压力|身体|心理|状况|疲惫|忙|困难|好多了|舒服|舒畅|放松|开心|快乐|高兴|焦虑|紧张|难过|孤独|无聊"
    "|事情|东西|问题|情况|方式|方法|人生|意义|思考|努力|尝试|寻找|考虑|打算|计划|希望|尽量|帮助|建议|用户"
    "|[的了着过在是有和与就不没它他她这那个一]"
)
GENERAL = frozenset(telling_terms(_GENERAL))
"""Terms that tell a mood, or nothing that could be asked for later."""
GENERAL_ZH = re.compile(_GENERAL_ZH)
"""The same of Chinese."""
