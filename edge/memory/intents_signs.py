"""Signs of a sentence that the rules for intents go by. Each is looked for when a rule asks for it, and once."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date

from edge.memory.intents_tables import RETRACTED
from edge.memory.language import HAN, Language
from edge.memory.people import asked_people
from edge.memory.progress_questions import ProgressQuestions
from edge.memory.questions import asks, asks_of_assistant, wants_a_guess
from edge.memory.repetition import is_courtesy, requests
from edge.memory.rules_assent import Assent
from edge.memory.times import order_in, times_in
from edge.memory.units import Draft, SlotQuestion

_ANY_DAY = date(2024, 5, 15)
"""Whether a time is named does not hang on the day."""
_WORDS = re.compile(rf"[^\W\d_{HAN}]+")
_HAN = re.compile(f"[{HAN}]")
_NAMED = re.compile(
    r"(?<=\w )(?!(?:I|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday|January|February|March|April|May|June"
    r"|July|August|September|October|November|December|English|German|French|Spanish|Chinese|Italian"
    r"|Python|Linux|Windows"
    r"|Arduino|Raspberry|Pi|Bluetooth|Google|Wi|Christmas|Easter|Celsius|Fahrenheit|Excel|Word)\b)[A-Z][a-z]+"
    r"|(?<![\u3400-\u9fff])[小老阿](?!时|板|孩|猫|狗|区|心|家|年|学|说|组|吃|明白|是|公)[\u3400-\u9fff]"
    r"|^(?!周[一二三四五六日末几天报会]|方[法便式向案块形]|高[压速铁考中温原度]|马[上路桶]|黄[瓜油金河山海豆色]|任[务何]|余额|毛[衣巾病]|龙头|程序|夏天|段落"
    r"|钱[包都在]|石[头油]|叶子|何[时必]|许多|康复|于是|江[湖苏西南河水]|林[业子]|田[地里]|雷达|汤[里底]|钟[头点]|史|范围|戴[上着]|孔|曾经)"
    r"[李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴夏钟汪田任姜范方石姚谭廖邹熊陆郝孔崔康毛邱秦江史顾侯邵孟龙段雷钱汤尹黎贺赖龚]"
    r"(?:总|哥|姐|叔|姨|婶|嫂|工|师傅|老师|医生|大夫|经理|主任|老板|阿姨|大爷|大妈|先生|女士|太太|同学"
    r"|[\u3400-\u9fff]{1,2}(?=[是在对会能不最有说把给几叫住姓属怕吃喝找买来去要借欠辞搬换考生结离退回今现为怎什平那上昨跟和也还]|的|家|喜欢|爱|多大))"
)
"""Somebody by name: no first word of a sentence, and none of what is written as names are."""
_OTHERS = re.compile(
    r"\b(?:he|she|him|her|his|hers|they|them|their|kids?|children|family|grandma|grandpa|mum|mom|dad"
    r"|granny|twins)\b|(?<![其])他|她|我家|家里|家人|(?:爸|妈|外公|外婆|岳|婆婆|公公|孩子|娃|爷爷|奶奶|外公|外婆|姥姥|姥爷|老婆|老公|"
    r"媳妇|儿子|女儿|闺女|哥|姐|弟弟|妹妹|同事|邻居|室友|房东|朋友|同学|老板)",
    re.IGNORECASE,
)
_ASKS_TO_TELL = re.compile(
    r"\b(?:tell me|remind me|remember|know|recall|wonder(?:ing)?|forgot(?:ten)?|any (?:idea|clue)|no idea|not sure"
    r"|let me know|look up|check|say)(?: again| please| exactly| you|,)* "
    r"(?:what|when|where|who|whose|which|how|why|if|whether)\b(?! to\b)"
    r"|[,;:–-] ?(?:so |and |but )?(?:what|when|where|who|which|how)(?:'s| is| was| are| were| do| does"
    r"| did| one| should| could| might| can"
    r"| date| day| time| would| much| many| long| old)\b|\bhow (?:long|many|much|often|far"
    r"|old)\b(?!.* (?:i|we) (?:love|like|miss))"
    r"|^(?:(?:and|so|ok|okay|hey|hi|now|but|well|please|also|then|hmm+|er+m*|um+|right|sorry|oh|remind me)[ ,]+)*"
    r"(?:what|when|where|who|whose|which|how|why)(?:'s|s)?\b"
    r"(?=.* (?:is|was|are|were|do|does|did|have|has|had|am|will|can|'s)\b|(?:'s|s) )"
    r"(?!.*, (?:i|we|please|then|just|give|tell|use|do|don't|say|add|leave)\b)"
    r"|^(?:\w+ )?(?:when|where|who|what|how|why) (?:did|do|does)\b(?!.*, (?:i|we|please|then|just)\b)"
    r"|^[^,]{3,60}, (?:did|does|has|will|have|was|were) (?:the|my|our|it|he|she|they|there|that|we|i|you)\b"
    r"|^(?:just|quick|quickly|checking|wondering|question|random|before i|one thing|sanity)\b[^?]{0,60}"
    r"[,:;–-] ?(?:is|are|do|can|did|does|has|was) (?:the|my|our|it|he|she|they|there|that|we|i|you)\b"
    r"|^anything (?:left|else|on|planned|missing|outstanding|in|due|booked|happening|scheduled)\b"
    r"|^any (?:news|word|update|sign|reply|answer|luck)\b|\b(?:any|got any|have any) (?:idea|clue)\b"
    r"|\bwhich (?:one|of (?:them|the two|these|those))(?: \w+)? (?:is|was|are)\b"
    r"|\b(?:since|until|till|by|at|on|in|to|from|for|with|under) (?:what|which|when|whom|where)\b"
    r"|^(?:(?:and|so|ok|okay|hey|hi|now|but|well|also|then)[ ,.]+)*(?:does|did|is|are|has|will|would"
    r"|could|can|was|were|am|aren't"
    r"|isn't"
    r"|doesn't|didn't|hasn't|won't|who's|what's|where's|when's) (?!not\b)\w+"
    r"|什么|啥|谁|哪|干嘛|(?<!好)几[楼层栋班]|还有几(?![乎百十千万])|(?<![好十这那没前过等隔近每第有了])几(?![乎百十千万年天])[\u4e00-\u9fff](?!前|后|以)|几[点号个次月天年岁位大]|多少|多久|多长|多大|多远|多高|多重|何时|怎么|咋|如何|为什么|为啥|(?<!没)有没有|是不是"
    r"|[吗么](?=[,，])|了没(?=[,，])|能不能|可不可以|会不会|要不要|(?<!不)对不对|好不好|百分之几|(?:没变|没换|没改|还在|还住|还是)[^，,]{0,8}吧$|[吗么嘛]$|来着$|没$|(?:了|过|的|到|.{4})没有$"
    r"|(?<!不)([\u4e00-\u9fff])不\1|(?<!没)(?P<did>(?![有事])[\u4e00-\u9fff])没(?P=did)|第几|几[张个份条次只台本页件本块]|(?<!算)[完好年到]了吧$|还是.+(?:啊|呢|来着)?$|是.+还是|[\u3400-\u9fff]{2,}(?<!不)不$",
    re.IGNORECASE,
)
"""Asks within a sentence, in words that are no question by themselves."""
_NOTED = re.compile(
    r"^(?:(?:hi|hey|ok|okay|so|and|please|oh|btw|edge|can you|could you|just|also|quick|pls|then)[ ,.:]+)*"
    r"(?:(?:note|jot|write|log|record) (?:(?:it|this|that|the following|these) )?down(?: that| this)?"
    r"|(?:note|record|log|save|store|remember) (?:that|this|the following)(?: down)?"
    r"|(?:put|save|store|write|file|keep|add|log|stick) (?:(?:it|this|that|the following"
    r"|these) )?(?:down )?(?:in|on|into|to|for)"
    r" (?:(?:the|your|my) )?(?:notes?|memory|records?|file|mind|later|list)(?: that)?"
    r"|(?:make|take|leave|add) (?:a|this|another) note(?: (?:that|of this|of|to self))?"
    r"|(?:a )?note(?: to self)?(?=[:,-])"
    r"|for (?:the|your) (?:record|records|notes|files)|remember(?=[:,])|note(?=:)"
    r"|do ?n[o']?t forget(?: that|:|,)|for future reference|keep in mind(?: that)?|bear in mind(?: that)?)\b[ ,:;-]*"
    r"|^(?:(?:请|麻烦|你|您|对了|那|嗨|帮我|给我|替我|顺便|好|再)[ ,，]*)*"
    r"(?:记(?:一?下|一笔|下来|住|着|个|录一?下?|录)|备注(?!里|上|写|是|的)(?:一下)?|备忘|存(?:一下|起来|下来)|做个(?:笔记|记录)|写下来|登记一下|别忘了|记得)"
    r"(?:这个|这条|下来|啊|哈|了|吧)?[ ,，:：]*(?!我|还|吗|不)",
    re.IGNORECASE,
)
"""How who wants something kept begins."""
_FORBIDS = re.compile(
    r"^(?:(?:and|so|but|please|hey|ok|okay|pls)[ ,]+)*(?:do ?n[o']?t|do not|never|stop|quit|no need to) \w+"
    r"|^(?:(?:请|以后|今后|那|你|对了|麻烦|拜托)[ ,，]*)*(?:别|不要(?!紧)|不准|不许|甭|少来?|不用)(?!的|了)",
    re.IGNORECASE,
)
"""Forbids something, which may be to ask."""
_NOT_TO_TELL = re.compile(
    r"不管|无论|随便|不知道怎么|没什么|没啥|十几|几十|什么都|谁都|哪都|怎么都|多少都|无所谓|几个月前|好几|几天前|记住|别忘|多少[遍次回](?:了|[，,])|几百遍",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|be|has|have|had|do|does|did|will|would|can|could|i'?m|i'?ve|i'?ll|it'?s"
    r"|that'?s|there'?s|we'?re"
    r"|we'?ve|\w+(?:'s|ed|es)|[a-z]+s)\b|\b(?:i|we|he|she|they|you) \w+"
    r"|[是有在了叫要会能想去来做用买住给把说到过得着吃喝放开关修教姓]",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?<=\w)[,;] ?(?:ok|okay|alright|all right|got it|understood|deal|will you|would you)$"
    r"|(?<=[\u3400-\u9fff])[,，；](?:好吗|好不好|好么|行吗|行不行|可以吗|知道吗|知道没|明白吗|懂吗|记住了?[吗没]|听到[没了]|成吗)$",
    re.IGNORECASE,
)
"""What asks only for a yes to the order before it."""
_PARTICLE = re.compile(r"(没有?|[吗么吧了的不呢着过]|多少|什么|谁|哪[儿里]|来着|多久)[呀啊哦嘞哟诶喔]+$")
"""A sound behind the last word of a sentence."""
_DIGITS = re.compile(r"\d{2}")
_SHORT = 24


class Said:
    """A sentence in plain form, and what is known of it so far. `text` has quotations hidden and no spaces around."""

    __slots__ = ("_known", "_read", "alone", "has_mark", "languages", "noted", "signs", "text")

    def __init__(self, signs: Signs, text: str, language: Language, *, has_mark: bool, alone: bool) -> None:
        untagged = _TAG.sub("", text)
        has_mark = has_mark and untagged == text
        text = _PARTICLE.sub(r"\1", untagged)
        plain = _NOTED.sub("", text)
        self.noted = plain != text and not has_mark
        text = plain if self.noted and plain else text
        self.signs = signs
        self._known: dict[str, bool] = {}
        self._read: frozenset[str] | None = None
        self.text = text
        self.has_mark = has_mark
        self.alone = alone
        self.languages = _languages(text, language)

    def has(self, sign: str) -> bool:
        """Whether the sentence has a sign; one of SIGNS."""
        if sign not in self._known:
            self._known[sign] = SIGNS[sign](self)
        return self._known[sign]

    @property
    def slots(self) -> frozenset[str]:
        """The slots that it asks for, or tells."""
        if self._read is None:
            self._read = self.signs.slots_asked(self) if self.has("asks") else self.signs.slots_told(self)
        return self._read


class Signs:
    """Looks for signs with what the rules know."""

    def __init__(
        self,
        asked: Callable[[str], SlotQuestion | None],
        told: Callable[[str], tuple[Draft, ...]],
        relations: Callable[[str], Mapping[str, str]],
        assent: Assent,
        progress: ProgressQuestions,
    ) -> None:
        """`asked` and `told` find the slots of a message, `relations` those of the person that it mentions."""
        self._asked = asked
        self._told = told
        self.relations = relations
        self.assent = assent
        self.progress = progress

    def said(self, text: str, language: Language, *, asks: bool, alone: bool) -> Said:
        """A sentence; `asks` where it ends with a question mark, `alone` where it is all of its message."""
        return Said(self, text, language, has_mark=asks, alone=alone)

    def slots_asked(self, said: Said) -> frozenset[str]:
        """The slots that a sentence asks for, each without its topic."""
        found = self._asked(said.text)
        return frozenset() if found is None else frozenset(slot.partition(":")[0] for slot in found.slots)

    def slots_told(self, said: Said) -> frozenset[str]:
        """The slots that a sentence fills, each without its topic; `retracted` beside them where it takes one back."""
        drafts = self._told(said.text)
        slots = {draft.slot.partition(":")[0] for draft in drafts if draft.slot is not None}
        return frozenset(slots | ({RETRACTED} if any(draft.retracts for draft in drafts) else set()))


def _languages(text: str, language: Language) -> tuple[Language, ...]:
    """The languages whose patterns are tried: the message's, and the other where the sentence holds words of it."""
    if language == "en":
        return ("en", "zh") if _HAN.search(text) else ("en",)
    if not _HAN.search(text):
        return ("en",)
    return ("zh", "en") if len(_WORDS.findall(text)) > 1 else ("zh",)


def _asks(said: Said) -> bool:
    if said.noted or (not said.has_mark and _FORBIDS.search(said.text) is not None):
        return False
    if said.has_mark or asks(said.text):
        return True
    return _ASKS_TO_TELL.search(said.text) is not None and _NOT_TO_TELL.search(said.text) is None


def _is_home(said: Said) -> bool:
    return any(said.has(sign) for sign in ("first", "others", "relation", "named", "of assistant"))


def _tells(said: Said) -> bool:
    return not said.has("asks") and not said.has("requests") and _VERB.search(said.text) is not None


SIGNS: Mapping[str, Callable[[Said], bool]] = {
    "asks": _asks,
    "tells": _tells,
    "requests": lambda said: requests(said.text),
    "first": lambda said: bool(asked_people(said.text, ())),
    "others": lambda said: _OTHERS.search(said.text) is not None,
    "relation": lambda said: bool(said.signs.relations(said.text)),
    "named": lambda said: _NAMED.search(said.text) is not None,
    "of assistant": lambda said: asks_of_assistant(said.text),
    "home": _is_home,
    "guess": lambda said: wants_a_guess(said.text),
    "dated": lambda said: bool(times_in(said.text, _ANY_DAY)),
    "ordered": lambda said: order_in(said.text) is not None,
    "courtesy": lambda said: is_courtesy(said.text),
    "agrees": lambda said: said.signs.assent.agrees(said.text),
    "corrects": lambda said: said.signs.assent.says_wrong(said.text) or said.signs.assent.denies(said.text),
    "progress": lambda said: said.signs.progress.asked_in(said.text),
    "digits": lambda said: _DIGITS.search(said.text) is not None,
    "marked": lambda said: said.has_mark,
    "noted": lambda said: said.noted,
    "short": lambda said: len(said.text) <= _SHORT,
    "alone": lambda said: said.alone,
}
"""Every sign by name, as tables name them."""
