"""Whether a message asks how far the work at hand is: "How far are you?", "进度如何？".

The whole message must be such a question. The same words ask for much else: "How far is it to Berlin?", "进度条怎么写".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from edge.memory.rules_regex import LazyPattern

_LONGEST = 120
"""Characters of a message that can be such a question."""

_ENGLISH_BEFORE = (
    "hey", "hi", "hello", "ok", "okay", "so", "and", "well", "please", "edge", "by the way", "btw", "quick question",
    "(?:can|could|would|will) you (?:please )?(?:tell me|let me know|say|give me)", "(?:please )?tell me",
    "let me know", "give me", "do you know", "i(?:'d| would) like to know", "i want to know", "just wondering",
    "i wonder", "just",
)  # fmt: skip
_ENGLISH_AFTER = (
    "now", "so far", "yet", "already", "right now", "at the moment", "at this point", "by now", "currently", "today",
    "please", "then", "again", "there", "up to now", "edge", "until now",
)  # fmt: skip
_ENGLISH_WORK = (
    "import(?:ing)?", "export(?:ing)?", "upload(?:ing)?", "download(?:ing)?", "batch", "job", "jobs", "tasks?", "work",
    "migration", "sync", "contacts", "items", "entries", "records", "files", "rows", "invoices", "list", "ones",
    "process", "processing", "operation", "adding", "conversion", "cleanup", "transfer", "backup", "run",
)  # fmt: skip
_ENGLISH = (
    # how far
    "how far (?:along )?(?:are|have) (?:you|we) ?(?:got|gotten|come|along)?{with}?",
    "how far (?:along )?(?:you|we) (?:are|have got|have gotten|have come|got)(?: along)?{with}?",
    "how far did (?:you|we|it) get{with}?",
    "how far has (?:it|{work}) (?:got|gotten|come)",
    "how far along (?:is|are) (?:it|that|this|everything|things|{work})",
    "how far along (?:it|that|{work}) (?:is|are)",
    "how far (?:is|are) {work}(?: along)?",
    "how far {work} (?:is|are)(?: along)?",
    # how many, how much
    "how many (?:of (?:them|those|these|{work}) )?(?:{bare} )?(?:are|is|have been|were) {finished}",
    "how many (?:of (?:them|those|these|{work}) )?(?:{bare} )?(?:have|did) (?:you|we) {finished}",
    "how many (?:{bare} )?(?:are (?:still )?)?(?:left|to go|remaining|missing|open|still to do)",
    "how many more(?: {bare})?(?: (?:are )?(?:left|to go))?",
    "how much (?:of (?:it|that|{work}) )?is (?:still )?(?:left|done|finished|remaining|missing|to do)",
    "what (?:percentage|percent|share|part)(?: of (?:it|{work}))? (?:is|are|have you) {finished}",
    # progress, status
    "(?:any|your|current|the)? ?progress(?: report| update)?{with}?",
    "what(?:'s| is) (?:the|your|our)(?: current)? (?:progress|status)(?: of the progress)?{with}?",
    "(?:a |an |the )?(?:status|progress) (?:report|update|check){with}?",
    "status(?: of {work})?",
    "how (?:is|'s|are) {work} (?:going|coming along|coming|doing|progressing|looking)",
    "how(?:'s| is) (?:it|that|everything) (?:coming along|progressing)",
    "how are you (?:getting on|getting along|coming along|progressing|doing) with (?:it|that|{work})",
    # where, which
    "where are you (?:at|up to)?(?: with (?:it|that|{work}))",
    "where are you (?:at|up to)",
    "(?:which|what) (?:item|number|one|entry|record|contact|file|row|step) are you (?:on|at|up to|doing|working on)",
    # finished?
    "(?:are|have) (?:you|we) (?:all |nearly |almost )?(?:done|finished|through){with}?",
    "have you finished (?:it|that|{work}|adding {work})",
    "did you finish(?: it| that| everything| {work})?",
    "(?:is|are) (?:it|that|everything|they|all of it|all of them|{work}) (?:all )?(?:done|finished|completed?|through)",
    # failures
    "(?:did|has|have) (?:anything|something|any|any of them|any {bare}) (?:fail|failed|go wrong|gone wrong)",
    "(?:what|which|which ones|which one|how many|which {bare}|how many {bare}) (?:have |has )?failed",
    "(?:any|were there any|are there any) (?:failures|errors|problems)",
)  # fmt: skip
"""Whole questions; `{work}` is a name of the work, `{with}` such a name after "with", "on" or "of"."""
_ENGLISH_FINISHED = (
    "(?:been )?(?:done|finished|complete|completed|added|add|imported|import|processed|uploaded|handled|exported|do|"
    "finish|process|upload|handle|through|left|failed|managed)"
)

_CHINESE_BEFORE = (
    "请问", "那么", "那个", "那", "嗯", "喂", "你好", "好的", "对了", "现在", "目前", "当前", "到现在", "到目前为止",
    "已经", "你们", "你", "我们", "这些", "那些", "这个", "这批", "那批", "都", "全部", "一共", "总共", "所有", "的",
    "是", "告诉我", "跟我说", "说", "讲", "汇报", "报告", "看看", "看", "查", "帮我", "麻烦", "给我", "我想知道",
    "一下", "下", "联系人", "通讯录", "名单", "任务", "批量", "批处理", "工作", "文件", "数据", "记录", "条目",
    "订单", "发票", "事情", "活儿", "活", "整体", "这边",
)  # fmt: skip
_CHINESE_VERBS = (
    "导入", "导出", "导", "添加", "新增", "增加", "加", "上传", "处理", "做", "弄", "搞", "办", "进行", "迁移", "同步",
    "发送", "录入", "录", "输入", "删除", "删", "整理", "执行", "跑", "完成", "转换", "备份", "操作", "更新", "忙",
)  # fmt: skip
_CHINESE = (
    # 进度
    "(?:{verb})?的?进(?:度|展)(?:现在|目前)?(?:如何|怎么样|怎样|咋样|是多少|多少|到哪(?:里|儿|一步)?|到多少|是什么|什么情况)?了?",
    "有(?:什么|啥|没有)?进展了?",
    "(?:{verb}|任务|工作|批处理)的?(?:情况|状态)(?:如何|怎么样|怎样)了?",
    "(?:{verb}|任务|工作)(?:得|的)(?:如何|怎么样|怎样|咋样)了?",
    "(?:{verb}|任务|批处理)(?:如何|怎么样|怎样|咋样)了",
    # 到哪
    "(?:{verb})到(?:哪(?:里|儿|一步|个|一个|一条)?|第?(?:几|多少)(?:个|条|项|步|份|位|行)?|什么程度)了?",
    "到(?:哪一?步|第几(?:个|条|项|步|份|位|行)|哪个|百分之(?:几|多少))了?",
    # 多少
    "(?:{verb})(?:了|完了|好了|完|好|成功了?)?(?:多少|几)(?:个|条|项|份|位|行)?(?:{noun})?了?",
    "(?:{verb})?了?百分之(?:几|多少)了?",
    "还(?:有|剩|剩下|差)(?:多少|几)(?:个|条|项|份|位|行)?(?:{noun})?(?:没有?(?:{verb})(?:完|好)?|要(?:{verb})|未(?:{verb}))?了?",
    # 完了吗
    "(?:{verb})(?:完成|完|好|成功)?(?:了没有|了没|了吗|没有|没|了么)",
    "(?:{verb})(?:完成|完|好)没",
    "(?:{verb})(?:完|好|完成)(?:了)?(?:吗|么)",
    "(?:好|搞定|结束)(?:了没有|了没|了吗|没)",
    # 失败
    "有(?:没有)?(?:失败|出错|没成功)的?(?:{noun})?",
    "(?:哪些|哪个|哪几个|多少个?|几个|什么|第几个)(?:{noun})?(?:失败|出错|没成功)了?",
    "失败了(?:几个|多少个?|哪些|哪几个)",
)  # fmt: skip
_CHINESE_NOUNS = ("联系人", "任务", "文件", "数据", "记录", "条目", "订单", "发票", "项目", "人")
_CHINESE_AFTER = "(?:呢|啊|呀|吗|啦|吧|哈|么|嘛)*"


class ProgressQuestions:
    """What asks how far the work at hand is. Its patterns are large: they are compiled when they are first used, or
    before, with `lazy`."""

    def __init__(self) -> None:
        self._english = LazyPattern(_english(), {}, "progress questions in English")
        self._chinese = LazyPattern(_chinese(), {}, "progress questions in Chinese")

    def lazy(self) -> Iterator[LazyPattern]:
        """What is compiled when it is needed."""
        yield self._english
        yield self._chinese

    def asked_in(self, text: str) -> bool:
        """Whether a message asks how far the work at hand is, and nothing else."""
        if len(text) > _LONGEST:
            return False
        plain = " ".join(unicodedata.normalize("NFKC", text).casefold().replace("’", "'").split())
        bare = re.sub(r"[\s?!.。,，、~…:;]+$", "", plain)
        if self._english.get().fullmatch(re.sub(r"[,.:;!-]+ ", " ", bare)):
            return True
        return self._chinese.get().fullmatch(re.sub(r"[\s,，。、!?~…]+", "", bare)) is not None


def _english() -> str:
    bare = f"(?:{'|'.join(_ENGLISH_WORK)})"
    work = f"(?:(?:the|this|that|your|my|our|all|those|these) )?(?:[a-z]+ ){{0,2}}?{bare}"
    parts = {
        "work": work, "bare": bare, "finished": _ENGLISH_FINISHED,
        "with": f"(?: (?:with|on|of|in) (?:it|that|this|them|everything|{work}))",
    }  # fmt: skip
    questions = "|".join(f"(?:{question.format(**parts)})" for question in _ENGLISH)
    before, after = "|".join(_ENGLISH_BEFORE), "|".join(_ENGLISH_AFTER)
    return f"(?:(?:{before}) )*(?:{questions})(?: (?:{after}))*"


def _chinese() -> str:
    parts = {"verb": "|".join(_CHINESE_VERBS), "noun": "|".join(_CHINESE_NOUNS)}
    questions = "|".join(f"(?:{question.format(**parts)})" for question in _CHINESE)
    return f"(?:{'|'.join(_CHINESE_BEFORE)})*(?:{questions}){_CHINESE_AFTER}"
