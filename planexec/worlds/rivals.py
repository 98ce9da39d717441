"""The rivals world: compare two rivals' prices and write a report with a service that never answers.

    search_price, fetch_page, write_report = tools(lang="en")

What is wrong on purpose (`designed_failures` in data/rivals/rivals.json): writing the report times out, always. The
prices are all there, so whoever concludes from the failure that data is missing, and starts over, is wrong.
"""

from __future__ import annotations

from typing import Any

from planexec.tools import Observation, Tool, empty, failed, found
from planexec.worlds.common import Outbox, check_language, make_tool, plain_key, post, read_data

DATE = "2026-11-02"
QUESTIONS = {
    "en": {"compare": "Compare the prices of Alder Desk and Birch Desk and write a competitor report."},
    "zh": {"compare": "比较竞品桤木书桌和桦木书桌的价格，写一份竞品报告。"},
}
SECONDS = 0.7  # what a search or a page takes on a virtual clock
TIMEOUT_SECONDS = 10.0  # after which the report service is given up; 238 calls with half of them so fit into 47 minutes

_WORDS: dict[str, dict[str, dict[str, str]]] = {
    "search_price": {
        "": {
            "en": "Prices of one product in all shops. Data: product, about, offers with shop, price_yuan, date "
            "(YYYY-MM-DD) and url; lowest_yuan.",
            "zh": "查询一个产品在各商店的价格。数据：product、about、offers（shop、price_yuan（元）、"
            "date（YYYY-MM-DD）、url）、lowest_yuan（最低价，元）。",
        },
        "product": {"en": "Name of one product", "zh": "一个产品的名称"},
    },
    "fetch_page": {
        "": {
            "en": "Open the page of one offer. Data: product, shop, price_yuan, date (YYYY-MM-DD), warranty_months, "
            "delivery_days.",
            "zh": "打开一个报价的网页。数据：product、shop、price_yuan（元）、date（YYYY-MM-DD）、"
            "warranty_months（月）、delivery_days（天）。",
        },
        "url": {"en": "Its address, as the price search gave it", "zh": "网页地址，与价格查询结果一致"},
    },
    "write_report": {
        "": {
            "en": "Hand the finished report to the report service, which stores it under its title; the same title "
            "replaces it. Data: title, characters.",
            "zh": "把写好的报告交给报告服务，按标题保存，相同标题会覆盖。数据：title、characters（字符数）。",
        },
        "title": {"en": "Title of the report", "zh": "报告标题"},
        "text": {"en": "The whole report", "zh": "报告全文"},
    },
}
_SAID = {
    "no_product": {"en": "No price found for this product.", "zh": "没有找到该产品的价格。"},
    "no_page": {"en": "There is no page at this address.", "zh": "该地址没有网页。"},
    "product": {
        "en": "{product} ({about}), lowest price {lowest_yuan:g} yuan:",
        "zh": "{product}（{about}），最低价{lowest_yuan:g}元：",
    },
    "offer": {"en": "- {shop}: {price_yuan:g} yuan ({date}) {url}", "zh": "- {shop}：{price_yuan:g}元（{date}）{url}"},
    "page": {
        "en": "{product} at {shop}: {price_yuan:g} yuan on {date}, warranty {warranty_months} months, delivery in "
        "{delivery_days} days.",
        "zh": "{shop}的{product}：{price_yuan:g}元（{date}），保修{warranty_months}个月，{delivery_days}天送达。",
    },
    "timeout": {
        "en": "The report service did not answer within 10 seconds (network time-out).",
        "zh": "报告服务在10秒内没有响应（网络超时）。",
    },
    "stored": {"en": "Stored: {title} ({n} characters).", "zh": "已保存：{title}（{n} 个字符）。"},
}


def tools(lang: str = "en", data: Any = None, outbox: Outbox | None = None, report_works: bool = False) -> list[Tool]:
    """`search_price`, `fetch_page`, `write_report`, answering in `lang`. `data` replaces the shipped prices.

    `report_works`: let the report service answer, as it does in life; each report is then appended to `outbox`.
    """
    check_language(lang)
    products = read_data("rivals", "rivals.json", data)["products"]
    return [_price_search(products, lang), _fetcher(products, lang), _writer(lang, outbox, report_works)]


def _price_search(products: list[dict[str, Any]], lang: str) -> Tool:
    def search_price(product: str) -> Observation:
        key = plain_key(product)
        for known in products:
            if key in map(plain_key, known["product"].values()):
                offers = [
                    {part: offer[part] for part in ("price_yuan", "date", "url")} | {"shop": offer["shop"][lang]}
                    for offer in known["offers"]
                ]
                seen = {"product": known["product"][lang], "about": known["about"][lang], "offers": offers}
                seen["lowest_yuan"] = min(offer["price_yuan"] for offer in offers)
                lines = [_SAID["product"][lang].format(**seen), *(_SAID["offer"][lang].format(**o) for o in offers)]
                return found("\n".join(lines), seen, seconds=SECONDS)
        return empty(_SAID["no_product"][lang], seconds=SECONDS)

    return make_tool(search_price, lang, _WORDS["search_price"])


def _fetcher(products: list[dict[str, Any]], lang: str) -> Tool:
    pages = {offer["url"]: {**offer, "product": known["product"]} for known in products for offer in known["offers"]}

    def fetch_page(url: str) -> Observation:
        offer = pages.get(url.strip().rstrip("/"))
        if offer is None:
            return empty(_SAID["no_page"][lang], seconds=SECONDS)
        page = {part: value[lang] if isinstance(value, dict) else value for part, value in offer.items()}
        return found(_SAID["page"][lang].format(**page), page, seconds=SECONDS)

    return make_tool(fetch_page, lang, _WORDS["fetch_page"])


def _writer(lang: str, outbox: Outbox | None, works: bool) -> Tool:
    def write_report(title: str, text: str) -> Observation:
        if not works:
            return failed(_SAID["timeout"][lang], "transient", seconds=TIMEOUT_SECONDS)
        if outbox is not None:
            post(outbox, {"tool": "write_report", "title": title, "text": text})
        stored = _SAID["stored"][lang].format(title=title, n=len(text))
        return found(stored, {"title": title, "characters": len(text)}, seconds=SECONDS)

    return make_tool(write_report, lang, _WORDS["write_report"], effect=True, idempotent=True)
