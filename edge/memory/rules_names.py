"""Names in a person's words: what can be one, and what only stands where one could."""

from __future__ import annotations

import re

from edge.memory.rules_numbers import HAN, Read

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
COMPOUND = "欧阳|司马|上官|诸葛|东方|皇甫|尉迟|公孙|慕容|令狐|司徒|端木|歐陽|司馬|諸葛"
_ZH_NOT_NAMES_TEXT = """
什么 什麼 甚么 啥 谁 马上 高兴 方便 明天 安静 程序 白天 于是 时候 常常 金额 全部 全家 不是 没有 师傅 师父
外卖 滴滴 出租车 车 人 救护车 代驾 快递 别人 大家 老板 服务员 老师 医生 时间 高手 平时 平常 通常 方案 温柔
能干 国外 文件 应该 单独 双方 同事 朋友 小孩 小姐 小时 小心 小声 小费 老公 老婆 老妈 老爸 阿姨 干嘛 怎么
这个 那个 一个 一声 一下 成年 强烈 常客 单身 万一 连续 向来 从来 全职 冷静 安全 支持 解决 计划 管理 居然
简单 易怒 白痴 满意
"""
_ZH_NOT_NAMES = frozenset(_ZH_NOT_NAMES_TEXT.split())
_ZH_NOT_START = "了他她它你您我咱这那哪怎不没别去来出在啥谁几个一再又也都很太真还就被把给让"
_ZH_NOT_END = "来去帮吃走看做等说喝玩睡送拿买接回起了过着吗呢么"
_ZH_LUCKY = re.compile("来[福财喜宝旺运]|去病|无病")
"""Names that begin as other words do."""
_ZH_ERRAND = re.compile("明天|今天|后天|早上|晚上|下午|中午|起床|下周|周[一二三四五六日末]|现在|赶紧|快点|帮")
_ZH_TAIL = re.compile(r"(?:就行|就好|就可以|就成|就得|即可|吧|啊|呀|哦|哈|嘛|啦|呢|好了|好啦|了)+$")
EN_WORD = r"(?-i:[A-ZÀ-Þ][a-zà-ÿ]{1,15})"
_EN_PART = r"(?-i:[A-ZÀ-Þ][A-Za-zÀ-ÿ]*(?:['-][A-ZÀ-Þ]?[A-Za-zÀ-ÿ]+)?\.?)"
EN_NAME = rf"{_EN_PART}(?: (?:(?-i:van|von|de|da|del|der|den|la|le|bin|al|el) ){{0,2}}{_EN_PART}){{0,3}}"
LOW_NAME = r"[a-zà-ÿ]{2,20}(?:-[a-zà-ÿ]{2,20})?(?: [a-zà-ÿ]{2,20})?"
ZH_NAME = rf"[{HAN}]{{1,8}}(?:·[{HAN}]{{1,8}}){{0,2}}"
NAME_END = (
    r"(?=\s*(?:$|[,，。.;；!！?？\n()（）\ue000~～…了吧啦哦呀啊]|- |—|(?:and|but|from|by|or|in case|if|for|please"
    r"|thanks|now|here"
    r"|speaking|by the way|btw|again|too|i|so|with|as|okay|ok|not|instead|rather|actually|then)\b))"
)
_EN_NOT_NAMES_TEXT = """
a an the not no on in at to of for with from by as is was be been being it its this that these those what
who whom which where when why how same different secret very so too also just only really quite pretty
actually now here there then always never still already often usually called named known spelled spelt
written pronounced hard easy difficult long short common rare unusual unique weird strange funny boring
beautiful nice good bad great fine okay ok sure sorry wrong right correct incorrect true false real fake
mine yours his hers ours theirs my your our their me you him her us them everyone everybody nobody someone
anyone something nothing unknown private none back later tomorrow today tonight tired busy ready happy sad
glad mad crazy whatever whenever anything anytime monday tuesday wednesday thursday friday saturday sunday
one two if and or but because going getting coming trying about after before again maybe up out off over
under into onto stupid lazy old young names confidential missing misspelled listed empty blank
old-fashioned please stop english chinese french german italian spanish japanese american british asian dr
mr mrs ms sir i i'm taxi cab doctor police uber idiot liar
asap soon sometime anyway immediately first directly instead taken mud gone
"""
_EN_NOT_NAMES = frozenset(_EN_NOT_NAMES_TEXT.split())


def read_name(raw: str) -> Read | None:
    """A person's name where the frame already says that a name follows ("my name is ...")."""
    shown = _ZH_TAIL.sub("", raw.strip(" ."))
    if re.search(rf"[{HAN}]", shown):
        return _read_zh_name(shown) if raw.strip() not in _ZH_NOT_NAMES else None
    words = shown.lower().split()
    if not words or any(word in _EN_NOT_NAMES for word in words) or (len(words[0]) < 2 and len(words) == 1):
        return None
    if shown.islower() and any(map(_is_common_word, words)):
        return None
    return shown, shown.lower()


_ZH_WHEN_OR_HOW = re.compile(
    "[今昨明后前去]天|[今明去前后]年|昨晚|今[早晚]|现在|最近|目前|已经|一直|[以之]前|[以之]后|后来|从小|平[时常]|经常|总是|可能|好像|大概|也许"
    "|[上下这本]个?[周月]|周末|星期|刚[刚才]|正在|打算|准备|喜欢|[还都也就不正]是|[还都也就不正]在|[他她]们|早上|晚上|中午|下午|[一全]家"
    "|夫妻|退休|搬家|怀孕|原来|本来|其实|当时|通常|每|长期|暂时|仍|曾经|至今|[高初]中|大学|小学|[姐妹哥弟嫂夫]"
)


def is_given_name(raw: str) -> bool:
    """Whether what stands behind a relation ("my sister Hannah") is its name: not 我姐姐今天 nor 我妹妹一直."""
    return read_name(raw) is not None and _ZH_WHEN_OR_HOW.match(raw) is None


_NO_NAME_SHAPE = re.compile(r"\w+(?:able|ible|ful|less|ous|ive|tant)|\w{3,}ing|\w{3,}ed")
_NAMES_ALL_THE_SAME = re.compile(r"xiao\w+|sterling|fred|jared|\w*(?:fred|hamm?ed|hmed|mildred)|yves|clive|olive")


def _is_common_word(word: str) -> bool:
    """Whether a word in lower case has the shape of an adjective or a participle rather than of a name."""
    return bool(_NO_NAME_SHAPE.fullmatch(word)) and not _NAMES_ALL_THE_SAME.fullmatch(word)


def _read_zh_name(shown: str) -> Read | None:
    if _ZH_ERRAND.match(shown) or (len(shown) > 2 and shown[-1] in _ZH_NOT_END):
        return None
    if _ZH_LUCKY.fullmatch(shown):
        return shown, shown
    if not shown or shown in _ZH_NOT_NAMES or shown[0] in _ZH_NOT_START or (len(shown) > 6 and "·" not in shown):
        return None
    return shown, shown


def read_zh_full_name(raw: str) -> Read | None:
    """A Chinese name by its shape (family name first, 小王, 豆豆), where other things can follow too (我叫...)."""
    shown = _ZH_TAIL.sub("", raw.strip())
    if not re.search(rf"[{HAN}]", shown):
        return read_name(raw)
    if _read_zh_name(shown) is None or shown[-1] in _ZH_NOT_END:
        return None
    shaped = re.fullmatch(
        rf"[{_SURNAMES}][{HAN}]{{1,2}}|(?:{COMPOUND})[{HAN}]{{1,2}}|[小老阿大][{HAN}]{{1,2}}|([{HAN}])\1"
        rf"|[{HAN}]+·[{HAN}·]+",
        shown,
    )
    return (shown, shown) if shaped else None


_TITLE_OR_PEOPLE = re.compile(
    r"(?:South|North|East|West|Northern|Southern|Puerto|Costa|Saudi|Sri|New|Roman|Greek|African|Asian|Latin|Native|Vice|Team"
    r"|Senior|Junior|Chief|Head|Software|Project|Product|Sales|General|Managing|Super|Totally|Feeling|So|Excited) "
)


_PEOPLE = re.compile(
    r"\w+(?:ish|ese|ean|ian|can|stani|aeli|eli|aqi)|German|French|Greek|Dutch|Swiss|Thai|Czech|Turk|Finn|Dane|Swede|Pole|Serb|Croat|Arab"
    r"|Muslim|Jewish|Hindu|Buddhist|Catholic|Protestant|Atheist|Afghan|Roman|Norman|Vegan|Vegetarian|Pregnant|Married|Single|Divorced|Dead|Sick|Late|Done|Lost|Stuck|Curious"
)
_PERSONS_TEXT = """
Brian Ian Adrian Julian Vivian Sebastian Fabian Damian Gillian Lillian Marian Florian Kilian Dorian Jillian Duncan
Trish Eli Sean Jean Dean Ean Cillian
"""
_PERSONS_AFTER_ALL = frozenset(_PERSONS_TEXT.split())


def read_single_name(raw: str) -> Read | None:
    """One capitalised word after a greeting and "I'm": no people, no faith, no state one is in."""
    read = read_name(raw)
    if read is None or _is_common_word(read[1]):
        return None
    return read if read[0] in _PERSONS_AFTER_ALL or not _PEOPLE.fullmatch(read[0]) else None


def read_self_name(raw: str) -> Read | None:
    """A Chinese name after 我是, which mostly says something else: no 我是东北人, 我是老客户, 我是金牛座."""
    read = read_zh_full_name(raw)
    if read is None or re.search(r"[人户家员师生客手迷控粉党族者座派子型痴盲届级]$|^[老大]", read[0]):
        return None
    return read if not read[0].isascii() or " " in read[0] or read[0][0].isupper() else None


def read_proper_name(raw: str) -> Read | None:
    """A name after a bare "I'm": given and family name, both capitalised, or a Chinese full name."""
    read = read_zh_full_name(raw)
    if read is None or _TITLE_OR_PEOPLE.match(read[0]):
        return None
    return read if " " in read[0] or not read[0].isascii() else None


def read_surname(raw: str) -> Read | None:
    """A family name; a Chinese one is known by the list of them."""
    shown = _ZH_TAIL.sub("", raw.strip(" ."))
    if shown.isascii():
        return read_name(shown)
    return (shown, shown) if re.fullmatch(rf"[{_SURNAMES}]|{COMPOUND}", shown) else None
