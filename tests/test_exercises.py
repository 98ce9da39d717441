"""Every exercise takes its solution, says "todo" to a stub, and refuses what learners typically write instead.

The answers are source texts in `course_answers.py`; they are checked as files, the way a learner's own file is. Each
goes through several seeds, because the solutions are public and a number copied from one of them must not pass.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from course_answers import ANSWERS

import planexec.course.exercises
from planexec.course.checks import NO_RETURN, STATUSES, Tried, check, exercise, find, task
from planexec.course.quiz import LETTERS, quiz
from planexec.paths import notebooks_path

SEEDS = (0, 1, 2, 5)
WRITTEN = re.compile(r'(?:@exercise|\bquiz)\(\s*"(\d\d\.q?\d)"')


def registered():
    """The id of every exercise and quiz question, read off the files so that no import decides what is tested."""
    folder = Path(planexec.course.exercises.__file__).parent
    return [id for path in sorted(folder.glob("nb*.py")) for id in WRITTEN.findall(path.read_text("utf-8"))]


IDS = registered()
EXERCISES = [id for id in IDS if ".q" not in id]
QUIZZES = [id for id in IDS if ".q" in id]
WRONG = [(id, number) for id, answer in sorted(ANSWERS.items()) for number in range(len(answer.wrong))]


def as_file(folder: Path, id: str, source: str) -> Path:
    """A learner's file with this answer: a definition as it is, an expression under the name the exercise asks for."""
    try:
        ast.parse(source.strip(), mode="eval")
        source = f"{find(id).name} = {source.strip()}"
    except SyntaxError:
        pass  # statements: they define the name themselves
    path = folder / f"answer_{len(list(folder.iterdir()))}.py"  # a name of its own: Python keeps compiled files
    path.write_text(source + "\n", encoding="utf-8")
    return path


def test_every_exercise_has_its_answers_and_no_answer_is_left_over():
    assert sorted(ANSWERS) == sorted(EXERCISES)
    assert list(ANSWERS) == sorted(ANSWERS)
    assert len(set(IDS)) == len(IDS)


def test_every_notebook_has_two_to_four_exercises_and_a_quiz():
    for number in {id[:2] for id in IDS}:
        assert 2 <= sum(id.startswith(number) for id in EXERCISES) <= 4, number
        assert 2 <= sum(id.startswith(number) for id in QUIZZES) <= 3, number


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("id", EXERCISES)
def test_the_solution_passes(tmp_path, id, seed):
    checked = check(id, as_file(tmp_path, id, ANSWERS[id].right), seed)
    assert checked.status == "passed", checked


@pytest.mark.parametrize("id", EXERCISES)
def test_a_right_answer_is_not_told_in_the_words_for_a_wrong_one(tmp_path, id):
    said = check(id, as_file(tmp_path, id, ANSWERS[id].right)).text
    assert not re.search(r"\b(not|no|got|wrong)\b", said), said


@pytest.mark.parametrize("id", EXERCISES)
def test_the_untouched_stub_is_to_do(tmp_path, id):
    name = find(id).name
    for stub in ("...", f"def {name}(*given):\n    ...", f'def {name}(*given):\n    """Words."""\n    return ...'):
        assert check(id, as_file(tmp_path, id, stub)).status == "todo"


@pytest.mark.parametrize(("id", "number"), WRONG)
def test_a_typical_wrong_answer_is_told_so_whatever_the_seed(tmp_path, id, number):
    path = as_file(tmp_path, id, ANSWERS[id].wrong[number])
    for seed in SEEDS:
        checked = check(id, path, seed)
        assert checked.status == "not yet", f"seed {seed}: {checked}"
        assert "raised" not in checked.text or "raise" in ANSWERS[id].wrong[number], checked


@pytest.mark.parametrize("id", EXERCISES)
def test_there_are_two_wrong_answers_or_more_and_each_differs_from_the_solution(id):
    answer = ANSWERS[id]
    assert len({answer.right, *answer.wrong}) == len(answer.wrong) + 1 >= 3


class Unshown:
    """An object that cannot be shown."""

    def __repr__(self):
        raise ValueError("no repr")


class Odd(Unshown):
    """An object that cannot be compared either."""

    def __eq__(self, other):
        raise ValueError("not comparable")

    __hash__ = None


def raises(*given, **named):
    raise ZeroDivisionError("on purpose")


JUNK = {
    "a number": 7,
    "no letter": "",
    "a list": [1, "two"],
    "a function of nothing": lambda: 3,
    "a function that says nothing": lambda *given, **named: None,
    "a function that raises": raises,
    "a class": dict,
    "a function that returns what cannot be shown": lambda *given, **named: Unshown(),
    "a function that returns what cannot be compared": lambda *given, **named: Odd(),
    "a thing that cannot be shown": Unshown(),
    "a thing that cannot be compared": Odd(),
}


@pytest.mark.parametrize("junk", JUNK.values(), ids=JUNK)
@pytest.mark.parametrize("id", IDS)
def test_no_answer_makes_a_check_raise(id, junk):
    checked = check(id, junk)
    assert checked.status in STATUSES and checked.status != "passed"
    assert check(id, junk).text == checked.text
    assert repr(checked) and checked._repr_html_()


UNUSABLE = ("raise ValueError('mine')", "def broken(", "import no_such_module", "x = 1", "1 / 0")


@pytest.mark.parametrize("source", UNUSABLE)
def test_a_file_that_cannot_be_used_is_an_answer_too(tmp_path, source):
    path = tmp_path / "mine.py"
    path.write_text(source, encoding="utf-8")
    assert check(EXERCISES[0], path).status == "not yet"
    assert check(EXERCISES[0], tmp_path / "not_there.py").status == "not yet"


@pytest.mark.parametrize("id", EXERCISES)
def test_hints_come_one_at_a_time_and_the_last_one_stays(id):
    hints = find(id).hints
    assert 2 <= len(hints) <= 3 and all(hints)
    given = [check(id, raises).hint for _ in range(len(hints) + 2)]
    assert given[-1] == hints[-1] and set(given) <= set(hints)


def test_a_forgotten_return_has_a_hint_of_its_own():
    def says(result):
        print(len(result.calls))

    assert check("00.1", says).hint == NO_RETURN


def test_where_none_is_a_right_answer_it_is_not_taken_for_a_forgotten_return():
    def only_three_in_a_row(kinds, limit):
        return 3 if kinds[:3] == ["empty"] * 3 else None

    def says(kinds, limit):
        print(len(kinds))

    assert check("08.1", only_three_in_a_row).hint not in ("", NO_RETURN)
    assert check("08.1", says).hint == NO_RETURN


def test_an_attempt_with_a_hint_of_its_own_gives_that_one_and_another_mistake_the_next_in_turn():
    tries = {"right": True, "slip": False, "other": False}
    exercise("99.1", "answer", "", ("first", "second"))(
        lambda answer, seed: [Tried(answer, answer, "right", tries[answer], "mind the slip" * (answer == "slip"))]
    )
    assert [check("99.1", each).hint for each in ("slip", "slip", "other", "slip", "other", "right")] == [
        *("mind the slip", "mind the slip", "first", "mind the slip", "second", "")
    ]


@pytest.mark.parametrize(
    ("id", "right", "slip", "words"),
    [
        ("02.1", 'len(set(sides) - {""})', 'set(sides) - {""}', "return how many"),
        ("02.1", ' - {""}', "", "no side"),
        ("17.1", 'return "end"', 'return "END"', "small letters"),
        ("17.2", "+ 1", "- 1", "before the first line"),
        ("17.2", "+ 1", "+ 2", "One too many"),
        ("18.1", " Data: numbers, categories.", "", "docstring"),
        ("18.1", "    @tool\n", "", "@tool"),
        ("18.1", 'list(dict.fromkeys(row["category"] for row in rows))', '[r["category"] for r in rows]', "Each once"),
        ("18.1", "<= to_time", "< to_time", "which of your conditions leaves it out"),
        ("18.2", " Data: ids.", "", "docstring"),
        ("18.2", ' and "superseded_by" not in row', "", "does not belong there"),
        ("18.3", "*rules, *risks", "*rules", "risks differ"),
        ("18.3", '<= shift["to"]', '< shift["to"]', "flights differ"),
    ],
)
def test_the_hint_is_for_the_slip_that_was_made(tmp_path, id, right, slip, words):
    solution = ANSWERS[id].right
    assert right in solution
    assert words in check(id, as_file(tmp_path, id, solution.replace(right, slip))).hint


def test_an_error_on_the_empty_list_is_told_from_other_errors():
    def streak(sides):
        return max(sides.count(side) for side in sides)

    checked = check("02.2", streak)
    assert "streak([])" in checked.text and checked.hint.startswith("The list may be empty")


def test_a_wrong_letter_is_answered_with_its_reason_in_a_sentence():
    assert check("02.q1", "b").text == (
        "b) Its tools only know that topic. No: the same tools return all five sides when they are asked."
    )


def reasons(id: str, seed: int = 0) -> dict[bool, list[tuple[str, str]]]:
    """{True: [(the right answer, why)], False: [(a wrong one, why not), ...]}, as a learner reads them."""
    read: dict[bool, list[tuple[str, str]]] = {True: [], False: []}
    for line in task(id, seed).splitlines()[1:]:
        checked = check(id, line[0], seed)
        word = "Yes" if checked else "No"
        assert checked.text.startswith(f"{line} {word}: ") and checked.text.endswith("."), checked
        read[bool(checked)].append((line[3:], checked.text[len(f"{line} {word}: ") : -1]))
    return read


def plain(text: str) -> str:
    """The letters alone, so that another capital or another comma makes no other reason."""
    return re.sub(r"[^a-z0-9]", "", text.lower())


@pytest.mark.parametrize("id", QUIZZES)
def test_a_right_answer_has_a_reason_that_is_neither_the_answer_nor_why_another_is_wrong(id):
    [(right, why)] = reasons(id)[True]
    said = [part for pair in reasons(id)[False] for part in pair]
    assert 20 < len(why) <= 140 and why.isascii() and not why.endswith((".", "!", "?")), why
    assert plain(why) not in map(plain, [right, *said])
    assert all(reasons(id, seed)[True] == [(right, why)] for seed in SEEDS)


def test_a_question_without_a_reason_for_its_right_answer_is_an_error():
    with pytest.raises(TypeError, match="why"):
        quiz("99.q2", "Which?", "This.", (("That.", "it is no good"),))


def test_a_right_letter_is_answered_with_the_reason_too_wherever_the_seed_puts_it():
    quiz("99.q1", "Which?", "This.", (("That.", "it is no good"), ("None.", "there is one")), why="it is good")
    told = [check("99.q1", letter, seed).text for seed in range(3) for letter in "abc" if check("99.q1", letter, seed)]
    assert sorted(told) == [f"{letter}) This. Yes: it is good." for letter in "abc"]


def test_a_single_try_without_words_is_well_done_and_several_are_counted():
    exercise("99.2", "answer", "")(lambda answer, seed: [Tried("it", answer, answer, True)] * answer)
    assert check("99.2", 1).text == "well done"
    assert check("99.2", 2).text == "all 2 tries came back as expected"


@pytest.mark.parametrize("id", IDS)
def test_a_task_has_words_for_every_seed_and_the_same_ones_each_time(id):
    assert all(task(id, seed).strip() and task(id, seed) == task(id, seed) for seed in SEEDS)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("id", QUIZZES)
def test_a_quiz_question_has_one_right_answer_and_a_reason_for_each_wrong_one(id, seed):
    letters = LETTERS[: len(task(id, seed).splitlines()) - 1]
    checked = [check(id, letter, seed) for letter in letters]
    assert len(letters) >= 3
    assert sum(map(bool, checked)) == 1
    assert all(len(each.text) > 40 for each in checked if not each)
    assert [bool(check(id, f" {letter.upper()} ", seed)) for letter in letters] == [bool(each) for each in checked]


def test_the_right_letter_depends_on_the_seed():
    for id in QUIZZES:
        right = {next(letter for letter in LETTERS if check(id, letter, seed)) for seed in range(3)}
        assert len(right) > 1, id


@pytest.mark.parametrize("number", sorted({id[:2] for id in IDS}))
def test_the_notebook_asks_for_each_of_its_exercises_in_a_cell_of_its_own(number):
    from planexec.course import form

    (path,) = notebooks_path().glob(f"{number}_*.ipynb")
    cells = [cell for cell in form.read(path).cells if "exercise" in cell.metadata.get("tags", [])]
    asked = [re.findall(r'check\("(\d\d\.q?\d)"', cell.source) for cell in cells]
    assert sorted(id for found in asked for id in found) == sorted(id for id in IDS if id.startswith(number))
    assert all(len(found) == 1 for found in asked)
    assert all("[todo]" in str(cell.outputs) for cell in cells)
