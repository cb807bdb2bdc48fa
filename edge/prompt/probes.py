"""Words that stand for what a person's notes can be about: how likely a model takes each of them for the topic of a
note is what the note is compared by, in whichever language it is."""

from __future__ import annotations

_ENGLISH = (
    "food cooking recipe restaurant drink coffee tea bread meat vegetable fruit health medicine doctor hospital sleep "
    "exercise sport running body pain pet cat dog animal plant garden flower nature weather travel trip flight hotel "
    "train car driving bus road city home house room furniture repair cleaning family father mother child baby friend "
    "people school teacher student homework exam language book reading writing music piano song film game art photo "
    "phone computer internet network software code data server hardware electricity battery device camera work job "
    "office meeting project money bill payment price shopping clothes bank tax insurance rent law news history "
    "science time date schedule event party holiday birthday emotion plan"
)
_CHINESE = (
    "食物 烹饪 做饭 饮食 餐厅 饮料 咖啡 茶 面包 肉 蔬菜 水果 健康 医疗 药物 医生 医院 睡眠 运动 跑步 身体 "
    "疼痛 宠物 猫 狗 动物 植物 花园 花 自然 天气 气候 旅游 旅行 航班 酒店 火车 汽车 驾驶 交通 城市 家庭 家居 "
    "房屋 房间 维修 清洁 父亲 母亲 孩子 朋友 学校 教育 老师 学生 作业 考试 语言 学习 阅读 写作 音乐 钢琴 歌曲 "
    "电影 游戏 艺术 摄影 手机 电脑 网络 软件 代码 数据 服务器 硬件 电力 电池 设备 工作 办公 会议 项目 金钱 "
    "费用 付款 价格 购物 服装 银行 税 保险 租 法律 新闻 历史 科学 时间 日期 安排 活动 节日 生日 情感 计划"
)
_TECHNICAL = (
    "computer internet network software code data server hardware device 电脑 网络 软件 代码 数据 服务器 硬件 设备"
)

ENGLISH = tuple(_ENGLISH.split())
CHINESE = tuple(_CHINESE.split())
TECHNICAL = frozenset(_TECHNICAL.split())
"""Words of technical subjects."""
