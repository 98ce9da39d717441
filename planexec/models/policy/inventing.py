"""A figure that no observation holds (`invent`): a guess in the place of what is missing, or one more for show."""

from __future__ import annotations

from collections.abc import Sequence

from planexec.models.policy.chapters import capital
from planexec.models.policy.dials import Dice
from planexec.models.policy.facts import Brought
from planexec.models.policy.lacks import lack
from planexec.models.policy.phrases import say
from planexec.models.policy.tasks import Task, Wanted


def with_invention(
    text: str, task: Task, missing: Sequence[Wanted], brought: Sequence[Brought], dice: Dice, opportunity: int
) -> str:
    """`text`, and when `invent` strikes at this opportunity a figure that stands neither in it nor in any result."""
    if not dice.strikes("invent", opportunity):
        return text
    figure = _figure("\n".join([text, task.question, *(each.text for each in brought)]), dice, opportunity)
    if not missing:
        return f"{text}\n{say('guess_more', task.lang, figure=figure)}"
    honest = lack(task, missing[0], brought, True)
    guess = say("guess", task.lang, label=capital(missing[0].label), figure=figure)
    return text.replace(honest, guess) if honest in text else f"{text}\n{guess}"


def _figure(held: str, dice: Dice, opportunity: int) -> str:
    """A percentage with one decimal that `held` does not hold: the drawn one, or the next that is free.

    Never a whole one: "92.0%" would be invented in form only where a result holds 92 %.
    """
    start = dice.pick("invent", opportunity, 900)
    shown = (f"{10 + (start + step * 7) % 900 / 10:.1f}%" for step in range(900))
    return next(figure for figure in shown if figure not in held and not figure.endswith(".0%"))
