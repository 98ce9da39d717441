"""The panel of all labs: what a dial does, a refinement in slices, what is dropped, and that nothing piles up."""

from __future__ import annotations

import ast
import asyncio
import gc
import importlib
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from planexec import labs
from planexec.labs import lab
from planexec.labs.panel import PAUSE, REST, Dial, Panel
from planexec.labs.piles import Pile, checked, grown

pytest.importorskip("ipywidgets")
FILES = sorted(Path(labs.__path__[0]).glob("*.py"))
LABS = [path.stem for path in FILES if path.stem != "player" and "\ndef panel(" in path.read_text(encoding="utf-8")]
DIALLED = [name for name in LABS if name != "person"]  # the others have a panel of their own


@dataclass(frozen=True)
class Sum:
    """A view that says its arguments; `table` as some labs have one."""

    text: str
    table: str = ""

    @property
    def svg(self):
        return f"<svg>{self.text}</svg>"


class ByHand:
    """A scheduler that calls a slice when the test says so, and knows what was taken back."""

    def __init__(self, obeys=True):
        self.waiting, self.taken_back, self.obeys, self.seconds = [], 0, obeys, []

    def __call__(self, step, seconds):
        self.waiting.append(step)
        self.seconds.append(seconds)

        def take_back():
            self.taken_back += 1
            if self.obeys:
                self.waiting.remove(step)

        return take_back

    def tick(self):
        """The newest slice; older ones are there only where taking back is not obeyed."""
        self.waiting.pop()()

    def run(self):
        while self.waiting:
            self.tick()


def counted(n, many=0):
    """n, and how many runs stand behind it."""
    if n == 13:
        raise ValueError("13 is not used <here>")
    return Sum(f"n = {n}, many = {many}")


def live(schedule, log=None, slices=4):
    """A panel that refines in `slices` slices of which each second one is shown; as after its display."""

    def more(n):
        yield {"many": 0}
        for number in range(1, slices + 1):
            if log is not None:
                log[n] += 1
            yield {"many": number} if number % 2 == 0 else None

    panel = Panel(counted, [Dial("n", 1, 0, 20)], refine=more, schedule=schedule)
    panel._repr_mimebundle_()
    return panel


# ------------------------------------------------------------------------------------- refining


def test_the_first_picture_is_there_at_once_and_the_rest_comes_slice_by_slice():
    hand = ByHand()
    panel = live(hand)
    assert (panel.view.text, panel.refined, len(hand.waiting)) == ("n = 1, many = 0", False, 1)
    seen = []
    while hand.waiting:
        hand.tick()
        seen.append(panel.view.text)
    assert seen == [f"n = 1, many = {many}" for many in (0, 2, 2, 4, 4)]
    assert panel.refined and "many = 4" in panel.picture.value and "many = 4" in panel.status.value


def test_at_every_moment_the_share_line_rebuilds_what_is_shown():
    hand = ByHand()
    panel = live(hand)
    for call in ("counted(n=1, many=0)", "counted(n=1, many=0)", "counted(n=1, many=2)"):
        assert panel.call == call and call in panel.share.value
        hand.tick()
    hand.run()
    assert (panel.call, panel.view) == ("counted(n=1, many=4)", counted(1, 4))


@pytest.mark.parametrize("obeys", [True, False], ids=["taken back", "called all the same"])
def test_what_a_moved_dial_supersedes_is_dropped_and_never_worked_out(obeys):
    hand, log = ByHand(obeys), Counter()
    panel = live(hand, log)
    for n in range(2, 12):
        hand.tick()
        panel.controls["n"].value = n
    hand.run()
    assert log == {**dict.fromkeys(range(1, 11), 1), 11: 4}, "one slice each, and all of the last"
    assert panel.view.text == "n = 11, many = 4"


def test_it_begins_once_the_dials_stand_still_and_then_hardly_pauses():
    hand = ByHand()
    panel = live(hand, slices=2)
    hand.run()
    panel.controls["n"].value = 2
    assert hand.seconds == [REST, PAUSE, PAUSE, REST] and REST > 5 * PAUSE


def test_ten_moves_leave_one_slice_waiting():
    hand = ByHand()
    panel = live(hand)
    for n in range(2, 12):
        panel.controls["n"].value = n
    assert (len(hand.waiting), hand.taken_back) == (1, 10)


def test_shown_twice_it_is_still_refined_once():
    hand, log = ByHand(), Counter()
    panel = live(hand, log)
    panel._repr_mimebundle_()
    assert len(hand.waiting) == 1
    hand.run()
    assert log == {1: 4}


def test_before_it_is_shown_nothing_is_refined_unless_it_is_asked_for():
    hand = ByHand()
    panel = Panel(counted, [Dial("n", 1, 0, 20)], refine=lambda n: iter([{"many": 0}, {"many": 5}]), schedule=hand)
    panel.set(n=2)
    assert (hand.waiting, panel.view.text) == ([], "n = 2, many = 0")
    panel.finish()
    assert (panel.view.text, panel.refined) == ("n = 2, many = 5", True)


def test_a_value_that_cannot_be_used_is_said_and_the_panel_goes_on():
    hand = ByHand()
    panel = live(hand)
    panel.controls["n"].value = 13
    assert "13 is not used &lt;here&gt;" in panel.status.value and hand.waiting == []
    panel.controls["n"].value = 14
    hand.run()
    assert panel.view.text == "n = 14, many = 4"


def test_on_the_event_loop_as_in_a_kernel_only_the_last_of_many_moves_is_refined(monkeypatch):
    monkeypatch.setattr("planexec.labs.panel.REST", 0.0)
    log = Counter()

    async def play():
        done = asyncio.Event()

        def more(n):
            yield {"many": 0}
            for number in (1, 2, 3):
                log[n] += 1
                yield {"many": number}
            done.set()

        panel = Panel(counted, [Dial("n", 1, 0, 20)], refine=more)
        panel._repr_mimebundle_()
        for n in range(2, 12):
            panel.controls["n"].value = n
        assert panel.view.text == "n = 11, many = 0", "the first picture is there before the loop has its turn"
        await asyncio.wait_for(done.wait(), 30)
        return panel

    panel = asyncio.run(play())
    assert (panel.view.text, panel.refined) == ("n = 11, many = 3", True)
    assert log == {11: 3}, "nothing of what was superseded"


def test_without_an_event_loop_there_is_the_first_picture_and_finish():
    panel = Panel(counted, [Dial("n", 1, 0, 20)], refine=lambda n: iter([{}, {"many": 5}]))
    assert "n = 1, many = 0" in panel._repr_mimebundle_()["text/plain"]
    panel.finish()
    assert panel.view == counted(1, 5)


# ------------------------------------------------------------------------------------- piles of runs


def test_a_pile_carries_each_seed_out_once_and_keeps_equal_results_once():
    asked = []
    pile = Pile(lambda seed: asked.append(seed) or (seed % 2, "result"))
    assert pile.first(3) == ((0, "result"), (1, "result"), (0, "result"))
    assert pile.first(5)[:3] == pile.first(3) and asked == [0, 1, 2, 3, 4]
    assert pile.first(5)[0] is pile.first(5)[4]


def test_a_pile_grows_one_run_a_slice_and_goes_on_where_it_was_left():
    pile = Pile(lambda seed: seed)
    growing = grown(pile, (2, 4))
    assert [next(growing) for _ in range(3)] == [{"runs": 0}, None, {"runs": 2}]
    assert next(growing) is None and len(pile) == 3
    assert list(grown(pile, (2, 4))) == [{"runs": 2}, {"runs": 4}]
    assert list(grown(pile, (2, 4))) == [{"runs": 4}]


def test_several_runs_fit_into_one_slice():
    assert list(grown(Pile(lambda seed: seed), (4, 6), at_once=3)) == [{"runs": 0}, None, {"runs": 4}, {"runs": 6}]


def test_two_threads_that_want_one_pile_carry_each_seed_out_once():
    asked, before = [], sys.getswitchinterval()
    pile = Pile(lambda seed: asked.append(seed) or seed)
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=pile.first, args=(3_000,)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(before)
    assert asked == list(range(3_000)) == list(pile.first(3_000))


def test_a_dial_moved_on_another_thread_waits_for_the_slice_and_supersedes_what_is_left():
    """JupyterLab hands moves to a subshell, which is a thread, while slices run on the main one."""
    hand, log, movers = ByHand(), Counter(), []

    def more(n):
        yield {"many": 0}
        for number in (1, 2):
            log[n] += 1
            if n == 1:
                mover = threading.Thread(target=lambda: setattr(panel.controls["n"], "value", 2))
                mover.start()  # in the middle of a slice
                movers.append(mover)
            yield {"many": number}

    panel = Panel(counted, [Dial("n", 1, 0, 20)], refine=more, schedule=hand)
    panel._repr_mimebundle_()
    hand.tick()
    assert movers, "it was moved in the middle of that slice"
    movers[0].join(60)
    hand.run()
    assert (panel.view.text, log) == ("n = 2, many = 2", {1: 1, 2: 2})


def test_runs_stay_within_what_a_lab_carries_out():
    assert (checked(0), checked(500)) == (0, 500)
    for wrong in (-1, 501):
        with pytest.raises(ValueError, match="runs go from 0 to 500"):
            checked(wrong)


# ------------------------------------------------------------------------------------- dials, share line, fallback


def test_a_dial_that_begins_switched_off_is_none_until_it_is_switched_on():
    panel = Panel(lambda most: Sum(f"most = {most}"), [Dial("most", 3, 1, 9, optional=True, on=False)])
    assert panel.view.text == "most = None"
    panel.switches["most"].value = True
    assert panel.view.text == "most = 3"
    panel.controls["most"].value = 7
    panel.reset_button.click()
    assert (panel.view.text, panel.controls["most"].value) == ("most = None", 3)


def test_a_table_of_the_view_stands_below_the_picture_as_text():
    panel = Panel(lambda n: Sum("x", f"<b>row</b> {n}" if n else ""), [Dial("n", 1, 0, 9)])
    assert ">&lt;b&gt;row&lt;/b&gt; 1</pre>" in panel.table.value
    panel.set(n=0)
    assert panel.table.value == ""


@pytest.mark.parametrize("name", DIALLED)
def test_each_labs_share_line_is_plain_code_that_rebuilds_what_is_shown(name):
    panel = lab(name)
    line, call = ast.parse(f"{panel.imports}\n{panel.call}").body
    module = importlib.import_module(line.module)
    values = {word.arg: ast.literal_eval(word.value) for word in call.value.keywords}
    function = getattr(module, line.names[0].name)
    assert call.value.func.id == line.names[0].name
    assert (function(**values).text, function(**values).svg) == (panel.view.text, panel.view.svg)


@pytest.mark.parametrize("name", DIALLED)
def test_each_lab_has_boxes_reset_a_status_line_a_text_and_a_stored_picture(name):
    panel = lab(name)
    sliders = {each for each, control in panel.controls.items() if hasattr(control, "step")}
    assert sliders == set(panel.boxes)
    for each in sliders:
        control, box = panel.controls[each], panel.boxes[each]
        box.value = control.max
        assert control.value == control.max
    panel.reset_button.click()
    assert panel.values == {dial.name: dial.value if dial.on else None for dial in panel.dials}
    assert 'role="status"' in panel.status.value and 'role="img"' in panel.picture.value
    data = panel._repr_mimebundle_()
    assert data["text/plain"] == repr(panel) and panel.view.text in repr(panel)
    assert data["image/png"].startswith("iVBOR")


# ------------------------------------------------------------------------------------- nothing piles up


@pytest.mark.parametrize("name", DIALLED)
def test_moves_leave_nothing_behind(name):
    """300 moves hold what 100 hold, after every place of the dials has been seen once."""
    panel = lab(name)
    slider = next(control for control in panel.controls.values() if hasattr(control, "step"))
    places = [slider.min + slider.step * n for n in range(5)]

    def objects(moves):
        for move in range(moves):
            slider.value = places[move % len(places)]
        gc.collect()
        return len(gc.get_objects())

    after_100 = objects(100)
    assert objects(200) - after_100 < 50
