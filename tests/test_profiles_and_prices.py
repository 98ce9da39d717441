"""Profiles and prices are data: what is guessed, what can be changed, and which rate holds when."""

from __future__ import annotations

import json

import pytest

from planexec.chat import Price
from planexec.models.prices import rate_of
from planexec.models.profiles import Profile, choose, guess, is_loopback, named, names
from planexec.paths import data_path


@pytest.mark.parametrize(
    ("url", "model", "profile"),
    [
        ("https://api.deepseek.com", "any", "deepseek"),
        ("https://api.deepseek.com/beta", "any", "deepseek"),
        ("https://api.openai.com/v1", "any", "openai"),
        ("http://localhost:11434/v1", "deepseek-r1", "ollama"),
        ("http://[::1]:8080/v1", "any", "llamacpp"),
        ("http://192.168.1.5:11434/v1", "any", "plain"),  # that port means something on this machine only
        ("http://127.0.0.1:50000/v1", "gpt-5", "plain"),
        ("https://api.deepseek.com.evil.example/v1", "deepseek-flash", "plain"),  # gets no key of ours
        (None, "deepseek-flash", "deepseek"),
        (None, "gpt-5", "openai"),
        (None, "my-own", "plain"),
    ],
)
def test_a_profile_is_guessed_from_the_address_and_only_without_one_from_the_name(
    url: str | None, model: str, profile: str
) -> None:
    assert guess(url, model).name == profile


def test_the_profiles_asked_for_are_there() -> None:
    assert {"deepseek", "deepseek-2025", "openai", "ollama", "llamacpp", "plain"} <= set(names())
    assert named("plain") == Profile()


def test_no_two_profiles_share_an_address() -> None:
    hosts = [host for name in names() for host in named(name).hosts]
    assert len(hosts) == len(set(hosts))


def test_a_profile_can_be_named_changed_or_made() -> None:
    url = "https://api.deepseek.com"
    assert choose("plain", url).name == "plain"
    changed = choose({"key": "MY_KEY"}, url)
    assert (changed.name, changed.key, changed.reasoning) == ("like deepseek", "MY_KEY", "require")
    other = choose({"like": "openai", "name": "mine", "hosts": ["x.example"]}, url)
    assert (other.name, other.max_tokens, other.hosts) == ("mine", "max_completion_tokens", ("x.example",))
    own = Profile("own")
    assert choose(own, url) is own


def test_what_no_profile_has_is_an_error_that_lists_what_there_is() -> None:
    with pytest.raises(ValueError, match="no profile is named 'deepsek'; there are plain, deepseek"):
        named("deepsek")
    with pytest.raises(ValueError, match="a profile has no field thinkng; it has like, "):
        choose({"thinkng": {}}, None)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://127.8.8.8/v1", True),
        ("http://LOCALHOST/v1", True),
        ("http://[::1]/v1", True),
        ("http://my.localhost/v1", True),
        ("http://127.0.0.1.example/v1", False),
        ("http://localhost.example/v1", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_loopback(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


def test_a_rate_is_the_dearest_and_counts_cached_tokens_less() -> None:
    rate = rate_of("deepseek-flash")
    assert rate is not None and rate.bound == Price(0.30, 1.20)
    assert rate.usd(1_000_000, 1_000_000) == pytest.approx(1.50) == rate.bound.usd(1_000_000, 1_000_000)
    assert rate.usd(1_000_000, 0, cached_tokens=1_000_000) == pytest.approx(0.006)
    assert rate.usd(100, 0, cached_tokens=1_000) == rate.usd(100, 0, cached_tokens=100)  # never below nothing


@pytest.mark.parametrize("name", ["deepseek-v4-flash", "deepseek-flash-1017", "deepseek-flash-2026-10-17"])
def test_an_alias_or_a_snapshot_has_the_rate_of_its_model(name: str) -> None:
    rate = rate_of(name)
    assert rate is not None and rate.model == "deepseek-flash"


@pytest.mark.parametrize("name", ["", "gpt-5", "deepseek", "deepseek-flash-pro", "local"])
def test_a_model_that_is_not_listed_has_no_rate(name: str) -> None:
    assert rate_of(name) is None


def test_rates_have_dates() -> None:
    def since(day: str) -> str | None:
        rate = rate_of("deepseek-flash", on=day)
        return rate and rate.since

    assert [since("2026-08-15"), since("2026-08-16"), since("2026-09-09"), since("2026-11-30")] == [
        "2026-04-24",
        "2026-08-16",
        "2026-08-16",
        "2026-09-10",
    ]
    assert since("2020-01-01") is None


def test_every_rate_names_its_source_and_is_sound() -> None:
    for entry in json.loads(data_path("prices.json").read_text(encoding="utf-8"))["models"].values():
        for period in entry["periods"]:
            assert period["source"] and period["from"] > "2020"
            assert 0 <= period["cached_input"] <= period["input"] <= period["output"]
