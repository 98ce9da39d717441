"""The loop detector: when each rule fires, and everything that is no loop.

Calls are (tool, args, result, kind). A test named `row_N` reproduces a fault that users reported of another agent.
"""

from __future__ import annotations

from typing import Any

import pytest

from planexec.loops import Loop, LoopDetector, LoopRules, first_loop

Calls = list[tuple[str, Any, str | None, str | None]]


def calls(letters: str, tool: str = "t") -> Calls:
    """calls("AB") -> a call with args "A" and result "result A", then one with "B"."""
    return [(tool, {"q": letter}, f"result {letter}", "found") for letter in letters]


def alarms(listed: Calls, rules: LoopRules | None = None, **options: Any) -> list[int]:
    """The indexes of all calls at which the detector fires."""
    detector = LoopDetector(rules)
    return [index for index, call in enumerate(listed) if detector.add(*call, **options)]


# One below the threshold passes, at the threshold it trips: (calls, index at which the detector first fires or None)
THRESHOLDS = [
    ("AA", None),
    ("AAA", 2),
    ("AABAA", None),
    ("AABAAA", 5),
    ("ABAB", None),
    ("ABABA", None),
    ("ABABAB", 5),
    ("ABCABC", None),
    ("ABCABCAB", None),
    ("ABCABCABC", 8),
    ("ABCDABCDABC", None),
    ("ABCDABCDABCD", 11),
    ("ABCDEABCDEABCDEABCDE", None),  # a cycle of five is longer than the longest
    ("AABAABAA", None),
    ("AABAABAAB", 8),  # a cycle may hold one call twice
    ("ABACAD", None),
    ("ABACADABACAD", None),
    ("XYABABAB", 7),
    ("ABABXABAB", None),
]


@pytest.mark.parametrize(("letters", "expected"), THRESHOLDS)
def test_same_and_cycle(letters: str, expected: int | None) -> None:
    assert first_loop(calls(letters)) == expected


@pytest.mark.parametrize("rounds", [2, 3, 5])
@pytest.mark.parametrize("period", [2, 3, 4, 6])
def test_the_rules_decide_how_long_and_how_often(period: int, rounds: int) -> None:
    rules = LoopRules(same=rounds, cycle=rounds, longest_cycle=period, alike_times=None)
    assert first_loop(calls("A" * (rounds - 1)), rules) is None
    assert first_loop(calls("A" * rounds), rules) == rounds - 1
    cycle = "ABCDEF"[:period] * rounds
    assert first_loop(calls(cycle[:-1]), rules) is None
    assert first_loop(calls(cycle), rules) == len(cycle) - 1


CHINESE = "".join(chr(0x4E00 + number) for number in range(100))  # 100 characters, each once


def varied(changed: int, shift: int) -> str:
    """CHINESE with `changed` characters replaced by ones that occur nowhere else."""
    return "".join(chr(0x7000 + 100 * shift + n) for n in range(changed)) + CHINESE[changed:]


@pytest.mark.parametrize(("changed", "expected"), [(1, 2), (5, 2), (6, None), (50, None)])
def test_alike_from_95_in_100_on(changed: int, expected: int | None) -> None:
    args = [varied(changed, 0), varied(changed, 1), varied(changed, 2)]
    assert first_loop([("t", each, "r", None) for each in args]) == expected
    assert first_loop([("t", each, "r", None) for each in args[:2]]) is None
    assert first_loop([("t", each, f"r{each[:1]}", None) for each in args]) is None  # new results


def test_alike_counts_equal_arguments_too_and_needs_one_tool() -> None:
    mixed = [CHINESE, varied(1, 1), varied(1, 1)]
    assert first_loop([("t", each, "r", None) for each in mixed]) == 2
    assert first_loop([(tool, each, "r", None) for tool, each in zip("tut", mixed, strict=True)]) is None


@pytest.mark.parametrize(("times", "expected"), [(4, None), (5, 4)])
def test_unknown_results_take_five(times: int, expected: int | None) -> None:
    assert first_loop([("t", {"q": 1}, None, None)] * times) == expected
    assert first_loop([("t", {"q": 1}, "timed out", "unknown")] * times) == expected
    pair: Calls = [("t", {"q": 1}, None, None), ("u", {"q": 1}, "r", None)]
    assert first_loop(pair * times) == (None if expected is None else 2 * times - 1)


def test_an_unknown_result_is_never_the_same_as_a_known_one() -> None:
    assert first_loop([("t", 1, "", None), ("t", 1, None, None), ("t", 1, "", None)] * 2) is None
    assert first_loop([("t", CHINESE, None, None), ("t", varied(1, 1), None, None)] * 2) is None  # alike, but blind


def test_row_02_the_same_call_for_ever_is_stopped_at_the_third() -> None:
    assert first_loop(calls("A" * 10_000)) == 2


def test_row_03_talk_in_between_hides_nothing() -> None:
    talk = ("talk", "let me think again", None, "think")
    a = calls("A")[0]
    assert first_loop([a, talk, a, talk, a]) == 4
    assert first_loop([talk] * 20) is None


@pytest.mark.parametrize("letters", ["AB", "ABC", "ABCD"])
def test_row_04_cycles_of_two_three_and_four(letters: str) -> None:
    assert first_loop(calls(letters * 3)) == 3 * len(letters) - 1
    assert first_loop(calls("ABACAD")) is None


def test_row_05_a_varied_note_is_a_loop_and_fires_again_after_the_first_time() -> None:
    order = {"order": "ORD-20240077", "fields": ["status", "carrier", "expected arrival"]}
    varied_note: Calls = [("look_up", {**order, "note": f"try {n}"}, "in transit", "found") for n in range(1, 8)]
    assert alarms(varied_note) == [2, 3, 4, 5, 6]
    short: Calls = [("look_up", {"q": "x", "note": f"try {n}"}, "in transit", "found") for n in range(7)]
    assert alarms(short) == []
    assert alarms(short, ignore=("note",)) == [2, 3, 4, 5, 6]


def test_row_06_another_thought_before_the_same_action_changes_nothing() -> None:
    a = calls("A")[0]
    thoughts = [("think", f"thought {n}", None, "think") for n in range(3)]
    assert first_loop([entry for thought in thoughts for entry in (thought, a)]) == 5


def test_row_07_equal_arguments_with_new_results_are_no_loop() -> None:
    assert first_loop([("scroll", {}, f"page {n}", "found") for n in range(500)]) is None
    assert first_loop([(tool, {}, f"page {n}", "found") for n in range(100) for tool in ("scroll", "read")]) is None


@pytest.mark.parametrize(("polls", "expected"), [(19, None), (20, 19), (25, 19)])
def test_row_08_a_polling_tool_may_come_back_unchanged_nineteen_times(polls: int, expected: int | None) -> None:
    assert first_loop([("status", {"job": 7}, "running", "found")] * polls, polling={"status"}) == expected


@pytest.mark.parametrize(("rounds", "expected"), [(19, None), (20, 39)])
def test_row_08_waiting_between_two_polls_is_polling_too(rounds: int, expected: int | None) -> None:
    pair: Calls = [("status", {"job": 7}, "running", "found"), ("wait", {"seconds": 5}, "waited", "found")]
    assert first_loop(pair * rounds, polling={"status"}) == expected
    assert first_loop(pair * rounds) == 5


def test_row_09_one_error_for_ever_new_arguments_is_left_to_the_counter_of_no_results() -> None:
    words = [f"{first} {second}" for first in "abcdefg" for second in "ABCDEFG"]
    assert first_loop([("search", {"q": word}, "error: bad index", "failed") for word in words]) is None


def test_row_10_two_empty_results_are_not_yet_a_loop() -> None:
    assert first_loop([("search", {"q": "x"}, "Nothing found.", "empty")] * 2) is None


def test_row_11_useful_fetches_and_good_writes_are_no_loop() -> None:
    assert first_loop([("fetch", {"url": f"https://example.org/{n}"}, f"text {n}", "found") for n in range(12)]) is None
    long = "https://example.org/a/rather/long/address/of/a/page/in/a/documentation"
    assert (
        first_loop([("write", {"path": f"{long}/{n}", "text": "Dear all"}, "True", "found") for n in range(3)]) is None
    )
    people = ("ann@example.org", "bob@example.org", "cai@example.org")
    assert (
        first_loop([("send_mail", {"to": each, "body": "Dear all, " * 50}, "sent", "found") for each in people]) is None
    )
    assert first_loop([("set", {"row": n, "note": CHINESE}, "True", "found") for n in range(3)]) is None


def test_row_12_it_goes_on_firing_while_the_loop_goes_on_and_stops_with_it() -> None:
    assert alarms(calls("AAAAABAAA")) == [2, 3, 4, 8]
    assert alarms(calls("ABABABABC")) == [5, 6, 7]


def test_629_successful_reads_of_one_file_are_a_loop_from_the_third_on() -> None:
    """As told in docker-agent's pull request 2123; that each read succeeds changes nothing."""
    reads: Calls = [("read_file", {"path": "drafter_chunk_1.diff"}, "one text", "found")] * 629
    assert first_loop(reads) == 2


def test_629_successful_reads_with_different_arguments_are_no_loop() -> None:
    reads: Calls = [("read_file", {"path": f"src/module_{n:03}/main.py"}, f"contents {n}", "found") for n in range(629)]
    assert first_loop(reads) is None
    assert first_loop([(tool, args, "the same licence text", kind) for tool, args, _, kind in reads]) is None


def test_defect_108_retries_of_a_failed_attempt_pass_by() -> None:
    attempts: Calls = [("search", {"q": "x"}, "connection reset", "transient")] * 6
    assert first_loop(attempts) is None
    a = calls("A")[0]
    assert first_loop([a, *attempts, a]) is None
    assert first_loop([a, *attempts, a, *attempts, a]) == 14


def test_defect_109_and_111_spelling_does_not_hide_a_loop_but_a_new_result_ends_it() -> None:
    spellings = [{"n": 1, "q": "A股 总市值"}, {"q": "Ａ股总市值", "n": "1"}, '{"q": " A股总市值", "n": 1.0}']
    assert first_loop([("search", each, "r", None) for each in spellings]) == 2
    assert first_loop([("search", each, f"r{n}", None) for n, each in enumerate(spellings)]) is None


def test_a_loop_says_why_in_both_languages() -> None:
    detector = LoopDetector()
    found = [detector.add(*call) for call in calls("X", "open") + calls("AB", "search") * 3]
    assert found[-1] == Loop("cycle", 2, 3, 1, ("search", "search"))
    assert found[-1].text == "the same 2 calls (search, search) came round 3 times with the same results"
    assert "重复了 3 轮" in found[-1].say("zh")
    again = detector.add("search", {"q": "A"}, "result A")
    assert (again.rule, again.period, again.count, again.first_index) == ("cycle", 2, 3, 1)
    alone = [LoopDetector(), *calls("BAAAA")]
    assert [alone[0].add(*call) for call in alone[1:]][-1] == Loop("same", 1, 4, 1, ("t",))


@pytest.mark.parametrize("rule", ["same", "cycle", "alike", "blind"])
def test_every_rule_has_its_words(rule: str) -> None:
    loop = Loop(rule, 2, 7, 0, ("search", "open_page"))
    for lang in ("en", "zh"):
        assert "search" in loop.say(lang) and "7" in loop.say(lang)
    assert loop.text == loop.say("en")


def test_arguments_changed_in_place_between_two_calls_are_not_compared_with_themselves() -> None:
    detector, args = LoopDetector(), {"path": "a", "note": CHINESE}
    found = []
    for path in ("one", "two", "three"):
        args["path"] = path
        found.append(detector.add("write", args, "True"))
    assert found == [None, None, None]


def test_arguments_that_are_no_json_value_are_a_clear_error() -> None:
    with pytest.raises(TypeError, match="found set"):
        LoopDetector().add("t", {"a": {1}}, "r")


@pytest.mark.parametrize("name", ["same", "cycle", "longest_cycle", "alike_times", "polling", "blind"])
def test_rules_take_whole_numbers_from_two_on(name: str) -> None:
    assert getattr(LoopRules(**{name: 2}), name) == 2
    for wrong in (1, 0, -3, 2.5, float("nan"), True, "3"):
        with pytest.raises(ValueError, match=f"{name} must be a whole number of at least 2"):
            LoopRules(**{name: wrong})
    if name == "longest_cycle":
        with pytest.raises(ValueError, match="longest_cycle"):
            LoopRules(longest_cycle=None)


@pytest.mark.parametrize("wrong", [0, -0.1, 1.01, float("nan"), True, None, "0.95"])
def test_alike_lies_between_zero_and_one(wrong: Any) -> None:
    assert LoopRules(alike=1).alike == 1
    with pytest.raises(ValueError, match="alike must be above 0 and at most 1"):
        LoopRules(alike=wrong)


@pytest.mark.parametrize(
    ("off", "listed"),
    [
        ({"same": None, "alike_times": None}, calls("A" * 50)),
        ({"cycle": None}, calls("ABC" * 50)),
        ({"alike_times": None}, [("t", varied(1, n), "r", None) for n in range(50)]),
        ({"blind": None}, [("t", 1, None, None)] * 50),
    ],
)
def test_none_switches_a_rule_off(off: dict[str, None], listed: Calls) -> None:
    assert first_loop(listed) is not None
    assert first_loop(listed, LoopRules(**off)) is None


def test_none_lets_a_polling_tool_go_on_for_ever() -> None:
    assert alarms(calls("A" * 500), LoopRules(polling=None), polling=True) == []
