"""Reading values: what a phone number, a code, a name, a date looks like, and its normal form.

A reader has a pattern that finds the raw words, and a function that turns them into (as shown, normal form), or
None where they are not such a value after all. Raw words are already folded (see `rules_text.fold`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

Read = tuple[str, str]
"""A value as it is shown, and its normal form for comparison."""

HAN = r"\u3400-\u9fff"
_NUMERALS = "零〇一二三四五六七八九"
_DIGITS = str.maketrans("零〇一二三四五六七八九幺两", "0012345678912")
_REST = r"[^,，。;；:：!！?？\n()（）\ue000\x00-\x1f\ud800-\udfff]"


@dataclass(frozen=True, slots=True)
class Reader:
    """How one type of value is found and read. `typed` values are known by their shape alone."""

    pattern: str
    read: Callable[[str], Read | None]
    typed: bool = False


def to_int(text: str) -> int | None:
    """A number from 0 to 99 in digits or Chinese numerals (廿 and larger units are not read)."""
    if text.isascii():
        return int(text) if text.isdigit() else None
    tens, ten, ones = text.rpartition("十")
    if not ten:
        plain = text.translate(_DIGITS)
        return int(plain) if plain.isascii() and plain.isdigit() else None
    digits = (tens or "一").translate(_DIGITS) + (ones or "零").translate(_DIGITS)
    return int(digits) if digits.isascii() and digits.isdigit() else None


# --- numbers and codes -----------------------------------------------------------------------------------------


def read_phone(raw: str) -> Read | None:
    spoken = raw.translate(_DIGITS) if not raw.isascii() else raw
    digits = re.sub(r"\D", "", spoken)
    if not 5 <= len(digits) <= 15 or not digits.isascii() or re.fullmatch(r"\d{4}-\d\d?-\d\d?", raw):
        return None
    return spoken.strip(), digits.removeprefix("00")


def read_certain_phone(raw: str) -> Read | None:
    """A phone number that its shape alone tells from other numbers."""
    read = read_phone(raw)
    if read is None:
        return None
    is_mobile = re.fullmatch(r"(?:86)?1[3-9]\d{9}", read[1])
    is_grouped = len(read[1]) >= 9 and len(re.findall(r"[-. /)]", raw.strip())) >= 2
    return read if is_mobile or is_grouped or raw.startswith("+") else None


def read_email(raw: str) -> Read | None:
    return raw, raw.lower()


def read_code(raw: str) -> Read | None:
    value = re.sub(r"[\s#]", "", raw).upper()
    if not any(ch.isdigit() for ch in value) or len(value) < (2 if "#" in raw else 3):
        return None
    if re.fullmatch(r"\d+(?:ST|ND|RD|TH|AM|PM|KG|EUR|USD|X|K)", value):
        return None
    return raw.strip(), value


def read_age(raw: str) -> Read | None:
    age = to_int(raw)
    return (str(age), str(age)) if age is not None and 1 <= age <= 119 else None


# --- dates -----------------------------------------------------------------------------------------------------

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ZH_DAY = r"[\d一二三四五六七八九十]{1,3}"
DATE = (
    rf"(?:(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}})?"
    rf"|{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?:,? \d{{4}})?(?!\d)"
    rf"|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}(?:[-/.]\d{{4}})?"
    rf"|(?:(?:\d{{4}}|[{_NUMERALS}]{{4}}) ?年 ?)?{_ZH_DAY} ?月 ?{_ZH_DAY} ?[日号]?)"
)
_EN_DAY = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
_YEAR = re.compile(r"(?<!\d)(\d{4})(?!\d)")
_ZH_DATE = re.compile(rf"(?:(\d{{4}}|[{_NUMERALS}]{{4}}) ?年 ?)?({_ZH_DAY}) ?月 ?({_ZH_DAY})")


def read_date(raw: str) -> Read | None:
    """ISO where the year is known, else --MM-DD; as written where day and month cannot be told apart (3/5)."""
    shown = raw.strip()
    parts = _date_parts(shown.lower())
    if parts is None:
        return None
    year, month, day = parts
    if month == 0:
        return shown, re.sub(r"\s", "", shown)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return shown, f"{year or '-'}-{month:02d}-{day:02d}"


def _date_parts(raw: str) -> tuple[str, int, int] | None:
    if found := _ZH_DATE.search(raw):
        month, day = to_int(found[2]), to_int(found[3])
        return ((found[1] or "").translate(_DIGITS), month, day) if month and day else None
    if name := re.search(_MONTH, raw):
        day_found, year_found = _EN_DAY.search(raw), _YEAR.search(raw)
        month = _MONTHS.index(name[0][:3]) + 1
        return (year_found[1] if year_found else "", month, int(day_found[1])) if day_found else None
    return _numeric_date(raw)


def _numeric_date(raw: str) -> tuple[str, int, int] | None:
    numbers = [int(part) for part in re.findall(r"\d+", raw)]
    if len(numbers) == 3 and numbers[0] > 31:
        return f"{numbers[0]:04d}", numbers[1], numbers[2]
    year = f"{numbers[2]:04d}" if len(numbers) == 3 else ""
    first, second = numbers[:2]
    if first > 12:
        return year, second, first
    return (year, first, second) if second > 12 or first == second else ("", 0, 0)


# --- names -----------------------------------------------------------------------------------------------------

_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳"
    "酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安常乐于时傅皮卞齐康伍余元卜顾孟平黄穆萧尹姚邵湛汪祁毛禹狄米贝明臧计伏成戴谈宋茅庞"
    "熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯管卢莫房裘缪干解应宗丁宣邓郁单"
    "杭洪包诸左石崔吉龚程嵇邢裴陆荣翁荀羊甄曲家封储靳段巫焦巴弓牧谷车侯宓全班仰秋仲伊宫宁仇栾甘厉戎祖武符刘景詹束龙叶幸司韶"
    "黎薄印宿白怀蒲从索赖卓蔺屠蒙池乔阴胥能苍双闻莘党翟谭贡劳逄姬申扶堵冉宰郦雍却桑桂濮牛寿通边扈燕冀浦尚农温别庄晏柴瞿阎"
    "充慕连茹习宦艾鱼容向古易慎戈廖庾终暨居衡步都耿满弘匡国文寇广禄阙东欧沃利蔚越夔隆师巩厍聂晁勾敖融冷訾辛阚那简饶空曾沙"
    "楚闫肖付覃代岳涂趙錢孫吳鄭馮陳衛蔣韓楊許呂張嚴華謝鄒蘇潘葛範魯韋馬鳳鮑費賀湯羅畢鄔樂時齊顧蕭黃邵談龐紀項樓賈顏鍾駱萬盧"
    "單諸龔陸榮侯劉葉黎賴喬譚勞溫莊閻連習廖歐師鞏聶饒"
)
_COMPOUND = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|端木|歐陽|司馬|諸葛"
_ZH_NOT_NAMES = frozenset(
    [
        "什么",
        "什麼",
        "甚么",
        "啥",
        "谁",
        "马上",
        "高兴",
        "方便",
        "明天",
        "安静",
        "程序",
        "白天",
        "于是",
        "时候",
        "常常",
        "金额",
        "全部",
        "全家",
        "不是",
        "没有",
        "师傅",
        "师父",
        "外卖",
        "滴滴",
        "出租车",
        "车",
        "人",
        "救护车",
        "代驾",
        "快递",
        "别人",
        "大家",
        "老板",
        "服务员",
        "老师",
        "医生",
        "时间",
        "高手",
        "平时",
        "平常",
        "通常",
        "方案",
        "温柔",
        "能干",
        "国外",
        "文件",
        "应该",
        "单独",
        "双方",
        "同事",
        "朋友",
        "小孩",
        "小姐",
        "小时",
        "小心",
        "小声",
        "小费",
        "老公",
        "老婆",
        "老妈",
        "老爸",
        "阿姨",
        "干嘛",
        "怎么",
        "这个",
        "那个",
        "一个",
        "一声",
        "一下",
        "成年",
        "强烈",
        "常客",
        "单身",
        "万一",
        "连续",
        "向来",
        "从来",
        "全职",
        "冷静",
        "安全",
        "支持",
        "解决",
        "计划",
        "管理",
        "居然",
        "简单",
        "易怒",
        "白痴",
        "满意",
    ]
)
_ZH_NOT_START = "了他她它你您我咱这那哪怎不没别去来出在啥谁几个一再又也都很太真还就被把给让"
_ZH_NOT_END = "来去帮吃走看做等说喝玩睡送拿买接回起了过着吗呢么"
_ZH_ERRAND = re.compile("明天|今天|后天|早上|晚上|下午|中午|起床|下周|周[一二三四五六日末]|现在|赶紧|快点|帮")
_ZH_TAIL = re.compile(r"(?:就行|就好|就可以|就成|就得|即可|吧|啊|呀|哦|哈|嘛|啦|呢|好了|好啦|了)+$")
_EN_PART = r"(?-i:[A-ZÀ-Þ][A-Za-zÀ-ÿ]*(?:['-][A-ZÀ-Þ]?[A-Za-zÀ-ÿ]+)?\.?)"
EN_NAME = rf"{_EN_PART}(?: (?:(?-i:van|von|de|da|del|der|den|la|le|bin|al|el) ){{0,2}}{_EN_PART}){{0,3}}"
_LOW_NAME = r"[a-zà-ÿ]{2,20}(?:-[a-zà-ÿ]{2,20})?(?: [a-zà-ÿ]{2,20})?"
ZH_NAME = rf"[{HAN}]{{1,8}}(?:·[{HAN}]{{1,8}}){{0,2}}"
_NAME_END = r"(?=\s*(?:$|[,，。.;；!！?？\n()（）\ue000~～…]|(?:and|but|from|by|or|in case|if|for|please|thanks|now|here|speaking|by the way|btw|again|too|i|so|with|as|okay|ok|not)\b|- |—))"
_EN_NOT_NAMES = frozenset(
    [
        "a",
        "an",
        "the",
        "not",
        "no",
        "on",
        "in",
        "at",
        "to",
        "of",
        "for",
        "with",
        "from",
        "by",
        "as",
        "is",
        "was",
        "be",
        "been",
        "being",
        "it",
        "its",
        "this",
        "that",
        "these",
        "those",
        "what",
        "who",
        "whom",
        "which",
        "where",
        "when",
        "why",
        "how",
        "same",
        "different",
        "secret",
        "very",
        "so",
        "too",
        "also",
        "just",
        "only",
        "really",
        "quite",
        "pretty",
        "actually",
        "now",
        "here",
        "there",
        "then",
        "always",
        "never",
        "still",
        "already",
        "often",
        "usually",
        "called",
        "named",
        "known",
        "spelled",
        "spelt",
        "written",
        "pronounced",
        "hard",
        "easy",
        "difficult",
        "long",
        "short",
        "common",
        "rare",
        "unusual",
        "unique",
        "weird",
        "strange",
        "funny",
        "boring",
        "beautiful",
        "nice",
        "good",
        "bad",
        "great",
        "fine",
        "okay",
        "ok",
        "sure",
        "sorry",
        "wrong",
        "right",
        "correct",
        "incorrect",
        "true",
        "false",
        "real",
        "fake",
        "mine",
        "yours",
        "his",
        "hers",
        "ours",
        "theirs",
        "my",
        "your",
        "our",
        "their",
        "me",
        "you",
        "him",
        "her",
        "us",
        "them",
        "everyone",
        "everybody",
        "nobody",
        "someone",
        "anyone",
        "something",
        "nothing",
        "unknown",
        "private",
        "none",
        "back",
        "later",
        "tomorrow",
        "today",
        "tonight",
        "tired",
        "busy",
        "ready",
        "happy",
        "sad",
        "glad",
        "mad",
        "crazy",
        "whatever",
        "whenever",
        "anything",
        "anytime",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "one",
        "two",
        "if",
        "and",
        "or",
        "but",
        "because",
        "going",
        "getting",
        "coming",
        "trying",
        "about",
        "after",
        "before",
        "again",
        "maybe",
        "up",
        "out",
        "off",
        "over",
        "under",
        "into",
        "onto",
        "stupid",
        "lazy",
        "old",
        "young",
        "names",
        "confidential",
        "missing",
        "misspelled",
        "listed",
        "empty",
        "blank",
        "old-fashioned",
        "please",
        "stop",
        "english",
        "chinese",
        "french",
        "german",
        "italian",
        "spanish",
        "japanese",
        "american",
        "british",
        "asian",
        "dr",
        "mr",
        "mrs",
        "ms",
        "sir",
        "i",
        "i'm",
        "an",
        "taxi",
        "cab",
        "doctor",
        "police",
        "uber",
        "names",
        "idiot",
        "liar",
        "when",
    ]
)


def read_name(raw: str) -> Read | None:
    """A person's name where the frame already says that a name follows ("my name is ...")."""
    shown = _ZH_TAIL.sub("", raw.strip(" ."))
    if re.search(rf"[{HAN}]", shown):
        return _read_zh_name(shown) if raw.strip() not in _ZH_NOT_NAMES else None
    words = shown.lower().split()
    if not words or any(word in _EN_NOT_NAMES for word in words) or (len(words[0]) < 2 and len(words) == 1):
        return None
    return shown, shown.lower()


def _read_zh_name(shown: str) -> Read | None:
    if _ZH_ERRAND.match(shown) or (len(shown) > 2 and shown[-1] in _ZH_NOT_END):
        return None
    if not shown or shown in _ZH_NOT_NAMES or shown[0] in _ZH_NOT_START or (len(shown) > 6 and "·" not in shown):
        return None
    return shown, shown


def read_zh_full_name(raw: str) -> Read | None:
    """A Chinese name by its shape (family name first, 小王, 豆豆), for frames that other things also follow (我叫...)."""
    shown = _ZH_TAIL.sub("", raw.strip())
    if not re.search(rf"[{HAN}]", shown):
        return read_name(raw)
    if _read_zh_name(shown) is None or shown[-1] in _ZH_NOT_END:
        return None
    shaped = re.fullmatch(
        rf"[{_SURNAMES}][{HAN}]{{1,2}}|(?:{_COMPOUND})[{HAN}]{{1,2}}|[小老阿大][{HAN}]{{1,2}}|([{HAN}])\1|[{HAN}]+·[{HAN}·]+",
        shown,
    )
    return (shown, shown) if shaped else None


def read_proper_name(raw: str) -> Read | None:
    """A name after a bare "I'm": given and family name, both capitalised, or a Chinese full name."""
    read = read_zh_full_name(raw)
    return read if read and (" " in read[0] or not read[0].isascii()) else None


def read_surname(raw: str) -> Read | None:
    shown = _ZH_TAIL.sub("", raw.strip(" ."))
    if shown.isascii():
        return read_name(shown)
    return (shown, shown) if re.fullmatch(rf"[{_SURNAMES}]|{_COMPOUND}", shown) else None


# --- words -----------------------------------------------------------------------------------------------------

_EN_TAIL = re.compile(
    r"[ ,]+(?:now|nowadays|currently|at the moment|these days|right now|actually|btw|by the way|please|too|as well|though"
    r"|anymore|any more|a lot|very much|so much|the most|most|best|again|already|lol|haha|instead|you know|thanks|thank you"
    r"|at all|any longer|also|(?:every )?now and then|from time to time|every day|sometimes|in general|in particular|especially|obviously|of course|for sure|since \d{4}|for \w+ years?)$",
    re.I,
)
_ZH_PHRASE_TAIL = re.compile(r"(?:了|啊|呀|哦|呢|吧|的哦|哈|嘛|啦|而已|之类的|什么的|等等|等|的)+$")
_CUT = re.compile(
    r" (?:and|but|so|because|since|while|though|although|which|who|where|that's|then|or|with|for|if|when|as)(?= |$).*| (?:- |—).*|(?:但是|不过|因为|所以|而且).*",
    re.I,
)
_CUT_BEFORE_CLAUSE = re.compile(
    r",? (?:and|but|so|because|since|while|though|although|or)(?: also| then| now)? (?:I|I'm|I've|I'd|my|our|we|you|he|she|it|it's|they|can|could|please|that|this|there|the|"
    r"what|would|need|want|have|am|is|are|was|his|her|your|their|call|don't|do|get|hate|dislike|prefer)\b.*|, (?:they|they're|it's|it|i|i'm|he|he's|she|she's|we|you|'cause|cause|cuz|the|this|that|my|especially|particularly|like|such as|especially|not)\b.*|,? (?:but|so|because|since|although|though|which|who|so)\b.*| (?:- |—).*"
    r"|(?:但是|但|不过|因为|所以|而且).*",
    re.I,
)
_NOT_STARTS = re.compile(
    r"(?:it|its|it's|that|that's|this|these|those|you|your|you're|him|her|his|them|their|he|she|they|me|us|we|what|how|when|where|why|who|whatever|"
    r"which|not|so|too|just|being able|one|ones|some|any|every|all (?:of|the|these|those|your|that|this)|the way|the idea|the fact|the sound|the look|both|another|more|such|"
    r"and|but|or|if|because|there|there's|an? (?:lot|bit|little|few|good|great|nice)|our|in|on|at|for|from|with|as|by|up|off|about|around|"
    r"seeing|hearing|having|getting|knowing|taking|my|thinking|nothing|something|everything|anything|someone|of|the)(?![\w-])"
    r"|[的这那它他她你您啥谁哪怎咋了过得着不没是我自就]|什么|一个|一下|一点|一种|听你|看你|跟你|和你|有人|大家|别人|能|可以|有点|被",
    re.I,
)
_GENERAL_THE = re.compile(
    r"the (?:(?-i:[A-Z])|(?:sea|beach|ocean|mountains?|outdoors|rain|snow|sun|city|countryside|theat(?:re|er)|forest|cold|heat"
    r"|winter|summer|spring|autumn|dark|violin|piano|guitar|quiet)$|colou?r \w+|smell of|taste of)",
    re.I,
)


_POINTS_ELSEWHERE = re.compile(
    r"\b(?:them|it|there|here|him|her|you|me|us|this|these|those)\b|\b(?:to|in|of|at|for|about|with|by|on|from) that\b|^(?:to|then|both|all|that)$",
    re.I,
)


def tidy(raw: str) -> str:
    """A phrase without what hangs on behind it (now, too, please, 了, 啊) and without spaces around."""
    shown = raw.strip(" .~～-")
    for _ in range(3):
        trimmed = _EN_TAIL.sub("", shown) if shown.isascii() else _ZH_PHRASE_TAIL.sub("", shown)
        if trimmed == shown:
            break
        shown = trimmed
    return shown.strip(" .,~")


def read_phrase(raw: str) -> Read | None:
    """A few words that name a thing or an activity: no pronoun in front, at most 60 characters."""
    shown = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    if not shown or len(shown) > 60 or len(shown.split()) > 9 or not re.search(r"\w", shown):
        return None
    if _NOT_STARTS.match(shown) and not _GENERAL_THE.match(shown):
        return None
    if _POINTS_ELSEWHERE.search(shown):
        return None
    if (shown.isascii() and len(shown) < 2) or re.search(r"[吗呢么]$|什么|怎么|哪里|哪个|多少", shown):
        return None
    return shown, re.sub(r"^(?:(?:the|a|an|to|eating|drinking|playing) |[吃喝])", "", shown.lower())


def read_line(raw: str) -> Read | None:
    """What stands to the end of the clause, whole, at most 90 characters."""
    shown = tidy(raw)
    if not shown or len(shown) > 90 or not re.search(r"\w", shown) or re.search(r"[吗呢]$|什么|怎么|哪里|多少", shown):
        return None
    return shown, re.sub(r"\s+", " ", shown.lower())


def read_place(raw: str) -> Read | None:
    """A place: a name with a capital letter, or Chinese characters, or up to three plain words."""
    shown = tidy(_CUT.sub("", raw))
    if not shown or len(shown) > 60 or re.search(r"\d{5,}|[吗呢么]$|什么|哪|怎", shown):
        return None
    if _NOT_STARTS.match(shown) and not re.match(
        r"the (?-i:[A-Z])|the (?:city|countryside|suburbs|mountains|north|south|east|west)", shown, re.I
    ):
        return None
    if re.search(
        r"[她他它你您我]|学校|宿舍|酒店|旅馆|隔壁|附近|一起|^(?:装修|搬|吃|开|办|做|等|看|睡|打|玩|聊|忙|休息)", shown
    ) or _VAGUE_PLACE.match(shown):
        return None
    if not re.search(r"(?-i:[A-ZÀ-Þ])", shown) and re.search(r"[a-z]", shown) and len(shown.split()) > 5:
        return None
    return shown, shown.lower().removeprefix("the ")


_VAGUE_PLACE = re.compile(
    r"(?:an?|the)? ?(?:fear|peace|hope|harmony|denial|the past|past|future|moment|constant|world|different|same|interesting|exciting|"
    r"hotel|hostel|dorm|place|nearby|here|there|town|area|middle|luxury|poverty|hell|heaven|terms?)\b",
    re.I,
)
_ADDRESS = re.compile(
    r"\d|[路街道巷弄号区市省县镇村楼室]|(?:street|road|avenue|lane|square|strasse|straße|st\.|rd\.|ave)", re.I
)


def read_address(raw: str) -> Read | None:
    """A postal address: to the end of the sentence, commas included; it has a number or a word for a street."""
    shown = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    shown = re.split(
        r"[,，] ?(?:我|你|他|她|请|麻烦|谢谢|电话|手机|邮编是|my|please|thanks|I|call|and my)(?![a-zA-Z0-9])", shown
    )[0].strip(" ,，")
    if not 4 <= len(shown) <= 110 or not _ADDRESS.search(shown) or re.search(r"[吗呢么]$|什么|多少|\S+@\S+", shown):
        return None
    return shown, re.sub(r"[\s,，]+", " ", shown.lower())


_CONDITION = re.compile(r",? (?:if|when|whenever|unless|as long as|except|only (?:if|when|in|on|with))\b", re.I)
_COMPOUNDS = re.compile(
    r"(?:rock|mac|fish|salt|black|drum|bed|peanut butter|rhythm|arts|dungeons|gin|ham|bread|trial|track|song|wine|hide|cheese|read(?:ing)? and) "
    r"(?:and|&|n) (?:roll|cheese|chips|pepper|white|bass|breakfast|jelly|blues|crafts|dragons|tonic|eggs|butter|field|dance|seek|wine)",
    re.I,
)
_LIST_MARK = re.compile(
    r",? (?:and|&|as well as)(?: also)? |, ?| or |、|(?<=[\u3400-\u9fffA-Za-z])(?:以及|还有|和(?![平服谐牛声])|跟|与)(?=[\u3400-\u9fffA-Za-z])",
    re.I,
)


def split_condition(raw: str) -> tuple[str, str]:
    """The words without the condition that hangs on them, and that ("coffee", " if it is hot")."""
    found = _CONDITION.search(raw)
    return (raw[: found.start()], raw[found.start() :].rstrip(" .")) if found else (raw, "")


_HEADS = re.compile(
    r"(?: (?:movies|films|music|games|books|weather|food|foods|novels|shows|songs|stories|cuisine|dishes|drinks|restaurants|"
    r"clothes|cultures|teams|sports|seats|colou?rs|flavou?rs|styles?|art|literature|fiction|languages|wines?|beers?)|的[\u3400-\u9fff]+)$",
    re.I,
)


def split_list(raw: str) -> list[str]:
    """The items of an enumeration. It stays one where its words hang together ("action and comedy movies"); a comma
    that begins something else ends it; empty where the first words cannot stand alone."""
    text = tidy(_CUT_BEFORE_CLAUSE.sub("", raw))
    if _CONDITION.search(text):
        return [text]
    if "," in text and not _is_enumeration(text):
        first = text[: text.index(",")]
        return [] if re.search(r"\b(?:an?|the|such|so|very) [\w-]+$", first, re.I) else [first]
    items = [item.strip() for item in _LIST_MARK.split(text)]
    if _COMPOUNDS.search(text) or not all(items) or len(items) > 1 and _hangs_together(text, items):
        return [text]
    return items if read_phrase(items[0]) else []


def _is_enumeration(text: str) -> bool:
    if not re.search(r" (?:and|&|or) [^,]*$", text):
        return False
    return all(len(item.split()) <= 4 for item in _LIST_MARK.split(text))


def _hangs_together(text: str, items: list[str]) -> bool:
    """Whether the last item's noun also belongs to the others, or the items are too long to be an enumeration."""
    head = _HEADS.search(items[-1])
    if (
        items[0].startswith("在")
        or head
        and any(not _HEADS.search(item) and not item.endswith(("s", "ing")) and " " not in item for item in items[:-1])
    ):
        return True
    return max(len(item.split()) for item in items) > 5 or "," not in text and len(items[0].split()) > 2


READERS: Mapping[str, Reader] = {
    "phone": Reader(
        rf"(?:[+(]?\d[\d ().\-/]{{3,22}}\d|[{_NUMERALS}幺两]{{7,12}})(?![A-Za-z\d{_NUMERALS}])(?!-\d)",
        read_phone,
        typed=True,
    ),
    "certain_phone": Reader(r"[+(]?\d[\d ().\-/]{3,22}\d(?![A-Za-z\d])", read_certain_phone, typed=True),
    "email": Reader(
        r"[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{1,63}){1,4}", read_email, typed=True
    ),
    "code": Reader(
        r"(?:#? ?(?:[A-Z]{1,5} )?\d{2,6}(?: \d{3,6}){1,4}|(?-i:[A-Z]{1,5}) \d{2,12}|#? ?[A-Za-z0-9](?:[A-Za-z0-9_/\-]{0,38}[A-Za-z0-9])?)(?![A-Za-z0-9@])(?![.:]\d)",
        read_code,
        typed=True,
    ),
    "age": Reader(r"(?:\d{1,3}|[一二三四五六七八九十]{1,3})(?![\d:]|\.\d)", read_age, typed=True),
    "date": Reader(DATE, read_date, typed=True),
    "name": Reader(rf"(?:{EN_NAME}{_NAME_END}|{_LOW_NAME}{_NAME_END}|{ZH_NAME})", read_name),
    "full_name": Reader(rf"(?:{EN_NAME}{_NAME_END}|{_LOW_NAME}{_NAME_END}|{ZH_NAME})", read_zh_full_name),
    "cap_name": Reader(EN_NAME, read_name),
    "proper_name": Reader(rf"(?:{EN_NAME}{_NAME_END}|{ZH_NAME})", read_proper_name),
    "surname": Reader(
        rf"(?:{EN_NAME}{_NAME_END}|{_LOW_NAME}{_NAME_END}|(?:{_COMPOUND}|[{HAN}])(?![{HAN}]))", read_surname
    ),
    "place": Reader(rf"{_REST}{{1,70}}(?:, (?-i:[A-Z]){_REST}{{1,30}})?", read_place),
    "address": Reader(r"[^。;；!！?？\n\ue000\x00-\x1f\ud800-\udfff]{1,160}", read_address),
    "phrase": Reader(rf"{_REST}{{1,120}}", read_phrase),
    "list": Reader(r"[^。;；:：!！?？\n()（）\ue000\x00-\x1f\ud800-\udfff]{1,240}", read_phrase),
    "line": Reader(rf"{_REST}{{1,110}}", read_line),
}
