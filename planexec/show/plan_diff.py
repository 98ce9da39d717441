"""Two plans side by side: what stayed, what went, what came, what says something else, what may not come back.

    diff_text([Step(1, "a"), Step(2, "b")], [Step(2, "b"), Step(3, "c")]) -> "- 1 a\\n  2 b\\n+ 3 c"

As text, as SVG, which moves with a dial, and as a printed figure. What changed is decided by `planexec.plans`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from planexec.plans import Step, changes, same_goal
from planexec.show.picture import GREEN, GREY, ORANGE, RED, Picture, canvas
from planexec.show.svg import WIDTH, fitted, label, line, svg

SIGNS = {"kept": " ", "reworded": "~", "removed": "-", "added": "+", "refused": "x"}
COLOURS = {"kept": GREY, "reworded": ORANGE, "removed": RED, "added": GREEN, "refused": RED}
WORDS = {"refused": "may not come back"}
AGAIN = "asked for again, kept out:"
HEADS = ("before", "after")
TOP, ROW, RIGHT = 60.0, 26.0, 380.0


@dataclass(frozen=True, slots=True)
class Line:
    """One step in one or both plans. `before` and `after` are its places there, from 0; None: it is not there."""

    kind: str
    text: str
    before: int | None = None
    after: int | None = None


def diff_lines(old: Sequence[Step], new: Sequence[Step], refused: Sequence[str] = ()) -> list[Line]:
    """The steps of both plans in the order of the new one, removed ones where they stood before.

    `refused`: goals that were asked for again and not taken in, because they are finished.
    """
    changed = changes(old, new)
    kinds = {step.id: "reworded" for step in changed.reworded} | {step.id: "added" for step in changed.added}
    lines = []
    for place, step in enumerate(new):
        kind = kinds.get(step.id, "kept")
        lines.append(Line(kind, _named(step), None if kind == "added" else _place(step, old), place))
    for place, step in enumerate(old):
        if step in changed.removed:
            at = max(
                (n + 1 for n, each in enumerate(lines) if each.before is not None and each.before < place), default=0
            )
            lines.insert(at, Line("removed", _named(step), place))
    return lines + [Line("refused", goal) for goal in refused]


def _named(step: Step) -> str:
    return f"{step.id} {step.goal}"


def _place(step: Step, old: Sequence[Step]) -> int | None:
    """Where the step stood before: by its id, else by what it says."""
    by_id = next((place for place, each in enumerate(old) if each.id == step.id), None)
    by_goal = next((place for place, each in enumerate(old) if same_goal(each.goal, step.goal)), None)
    return by_id if by_id is not None else by_goal


def diff_text(old: Sequence[Step], new: Sequence[Step], refused: Sequence[str] = ()) -> str:
    """One line a step, with the sign of what happened to it; a last line says when the order changed."""
    lines = [f"{SIGNS[each.kind]} {each.text}" for each in diff_lines(old, new, refused)]
    return "\n".join([*lines, *(["(in another order)"] if changes(old, new).reordered else [])])


def alt_text(lines: Sequence[Line], title: str) -> str:
    """What a screen reader says: the title, then every step with what happened to it."""
    said = "; ".join(f"{WORDS.get(each.kind, each.kind)}: {each.text}" for each in lines)
    return f"{title}. {said or 'no steps'}."


def diff_svg(
    old: Sequence[Step], new: Sequence[Step], title: str, refused: Sequence[str] = (), heads: tuple[str, str] = HEADS
) -> str:
    """The plan before on the left, after on the right, `heads` above them; a line joins what stayed."""
    lines = diff_lines(old, new, refused)
    shapes = [label(8, 42, heads[0], colour=GREY), label(RIGHT, 42, heads[1], colour=GREY)]
    foot, extra = _rows(old, new, refused), len(new) + 1
    if refused:
        shapes.append(label(RIGHT, _y(len(new)), AGAIN, colour=GREY))
    for each in lines:
        colour = COLOURS[each.kind]
        if each.before is not None:
            sign = SIGNS["removed"] if each.kind == "removed" else SIGNS["kept"]
            text = each.text if each.kind != "reworded" else _named(old[each.before])
            shapes.append(_entry(8, each.before, sign, text, colour))
        if each.after is not None:
            shapes.append(_entry(RIGHT, each.after, SIGNS[each.kind], each.text, colour))
        if each.kind == "refused":
            shapes.append(_entry(RIGHT, extra, SIGNS[each.kind], each.text, colour))
            extra += 1
        if each.before is not None and each.after is not None:
            shapes.append(line(306, _y(each.before) - 4, RIGHT - 8, _y(each.after) - 4, colour))
    return svg(TOP + ROW * foot + 8, alt_text(lines, title), *shapes, title=title)


def _rows(old: Sequence[Step], new: Sequence[Step], refused: Sequence[str]) -> int:
    """How many rows both plans take; what may not come back stands below the new one, under a head of its own."""
    return max(len(old), len(new) + (len(refused) + 1 if refused else 0), 1)


def _y(place: int) -> float:
    return TOP + ROW * place + 8


def _entry(x: float, place: int, sign: str, text: str, colour: str) -> str:
    """One step: a sign in its colour, so that colour is never the only mark, and its words."""
    room = 44 if x < RIGHT else 48
    return label(x, _y(place), sign, colour=colour, size=15) + label(x + 14, _y(place), fitted(text, room))


def diff_figure(
    old: Sequence[Step], new: Sequence[Step], title: str, refused: Sequence[str] = (), heads: tuple[str, str] = HEADS
) -> Picture:
    """The same as a printed figure."""
    lines = diff_lines(old, new, refused)
    rows = _rows(old, new, refused)
    figure, axes = canvas(8.0, 1.0 + 0.3 * rows, title)
    axes.set_axis_off()
    axes.set_xlim(0, WIDTH)
    axes.set_ylim(rows - 0.4, -1.2)
    axes.text(8, -0.8, heads[0], color=GREY, fontsize=9)
    axes.text(RIGHT, -0.8, heads[1], color=GREY, fontsize=9)
    if refused:
        axes.text(RIGHT, len(new), AGAIN, color=GREY, fontsize=9, va="center")

    def entry(x: float, place: int, kind: str, text: str) -> None:
        colour, drawn = COLOURS[kind], fitted(text, 46).replace("$", r"\$")
        axes.text(x, place, SIGNS[kind], color=colour, fontsize=11, weight="bold", va="center")
        axes.text(x + 14, place, drawn, fontsize=9, va="center")

    extra = len(new) + 1
    for each in lines:
        if each.before is not None:
            entry(8, each.before, "removed" if each.kind == "removed" else "kept", _named(old[each.before]))
        if each.after is not None:
            entry(RIGHT, each.after, each.kind, each.text)
        if each.kind == "refused":
            entry(RIGHT, extra, each.kind, each.text)
            extra += 1
        if each.before is not None and each.after is not None:
            axes.plot([318, RIGHT - 8], [each.before, each.after], color=COLOURS[each.kind], linewidth=1)
    return Picture(figure, alt_text(lines, title))
