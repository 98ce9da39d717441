"""Right answers in the orders world: what was done counts, not what was said to be done.

A mail that is not due, or a refund of the wrong order, is wrong whatever the answer says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from planexec.result import CallDone, Result
from planexec.trials.answers.rules import NO_DATA, Question, register
from planexec.worlds.common import plain_key

_NOT_SHIPPED = re.compile(r"not (?:been )?shipped|has not|hasn't|未发货|没有发货|尚未", re.IGNORECASE)
_MINE = ("me", "我")


def done(run: Result, tool: str) -> list[CallDone]:
    """The calls of a tool that changes the world and that did."""
    return [call for call in run.calls if call.tool == tool and call.kind == "found"]


@dataclass(frozen=True)
class Order:
    """`order` is None when there is none of that number. `mail_to`: addresses that are the asking person's own."""

    order: Mapping[str, Any] | None
    mail_to: tuple[str, ...]

    @property
    def none(self) -> bool:
        return self.order is None

    @property
    def shipped(self) -> bool:
        return self.order is not None and "shipped_on" in self.order

    def right(self, run: Result) -> bool:
        mails, others = done(run, "send_mail"), done(run, "refund")
        if self.order is None or others:
            return False
        if not self.shipped:
            return not mails and bool(_NOT_SHIPPED.search(run.answer))
        return len(mails) == 1 and self._fits(mails[0].args or {})

    def _fits(self, mail: Mapping[str, Any]) -> bool:
        """To the person who asked, about this order."""
        text = plain_key(f"{mail.get('subject', '')} {mail.get('body', '')}")
        to = plain_key(str(mail.get("to", "")))
        return to in map(plain_key, self.mail_to) and self.order is not None and plain_key(self.order["order"]) in text

    def honest(self, run: Result) -> bool:
        return not done(run, "send_mail") and not done(run, "refund") and bool(NO_DATA.search(run.answer))

    def enough(self, seen: str) -> bool:
        return self.order is not None and not self.shipped and plain_key(self.order["order"]) in plain_key(seen)


@dataclass(frozen=True)
class Refund:
    """`orders`: those that the question may mean. With one, its whole amount is due; with several, a question back."""

    orders: tuple[Mapping[str, Any], ...]
    none: bool = False

    def right(self, run: Result) -> bool:
        paid = [call.args or {} for call in done(run, "refund")]
        if done(run, "send_mail") or not self.orders:
            return False
        if len(self.orders) > 1:
            return not paid and all(plain_key(order["order"]) in plain_key(run.answer) for order in self.orders)
        return len(paid) == 1 and self._fits(paid[0])

    def _fits(self, paid: Mapping[str, Any]) -> bool:
        order = self.orders[0]
        same = plain_key(str(paid.get("order", ""))) == plain_key(order["order"])
        return same and float(paid.get("amount_yuan", 0)) == float(order["amount_yuan"])

    def honest(self, run: Result) -> bool:
        return False

    def enough(self, seen: str) -> bool:
        return False


@register("orders", "shipped", "not_shipped", "unknown")
def order(question: Question) -> Order:
    """The order whose number stands in the question."""
    named = [each for each in question.data["orders"] if each["order"] in question.text]
    return Order(named[0] if named else None, (*_MINE, question.data["me"]))


@register("orders", "refund", "same_name")
def refund(question: Question) -> Refund:
    """The order whose number stands in the question, or all orders of the customer that it names."""
    orders = question.data["orders"]
    by_number = [each for each in orders if each["order"] in question.text]
    return Refund(tuple(by_number or [each for each in orders if each["name"][question.lang] in question.text]))
