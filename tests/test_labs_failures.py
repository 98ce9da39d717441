"""The failures lab: what was tried again, when, and why no more; and the call that became nine requests."""

from __future__ import annotations

import time
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from planexec.failures import LONGEST_ASKED
from planexec.labs.failures import KINDS, PRODUCTS, FailuresView, compared, failures
from planexec.labs.retries import CLIENT_RETRIES, CLIENT_WAIT, Service, application, client, gate, retries
from planexec.show.lanes import Lane, Mark, lanes_picture, lanes_svg

# ------------------------------------------------------------------------------------------------ six prices


@pytest.mark.parametrize("kind", KINDS)
def test_a_service_that_never_fails_is_asked_once_a_call(kind: str) -> None:
    view = failures(kind, rate=0)
    assert (view.requests, view.answered, view.waited) == (6, 6, 0)
    assert {each.decided for each in view.outcomes} == {"answered at once"}


@pytest.mark.parametrize("attempts", [1, 2, 5])
@pytest.mark.parametrize("kind", ["503", "429", "408", "time-out"])
def test_what_may_pass_is_tried_as_often_as_the_dial_says(kind: str, attempts: int) -> None:
    view = failures(kind, rate=1, attempts=attempts)
    assert [each.requests for each in view.outcomes] == [attempts] * 6 and view.answered == 0
    times = "once" if attempts == 1 else f"{attempts} times"
    assert all(f"it may pass, tried {times}; reported as failed" in each.decided for each in view.outcomes)
    assert (view.waited > 0) == (attempts > 1)


@pytest.mark.parametrize(
    ("kind", "why"), [("404", "would fail again"), ("401", "a person has to act"), ("nothing found", "an answer")]
)
def test_what_cannot_pass_is_asked_once_whatever_the_dial_says(kind: str, why: str) -> None:
    view = failures(kind, rate=1, attempts=6)
    assert (view.requests, view.waited) == (6, 0)
    assert all(why in each.decided for each in view.outcomes)


def test_the_second_tool_takes_over_after_the_last_attempt_and_only_from_failures() -> None:
    view = failures("503", rate=1, attempts=2, fallback=True)
    assert [each.requests for each in view.outcomes] == [3] * 6 and view.answered == 6
    assert len(view.lanes) == 7 and len(view.lanes[-1].marks) == 6
    assert failures("nothing found", rate=1, fallback=True).requests == 6


def test_what_a_busy_service_asks_for_is_waited_and_not_beyond_two_minutes() -> None:
    asked = failures("429", rate=1, attempts=2, retry_after=20)
    assert asked.waited == 6 * 20
    assert failures("429", rate=1, attempts=2, retry_after=LONGEST_ASKED).requests == 12
    longer = failures("429", rate=1, attempts=2, retry_after=LONGEST_ASKED + 1)
    assert longer.requests == 6 and "longer than is worth it" in longer.table
    assert failures("404", rate=1, retry_after=20).waited == 0


def test_an_outage_is_outlived_by_waiting_and_not_by_hurrying() -> None:
    at_once, waiting = (failures(rate=0, down=3, first_wait=first) for first in (0, 1))
    assert waiting.requests < at_once.requests and waiting.answered == 6 > at_once.answered


def test_a_service_that_is_down_for_three_seconds_answers_what_is_asked_at_three_seconds() -> None:
    """Ten requests of 0.3 s end at 3 s, also where the sum of ten fractions is a little less."""
    view = failures(rate=0, down=3, attempts=20, first_wait=0)
    (alder, *others) = view.outcomes
    assert (alder.requests, {each.requests for each in others}) == (11, {1})
    assert view.setting.startswith("503 in every request of the first 3 s, then in none")
    assert failures(rate=0.5, down=3).setting.startswith("503 in every request of the first 3 s, then in 50%")


def test_two_views_are_compared_on_one_axis() -> None:
    pytest.importorskip("matplotlib")
    hurry, patient = (failures(rate=0, down=3, first_wait=first) for first in (0, 1))
    said = repr(compared({"no waits": hurry, "waits": patient}, 3))
    assert f"Down for 3 s: no waits {hurry.answered} of 6 answered, waits 6 of 6 answered" in said
    assert said.count("failed at") == 2 and "no waits: failed at 0.3, " in said


def test_waits_stand_between_the_requests_of_a_call_and_double() -> None:
    view = failures("503", rate=1, attempts=4)
    for lane in view.lanes:
        assert [mark.at for mark in lane.marks[:-1]] == [begin for begin, _ in lane.waits]
        spans = [end - begin for begin, end in lane.waits]
        assert all(1.4 < long / short < 2.8 for short, long in pairwise(spans))


def test_the_time_of_a_silent_service_is_its_time_limit() -> None:
    assert failures("time-out", rate=1, attempts=1).lanes[0].marks[0].at == 10.0


def test_the_same_dials_give_the_same_picture_and_another_seed_another() -> None:
    assert failures(seed=3).svg == failures(seed=3).svg
    assert len({failures(seed=seed).text + failures(seed=seed).table for seed in range(8)}) > 3


def test_the_share_of_failures_is_that_of_the_dial_over_many_seeds() -> None:
    views = [failures("404", rate=0.3, seed=seed) for seed in range(200)]
    assert sum(view.answered for view in views) / 1200 == pytest.approx(0.7, abs=0.05)


@pytest.mark.parametrize("wrong", [{"kind": "418"}, {"rate": 1.1}, {"rate": -0.1}, {"first_wait": -1}])
def test_a_dial_that_does_not_exist_is_an_error(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="kind is one of|first_wait"):
        failures(**wrong)  # type: ignore[arg-type]


def test_the_view_says_and_shows_its_numbers() -> None:
    view: FailuresView = failures(fallback=True)
    said = f"{view.requests} requests for 6 calls"
    assert said in view.text and f"{view.requests} requests" in repr(view.picture)
    assert all(product in view.svg for product in PRODUCTS)
    assert view.svg.count("<title>failed") == sum(mark.kind == "failed" for lane in view.lanes for mark in lane.marks)


def test_many_seeds_are_as_many_single_views() -> None:
    views = [failures(seed=seed) for seed in range(20)]
    many = failures(runs=20)
    assert many.seeds == tuple((view.requests, view.answered, view.waited) for view in views)
    average = sum(view.requests for view in views) / 20
    assert f"; over 20 seeds: {average:.1f} requests, " in many.text
    assert many.table.splitlines()[-1].startswith(f"over 20 seeds: {average:.1f} requests, ")


def test_more_attempts_answer_more_calls_on_average() -> None:
    answered = [sum(n for _, n, _ in failures(attempts=attempts, runs=200).seeds) for attempts in (1, 2, 3, 4)]
    assert answered == sorted(set(answered))
    with pytest.raises(ValueError, match="runs go from 0 to 200"):
        failures(runs=201)


def test_the_panel_moves_with_its_dials_and_names_the_call() -> None:
    pytest.importorskip("ipywidgets")
    from planexec.labs.failures import panel

    live = panel()
    before = live.picture.value
    live.set(attempts=6, kind="time-out")
    assert live.picture.value != before and "attempts=6" in live.call
    assert failures(**live.values).text in live.status.value
    live.reset()
    assert live.picture.value == before


# ------------------------------------------------------------------------------------------ nine requests


@pytest.mark.parametrize("status", [408, 409, 429, 500, 503])
def test_two_loops_make_nine_requests_of_one_call_and_the_gate_three(status: int) -> None:
    assert retries(status).requests == {"two loops": 9, "one gate": 3}


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 422])
def test_what_cannot_pass_is_still_asked_three_times_by_the_outer_loop_and_once_by_the_gate(status: int) -> None:
    assert retries(status).requests == {"two loops": 3, "one gate": 1}
    assert retries(status).seconds == {"two loops": 7.0, "one gate": 0.0}, "1 + 2 + 4 s, the last one for nothing"


@pytest.mark.parametrize(("attempts", "inner", "count"), [(1, 0, 1), (1, 2, 3), (3, 0, 3), (3, 2, 9), (4, 3, 16)])
def test_attempts_multiply(attempts: int, inner: int, count: int) -> None:
    service = Service(503)
    application(service, attempts, inner)
    assert service.requests == count
    assert retries(503, attempts, inner).requests["two loops"] == count


def test_a_service_that_answers_is_asked_once_by_everyone() -> None:
    for way in (client, application, gate):
        service = Service(200)
        assert way(service) == "well" and (service.requests, service.clock.now()) == (1, 0.0)


def test_the_view_of_the_nine_says_and_shows_them() -> None:
    view = retries()
    assert "two loops: 9 requests" in repr(view) and "two loops 9" in repr(view.picture)
    assert view.svg.count("<title>failed") == 12


def test_the_real_client_with_its_defaults_makes_the_nine_requests_too(httpserver, monkeypatch) -> None:
    """What `client` stands for: the same loop round the library that articles use, counted by a server."""
    openai = pytest.importorskip("openai")
    from openai._constants import INITIAL_RETRY_DELAY

    assert (CLIENT_RETRIES, CLIENT_WAIT) == (openai.DEFAULT_MAX_RETRIES, INITIAL_RETRY_DELAY)
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    for status, count in ((503, 9), (400, 3)):
        httpserver.clear()
        httpserver.expect_request("/v1/chat/completions").respond_with_json({"error": {"message": "no"}}, status=status)
        real = openai.OpenAI(api_key="none", base_url=httpserver.url_for("/v1"))
        for attempt in range(3):
            try:
                real.chat.completions.create(model="m", messages=[{"role": "user", "content": "hello"}])
            except Exception:
                time.sleep(2.0**attempt)
        assert len(httpserver.log) == count
    assert len(waits) == 6 + 3 + 3, "two inside each of three, then three outside; three outside"


# ------------------------------------------------------------------------------------------------ lanes


class Marks(HTMLParser):
    """Checks that tags close and counts what is drawn."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)


def test_names_and_texts_are_shown_and_not_run() -> None:
    lanes = [Lane("<script>a</script>", (Mark(1, "found", "<b>x</b>"), Mark(2, "asked", "<i>")), ((0, 1),))]
    drawn = lanes_svg(lanes, "<u>T</u>", "s", line_at=1)
    parser = Marks()
    parser.feed(drawn)
    assert not {"script", "b", "i", "u"} & set(parser.seen) and "&lt;script&gt;" in drawn


def test_every_kind_has_a_shape_and_the_alt_text_has_the_numbers() -> None:
    kinds = ("found", "empty", "failed", "refused", "unknown", "model", "asked", "waiting", "of another world")
    lanes = [Lane("all", tuple(Mark(at, kind) for at, kind in enumerate(kinds))), Lane("none")]
    for said in (lanes_svg(lanes, "T", "turn"), repr(lanes_picture(lanes, "T", "turn", line_at=2))):
        assert all(f"{kind} at {at}" in said for at, kind in enumerate(kinds)) and "none: nothing" in said
    assert lanes_svg([], "T", "turn") and lanes_picture([], "T", "turn").png()[:4] == b"\x89PNG"
