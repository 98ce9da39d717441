"""Quiz questions: several answers, one right, and a reason for each of them. They are checked like exercises."""

from __future__ import annotations

from collections.abc import Sequence

from planexec.course.checks import Tried, exercise

LETTERS = "abcdef"


def quiz(id: str, question: str, right: str, wrong: Sequence[tuple[str, str]], *, why: str) -> None:
    """Register "07.q1": `right` is the right answer, `wrong` are pairs of (answer, why it is wrong).

    `why` says why the right one is right, for those who guessed it. All reasons are clauses: "Yes: ", "No: " and the
    full stop are set here. The seed decides in which order the answers stand; seed 0 is the order of the notebook.
    """

    def options(seed: int) -> list[tuple[str, str]]:
        listed = [(right, why), *wrong]
        turn = (sum(id.encode()) + seed) % len(listed)
        return listed[turn:] + listed[:turn]

    def ask(seed: int) -> str:
        lines = [f"{letter}) {text}" for letter, (text, _) in zip(LETTERS, options(seed), strict=False)]
        return "\n".join([question, *lines])

    def test(answer: object, seed: int) -> list[Tried]:
        listed = options(seed)
        letter = str(answer).strip().lower()
        if len(letter) != 1 or letter not in LETTERS[: len(listed)]:
            wanted = f'one letter from a to {LETTERS[len(listed) - 1]}, in quotes: check("{id}", "a")'
            return [Tried("your answer", answer, wanted, False)]
        text, reason = listed[LETTERS.index(letter)]
        good = text == right
        words = f"{letter}) {text} {'Yes' if good else 'No'}: {reason}."
        return [Tried(letter, text, right, good, words=words)]

    exercise(id, "answer", ask)(test)
