"""Every world with every entity renamed and every number changed, and its questions changed with it.

What a thing is called and how much it is stands in the data; what it *is* (a sector, a weight, a delay) is what
`knows.json` speaks of and stays. Dates stay too, because they tie questions to the world's calendar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from planexec.trials import Scenario
from planexec.worlds import load
from planexec.worlds.common import read_data, renamed
from planexec.worlds.flights import scenarios

FILES = {"finance": "knowledge.json", "research": "pages.json"}
NAMES: dict[str, dict[str, str]] = {
    "finance": {
        **{"banks": "mills", "property": "quarries", "brokers": "ferries", "consumer": "orchards", "cash": "ballast"},
        **{"银行": "磨坊", "地产": "采石", "券商": "渡轮", "消费": "果园", "现金": "压舱"},
        **{
            "Everpine": "Moonbarrow",
            "Lantern Harbour": "Thistle Quay",
            "Ninefold": "Sixpence",
            "Oakbridge": "Fernpool",
        },
        **{"Slate Terrace": "Clay Meadow", "Willowgate": "Hollinside", "Quillstone": "Ravenweir", "Amberline": "Tansy"},
        **{"Tidemark": "Longstaff", "Maplebowl": "Plumtray", "Copperkettle": "Tinwhistle", "Paperkite": "Woodtop"},
        **{
            "长松": "月冢",
            "灯港": "蓟码",
            "九叠": "六文",
            "橡桥": "蕨池",
            "石台": "泥原",
            "柳门": "冬青",
            "翎石": "鸦堰",
        },
        **{"珀线": "艾菊", "潮痕": "长杖", "枫碗": "李盘", "铜壶": "锡笛", "纸鸢": "木陀"},
        **{"East Harbour": "North Pier", "东港": "北墩", "Juniper": "Rowan", "杜松": "花楸"},
    },
    "research": {
        **{"Northlake": "Velmora", "Glasswing": "Tarnhelm", "Kestrelway": "Oxbow", "Ferrowick": "Coldharbour"},
        **{"Saltmarsh": "Pinewharf", "Redfern": "Bluegate", "Brightmoor": "Duskvale", "Orrin": "Selby"},
        **{"Verdale": "Ashcombe", "Lanternfield": "Hopyard", "Volt Ledger": "Ampere Log", "Cell Courier": "Anode Post"},
        **{
            "北湖": "维莫",
            "玻翼": "塔恩",
            "隼道": "牛轭",
            "铁弦": "寒港",
            "盐沼": "松埠",
            "赤蕨": "蓝闸",
            "明沼": "暮谷",
        },
        **{"奥陵": "塞比", "翠谷": "梣峪", "灯原": "酒花", "伏特账本": "安培日志", "电芯快报": "阳极邮报"},
    },
    "flights": {
        **{"KITE": "ROOK", "HB1": "XA7", "LT2": "YB8", "MQ3": "ZC9", "SN4": "UD6", "WF5": "VE4"},
        **{"Harbour City": "Mill Town", "Lantern Bay": "Candle Cove", "Marquess Field": "Baron Meadow"},
        **{"Sandridge": "Clayford", "Waterford Hill": "Ferry Down", "港城": "磨镇", "灯湾": "烛湾", "侯原": "男原"},
        **{"沙岭": "泥渡", "渡丘": "津坡"},
    },
    "orders": {
        **{f"ORDER-00{n}": f"ORDER-91{n}" for n in range(1, 9)},
        **{"Tamsin Oake": "Hester Vane", "Bram Loxley": "Silas Pike", "Wren Ashby": "Opal Reed", "谭欣欧": "韩思婉"},
        **{"Odalys Finch": "Petra Holm", "洛布朗": "白思力", "任艾碧": "欧碧芦", "芬欧黛": "贺佩珊"},
        **{"glass vase": "stone bowl", "玻璃花瓶": "石碗", "desk lamp": "door bell", "台灯": "门铃"},
        **{"Eastholm": "Ottermouth", "Westholm": "Badgerford", "Northgate": "Foxhill", "Southmere": "Haredale"},
        **{"Swift Heron": "Slow Crane", "疾鹭": "缓鹤", "desk@office": "hall@works", "C-1": "K-4"},
    },
    "rivals": {
        **{"Alder Desk": "Nimbus Sofa", "Birch Desk": "Cirrus Sofa", "桤木书桌": "雨云沙发", "桦木书桌": "卷云沙发"},
        **{"Maple Mart": "Zed Bazaar", "Gull Store": "Crow Corner", "Tin Roof Depot": "Slate Shed"},
        **{"枫市": "末集", "鸥铺": "鸦角", "铁皮仓": "石棚", "standing desk": "folding sofa", "升降书桌": "折叠沙发"},
    },
    "duty": {
        **{"Checkpoint": "Turnstile", "检查口": "闸位", "KITE": "ROOK", "PR-": "RULE-"},
        **{"dangerous goods": "sealed crates", "危险品": "铅封箱", "unescorted minors": "lone travellers"},
        **{
            "Unescorted minors": "Lone travellers",
            "无人陪伴儿童": "独行旅客",
            "delegation": "orchestra",
            "代表团": "乐团",
        },
        **{"Lantern Bay": "Candle Cove", "灯湾": "烛湾", "Sandridge": "Clayford", "沙岭": "泥渡"},
    },
}
QUESTION_NAMES = {"finance": {"800 bn": "900 bn", "200 bn": "270 bn", "25%": "30%", "1,000,000": "640,000"}}
QUESTION_NAMES["finance"] |= {"8000亿": "9000亿", "2000亿": "2700亿", "100万": "64万"}
WEIGHTS, SHARES = ("22%", "18%", "13%", "35%", "12%"), ("34%", "28%", "21%", "17%")

_KEPT = re.compile(
    r"https?://\S+|\S+@\S+|\b[A-Z]+-\d+"
    r"|\d{4}-\d\d-\d\d|\b(?:19|20)\d\d\b|\d{4}年|\d+月(?:\d+日)?|\d+ [A-Z][a-z]+ 20\d\d"
)
_TIME = re.compile(r"\b(\d\d):(\d\d)\b")
_NUMBER = re.compile(r"(?<![\w.,:-])\d[\d,]*(?:\.\d+)?(?![\w:-])", re.ASCII)
UNTOUCHED = ("url", "id", "date", "links", "scenarios", "faults", "boost", "order", "customer", "flight", "procedure")


def other_number(text: str) -> str:
    """other_number("1,250") -> "2,250": the first digit moves on, everything else stays."""
    place = next(i for i, c in enumerate(text) if c.isdigit())
    return f"{text[:place]}{int(text[place]) % 9 + 1}{text[place + 1 :]}"


def _other_text(text: str) -> str:
    """A text with other numbers and times; dates, addresses and names with digits stay as they are."""
    parts: list[str] = []
    at = 0
    for kept in (*_KEPT.finditer(text), None):
        part = text[at : kept.start() if kept else None]
        part = _TIME.sub(lambda m: f"{(int(m[1]) + 1) % 24:02d}:{(int(m[2]) + 5) % 60:02d}", part)
        parts += [_NUMBER.sub(lambda m: other_number(m[0]), part), kept.group() if kept else ""]
        at = kept.end() if kept else at
    return "".join(parts)


def other_numbers(value: Any, key: str = "") -> Any:
    """A copy of a world's data with every number changed, in texts and as values. A delay stays on its side of 15."""
    if key in UNTOUCHED or isinstance(value, bool):
        return value
    if isinstance(value, dict):
        return {name: other_numbers(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [other_numbers(each, key) for each in value]
    if isinstance(value, str):
        return _other_text(value)
    if isinstance(value, (int, float)):
        return value + (3 if key == "delay_minutes" else 50 if key.startswith("price") else 7)
    return value


def other_world(world: str) -> Any:
    """The world's data with other names and other numbers."""
    data = other_numbers(renamed(read_data(world, FILES.get(world, f"{world}.json")), NAMES[world]))
    for entry in data["entries"] if world == "finance" else ():
        for name, values in (("weights", WEIGHTS), ("shares", SHARES)):
            for table in entry.get("tables", {}).get(name, {}).values():
                table.update(zip(list(table), values, strict=True))
    return data


def rename(world: str) -> Callable[[str], str]:
    """What becomes of a question's text."""
    names = NAMES[world] | QUESTION_NAMES.get(world, {})
    return lambda text: renamed(text, names)


def scenarios_of(world: str, lang: str, loop: str, data: Any) -> list[Scenario]:
    """All questions of a world in the renamed one, judged by the rules of the questions they were."""
    change = rename(world)
    asked = [(name, text) for name, text in load(world, lang).questions.items()]
    if world == "flights":
        asked = [(each["id"], each["question"]) for each in scenarios(lang)]
    return [
        Scenario(
            world, change(text), lang, loop, case=f"{world}/{name}/{lang}/{loop}", answer=name, options={"data": data}
        )
        for name, text in asked
    ]
