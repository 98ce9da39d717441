"""A tool may ask for the idempotency key of its call and hand it on: then a service carries one key out once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers_control import asks
from helpers_kill import Fused, Killed

from planexec.journal import Journal
from planexec.run import Run
from planexec.tools import Tool, tool


class Service:
    """A payment service that carries out one key once, and remembers every request."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.paid: dict[str, int] = {}

    def tool(self, **options: Any) -> Tool:
        @tool(effect=True, key_argument="key", **options)
        def pay(cents: int, key: str = "") -> str:
            """Pay.

            Args:
                cents: how much
            """
            self.requests.append(key)
            self.paid.setdefault(key, cents)
            return f"paid {self.paid[key]}"

        return pay


def two_payments(service: Service, journal: Journal, **options: Any) -> list[str]:
    run = Run("q", tools=[service.tool(**options)], journal=journal)
    return [each.text for each in run.tools(asks(("pay", {"cents": 5}), ("pay", {"cents": 5})))]


def test_the_tool_gets_the_key_that_the_journal_holds(tmp_path: Path) -> None:
    service = Service()
    with Journal(tmp_path / "run.db") as journal:
        assert two_payments(service, journal) == ["paid 5", "paid 5"]
        assert service.requests == [record.request["key"] for record in journal.records()]
    assert len(set(service.requests)) == 2, "two payments that were both meant"


@pytest.mark.parametrize("moment", ["begun", "done"])
@pytest.mark.parametrize("effect", [1, 2])
def test_killed_around_a_payment_the_service_sees_the_same_key_again(effect: int, moment: str, tmp_path: Path) -> None:
    service, path = Service(), tmp_path / "run.db"
    with Fused(path, effect, moment) as journal, pytest.raises(Killed):
        two_payments(service, journal, idempotent=True)
    with Journal(path) as journal:
        assert two_payments(service, journal, idempotent=True) == ["paid 5", "paid 5"]
    assert len(service.paid) == 2 and len(service.requests) == (3 if moment == "done" else 2)


def test_the_model_neither_sees_nor_sets_it() -> None:
    service = Service()
    assert list(service.tool().schema["function"]["parameters"]["properties"]) == ["cents"]
    observation = Run("q", tools=[service.tool()]).tools(asks(("pay", {"cents": 5, "key": "mine"})))[0]
    assert observation.kind == "failed" and "key" in observation.text and service.paid == {}


def test_called_as_a_plain_function_it_is_an_ordinary_argument() -> None:
    assert Service().tool()(5, key="k") == "paid 5"


@pytest.mark.parametrize("options", [{"key_argument": "key"}, {"key_argument": "other", "effect": True}])
def test_a_key_needs_an_effect_and_an_argument_of_that_name(options: dict[str, Any]) -> None:
    def pay(key: str = "") -> str:
        return key

    with pytest.raises(ValueError, match="needs effect=True and an argument of that name"):
        tool(**options)(pay)
