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
absolut accomplish ador ago agre all along alway anyon around believ blast bring brought buddi certain chat chill
congrat cute definit differ down each effort encourag end everyon experi fam fantast fave favorit felt folk forward
found friend gang gave gonna gotta guy hard hey huge import impress incred insan inspir interest joy kinda late lately
life made matter mention off over own passion person photo pic pictur proud remain remind reward same seven share show
sinc some someon sometim special spot stay stoke strong super surround thanks throughout togeth total tough toward
truli user wanna whole woah woohoo word worri yeah yep yup
abl alright background bliss bummer corner enjoy few finish free front group hold indeed key man men mind posit savor
set sit small smile stand such tackl understand view woman women
although either enough ladi meant neither past though true vibe worth yea
"""
_CHAT_PAIRS = """
建议 推荐 喜欢 感到 感觉 感受 非常 谢谢 感谢 高兴 开心 聊天 聊聊 分享 尝试 试试 朋友 帮助 支持 鼓励 努力 加油 认识
交流 一直 经常 一起 一次 一种 一定 一些 一点 希望 愿意 有趣 有意 意思 美好 重要 不错 真的 真是 特别 比较 更加 更多
其他 其实 其中 各种 许多 平时 平常 每天 每次 计划 打算 准备 开始 发现 发生 体验 方法 方式 注意 记住 记下 关注 明白
理解 了解 提供 具体 享受 充满 让人 令人 找到 确实 当然 同时 不过 虽然 然而 之前 之后 以前 以后 自己 大家 别人
有人 生活 目前 近期 近来 成为 进行 包括 变得 值得 相信 客气 期待 名字 新开 家新 件新 听起 听上 学起 尤其 实用 受启
考虑 适合 地方
制定 选择 宝贵 优美 美丽 漂亮 精彩 出色 著名 有名 丰富 简单 正常 合适 适当 有效 积极 相关 具有 影响 能力 提高 提升 增强
保持 尽量 作为 内容 建立 进步 目标 未来 不断 很多 十分 困难 困惑 受益 收获 顺利 愉快 美妙 实际 详细
哈哈 任务 知识 经验 分解 完成 安排 合理 开拓 执行 掌握 技巧 水平 基础 寻找 寻求 品尝 参加 参与
"""

_CHINESE_WORDS = """
小说 天气 天空 天文 时间 时尚 时装 时差 气候 可乐 想象 会议 会员 展会 社会 晚会 聚会 机会 行李
旅行 银行 行业 出行 骑行 道路 味道 街道 频道 过敏 过年 睡觉 太阳 太极 太空 真相 点心 景点 甜点
糕点 几何 儿童 儿子 女儿 幼儿 婴儿 看书 看病 请假 问卷 着装 学会 做菜 做饭 说明 传说 演说 访问
前台 后院 先生 现金 明星 文明 发明 证明 行为 好奇 爱好 自行
"""
NAMES_ALL_THE_SAME = frozenset(_CHINESE_WORDS.split())
"""Pairs that are words, though one of their characters says nothing by itself."""
SAY_NOTHING = frozenset(_ENGLISH_STEMS.split()) | frozenset(_CHINESE_PAIRS.split())
"""English words as their stems, Chinese ones as pairs of characters."""
NAME_NOTHING = SAY_NOTHING | frozenset(_CHAT_STEMS.split()) | frozenset(_CHAT_PAIRS.split())
"""With these no group of notes is named: a talk may still turn to one of them ("import")."""
SAY_NOTHING_CHARACTERS = frozenset(
    "怎样想要说问看来去做能会可好很太真不没多少几点儿时候天今昨明现刚才前后请谢行嗯啊哦再又先吧等知道觉得着过从到为于而且只最已经"
)
"""A pair with one of these says nothing."""
