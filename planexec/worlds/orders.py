"""The orders world: look up an order, send mail, refund. Two of its three tools change the world.

    get_order, send_mail, refund = tools(lang="en", outbox=done)

What is wrong on purpose (`designed_failures` in data/orders/orders.json): one order has not been shipped, one does not
exist, two customers have one name. An order looks the same before and after a refund: what was done stands in the
outbox, so that a test can count it and a resumed run meets the same answers.
"""

from __future__ import annotations

import math
from typing import Any

from planexec.tools import Observation, Tool, empty, failed, found
from planexec.worlds.common import Outbox, check_language, make_tool, plain_key, post, read_data
from planexec.worlds.mail import mailer

DATE = "2026-11-02"
QUESTIONS = {
    "en": {
        "shipped": "Look up ORDER-001 and mail me if it has shipped.",
        "not_shipped": "Look up ORDER-002 and mail me if it has shipped.",
        "unknown": "Look up ORDER-999 and mail me if it has shipped.",
        "refund": "The glass vase of ORDER-005 arrived broken. Refund it.",
        "same_name": "Wren Ashby's order arrived broken. Refund it.",
    },
    "zh": {
        "shipped": "查一下 ORDER-001，如果已发货就发邮件通知我。",
        "not_shipped": "查一下 ORDER-002，如果已发货就发邮件通知我。",
        "unknown": "查一下 ORDER-999，如果已发货就发邮件通知我。",
        "refund": "ORDER-005 的玻璃花瓶到货时已破损，请退款。",
        "same_name": "任艾碧的订单到货时已破损，请退款。",
    },
}
SECONDS = 0.3  # what a look-up or a refund takes on a virtual clock

_ORDER_WORDS = {
    "": {
        "en": "Look up one order. Data: order, customer (number), name, town, mail, item, amount_yuan, status "
        "(shipped, not_shipped, delivered, cancelled), ordered_on and shipped_on (YYYY-MM-DD), carrier; candidates "
        "when several fit.",
        "zh": "查询一个订单。数据：order、customer（客户编号）、name、town、mail、item、amount_yuan（元）、"
        "status（shipped、not_shipped、delivered、cancelled）、ordered_on 和 shipped_on（YYYY-MM-DD）、carrier；"
        "有多个符合时为 candidates。",
    },
    "order_or_customer": {
        "en": "Order number (ORDER-001), customer number (C-11) or the customer's full name",
        "zh": "订单号（ORDER-001）、客户编号（C-11）或客户全名",
    },
}
_REFUND_WORDS = {
    "": {
        "en": "Pay an order back, wholly or in part. This cannot be undone and needs a person. Data: order, "
        "amount_yuan.",
        "zh": "全额或部分退款，无法撤回，需要人确认。数据：order、amount_yuan（元）。",
    },
    "order": {"en": "Order number, for example ORDER-001", "zh": "订单号，例如 ORDER-001"},
    "amount_yuan": {"en": "Amount to pay back, in yuan", "zh": "退款金额，单位元"},
}
_STATUS = {
    "shipped": {"en": "shipped on {shipped_on} by {carrier}", "zh": "已于{shipped_on}由{carrier}发货"},
    "delivered": {"en": "delivered, shipped on {shipped_on} by {carrier}", "zh": "已送达，{shipped_on}由{carrier}发货"},
    "not_shipped": {"en": "not shipped yet", "zh": "尚未发货"},
    "cancelled": {"en": "cancelled", "zh": "已取消"},
}
_SAID = {
    "order": {
        "en": "{order} of {name} ({customer}, {town}, {mail}): {item}, {amount_yuan:g} yuan, "
        "ordered on {ordered_on}, {word}.",
        "zh": "{order}，{name}（{customer}，{town}，{mail}）：{item}，{amount_yuan:g}元，{ordered_on}下单，{word}。",
    },
    "none": {"en": "There is no such order or customer.", "zh": "没有这个订单或客户。"},
    "several": {"en": "Several fit, say which one: {names}.", "zh": "有多个符合，请指明：{names}。"},
    "no_refund": {
        "en": "Nothing was paid back: there is no order {order!r}.",
        "zh": "没有退款：不存在订单 {order!r}。",
    },
    "amount": {
        "en": "Nothing was paid back: the amount must be above 0 and at most {most:g} yuan.",
        "zh": "没有退款：金额须大于0且不超过{most:g}元。",
    },
    "refunded": {"en": "Paid back {amount:g} yuan of {order}.", "zh": "{order} 已退款{amount:g}元。"},
}


def tools(lang: str = "en", data: Any = None, outbox: Outbox | None = None) -> list[Tool]:
    """`get_order`, `send_mail`, `refund`, answering in `lang`. `data` replaces the shipped orders.

    Mails and refunds are appended to `outbox`, a list or the path of a file (one JSON line each), as
    {"tool": "refund", "order": ..., "amount_yuan": ...}. A refund always needs a person, mail never.
    """
    check_language(lang)
    book = read_data("orders", "orders.json", data)
    return [
        _look_up(book["orders"], lang),
        mailer(lang, outbox, False, book["me"]),
        _refunder(book["orders"], lang, outbox),
    ]


def _look_up(orders: list[dict[str, Any]], lang: str) -> Tool:
    def get_order(order_or_customer: str) -> Observation:
        key = plain_key(order_or_customer)
        fits = [order for order in orders if key in _keys(order)]
        if not fits:
            return empty(_SAID["none"][lang], seconds=SECONDS)
        if len(fits) > 1:
            names = [
                f"{order['order']} ({order['name'][lang]}, {order['customer']}, {order['town'][lang]})"
                for order in fits
            ]
            text = _SAID["several"][lang].format(names=", ".join(names))
            return Observation("empty", text, {"candidates": names}, seconds=SECONDS)
        order = {part: value[lang] if isinstance(value, dict) else value for part, value in fits[0].items()}
        word = _STATUS[order["status"]][lang].format(**order)
        return found(_SAID["order"][lang].format(**order, word=word), order, seconds=SECONDS)

    return make_tool(get_order, lang, _ORDER_WORDS)


def _keys(order: dict[str, Any]) -> list[str]:
    """What an order can be looked up by; a name in either language."""
    return [plain_key(text) for text in (order["order"], order["customer"], *order["name"].values())]


def _refunder(orders: list[dict[str, Any]], lang: str, outbox: Outbox | None) -> Tool:
    amounts = {plain_key(order["order"]): (order["order"], order["amount_yuan"]) for order in orders}

    def refund(order: str, amount_yuan: float) -> Observation:
        number, most = amounts.get(plain_key(order), ("", 0.0))
        if not number:
            return failed(_SAID["no_refund"][lang].format(order=order[:40]), seconds=SECONDS)
        if not (math.isfinite(amount_yuan) and 0 < amount_yuan <= most):
            return failed(_SAID["amount"][lang].format(most=most), seconds=SECONDS)
        if outbox is not None:
            post(outbox, {"tool": "refund", "order": number, "amount_yuan": amount_yuan})
        text = _SAID["refunded"][lang].format(amount=amount_yuan, order=number)
        return found(text, {"order": number, "amount_yuan": amount_yuan}, seconds=SECONDS)

    return make_tool(refund, lang, _REFUND_WORDS, effect=True, approve=True)
