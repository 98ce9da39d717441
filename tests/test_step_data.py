"""What a step hands on to steps that refer to it: the data of everything it found, not only of its last call."""

from planexec.chat import system
from planexec.react_loop import Trace
from planexec.tools import empty, failed, found


def trace_of(*observations):
    trace = Trace([system("x")])
    for observation in observations:
        trace.take(observation)
    return trace.data


def test_fields_of_several_results_are_put_together():
    assert trace_of(found("a", {"weights": {"x": 1}}), found("b", {"stocks": ["y"]})) == {
        "weights": {"x": 1},
        "stocks": ["y"],
    }


def test_the_latest_counts_where_two_have_the_same_field():
    assert trace_of(found("a", {"n": 1}), found("b", {"n": 2})) == {"n": 2}


def test_what_found_nothing_takes_nothing_away():
    assert trace_of(found("a", {"n": 1}), empty(), failed("down"), found("text only")) == {"n": 1}


def test_a_list_is_no_field_and_replaces():
    assert trace_of(found("a", {"n": 1}), found("b", [1, 2])) == [1, 2]


def test_nothing_found_is_nothing():
    assert trace_of(empty()) is None
