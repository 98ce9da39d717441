"""The installed commands on consoles that are not UTF-8: nothing breaks, and what can be written is written."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.check

BIN = Path(sys.executable).parent
PLANEXEC = BIN / ("planexec.exe" if os.name == "nt" else "planexec")
QUESTIONS = {
    "en": "A reserve-requirement cut releases 800 bn yuan; 25% (200 bn) flows into stocks. "
    "How should a 1,000,000-yuan account be allocated?",
    "zh": "降准释放8000亿，25%流入股市2000亿，怎么配置100万账户",
}
CONSOLES = {
    "utf-8": {"PYTHONIOENCODING": "utf-8"},
    "gbk": {"PYTHONIOENCODING": "gbk"},
    "gb18030": {"PYTHONIOENCODING": "gb18030"},
    "cp1252": {"PYTHONIOENCODING": "cp1252"},
    "ascii": {"PYTHONIOENCODING": "ascii", "LC_ALL": "C"},
    "latin-1 strict": {"PYTHONIOENCODING": "latin-1:strict"},
}


def call(variables, *arguments):
    """Run the command and return (exit code, its bytes read in the encoding it was told to use, its errors)."""
    encoding = variables["PYTHONIOENCODING"].partition(":")[0]
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONUTF8", "LC_ALL", "LANG")}
    ended = subprocess.run(
        [str(PLANEXEC), *arguments], capture_output=True, env={**clean, **variables}, check=False, timeout=120
    )
    return ended.returncode, ended.stdout.decode(encoding), ended.stderr.decode(encoding)


@pytest.mark.parametrize("console", CONSOLES)
@pytest.mark.parametrize("lang", QUESTIONS)
def test_the_allocation_question_is_answered_on_every_console(console, lang):
    code, out, err = call(CONSOLES[console], "run", QUESTIONS[lang], "--model", "sim:articles", "--lang", lang)
    assert (code, "Traceback" in err) == (0, False), err
    for amount in ("250,000", "200,000", "150,000", "300,000", "100,000"):
        assert amount in out


def test_a_chinese_console_shows_chinese():
    code, out, _ = call(CONSOLES["gbk"], "run", QUESTIONS["zh"], "--model", "sim:articles", "--lang", "zh")
    assert code == 0 and "银行" in out


@pytest.mark.parametrize("console", CONSOLES)
def test_json_is_json_on_every_console(console):
    question = ("run", QUESTIONS["zh"], "--model", "sim:articles", "--lang", "zh")
    code, out, err = call(CONSOLES[console], *question, "--json")
    assert code == 0, err
    assert json.loads(out)["complete"] is True


@pytest.mark.parametrize("console", CONSOLES)
def test_the_notebooks_can_be_copied_and_linted_on_every_console(console, tmp_path):
    folder = str(tmp_path / "课程")
    assert call(CONSOLES[console], "course", "copy", folder)[0] == 0
    code, out, err = call(CONSOLES[console], "course", "lint", folder)
    assert (code, "Traceback" in err) == (0, False), out + err
