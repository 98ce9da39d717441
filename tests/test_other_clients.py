"""Other people's agents against the local server: they complete a task when they keep the rules, and break when not.

Each in an environment of its own, made here from the package index; skipped by name when it cannot be made.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from planexec import SimulatedModel, serve

pytestmark = pytest.mark.check
QUESTION = "Which sectors benefit from a reserve-requirement cut?"
FACTS = "[2026-10-12] Sectors that benefit\\nsectors: banks, property\\nweights:\\n- banks: 60%\\n- property: 40%"
HEAD = f"""
import json, sys
url, key, name = sys.argv[1:]
calls = []
FACTS = "{FACTS}"
QUESTION = "{QUESTION}"
"""
LANGCHAIN = (
    HEAD
    + '''
from langchain.agents import create_agent
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

@tool
def search_knowledge(query: str) -> str:
    """Search the knowledge base of economic facts."""
    calls.append(query)
    return FACTS

model = ChatOpenAI(model=name, base_url=url, api_key=key, max_retries=0)
out = create_agent(model, [search_knowledge]).invoke({"messages": [{"role": "user", "content": QUESTION}]})
print(json.dumps({"answer": out["messages"][-1].content, "calls": calls}))
'''
)
SMOLAGENTS = (
    HEAD
    + '''
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

@tool
def search_knowledge(query: str) -> str:
    """Search the knowledge base of economic facts.

    Args:
        query: what to look for
    """
    calls.append(query)
    return FACTS

model = OpenAIServerModel(model_id=name, api_base=url, api_key=key, client_kwargs={"max_retries": 0})
agent = ToolCallingAgent(tools=[search_knowledge], model=model, max_steps=4, verbosity_level=0)
answer = agent.run(QUESTION)
print(json.dumps({"answer": str(answer), "calls": calls}))
'''
)
CLIENTS = {
    "langchain": (("langchain>=1", "langchain-openai>=1"), LANGCHAIN),
    "smolagents": (("smolagents[openai]>=1.20",), SMOLAGENTS),
}


@pytest.fixture(scope="module", params=list(CLIENTS))
def client(request, tmp_path_factory):
    """(name, its Python, its script)."""
    wanted, script = CLIENTS[request.param]
    home = tmp_path_factory.mktemp(request.param)
    uv = [sys.executable, "-m", "uv"]
    made = subprocess.run([*uv, "venv", "--quiet", "--python", sys.executable, str(home / "venv")], capture_output=True)
    python = home / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if made.returncode == 0:
        made = subprocess.run([*uv, "pip", "install", "--quiet", "--python", str(python), *wanted], capture_output=True)
    if made.returncode != 0:
        pytest.skip(f"{request.param} cannot be installed here")
    path = home / "client.py"
    path.write_text(script, encoding="utf-8")
    return request.param, python, path


def ask(client, server: serve.Server, model: str) -> subprocess.CompletedProcess[str]:
    _, python, script = client
    command = [str(python), str(script), server.url, server.key, model]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", cwd=Path(script).parent)


def test_it_completes_a_task_without_special_treatment(client):
    with serve.start(SimulatedModel("careful"), profile="openai") as server:
        done = ask(client, server, "gpt-4.1")
        assert not server.refusals
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert len(said["calls"]) == 1 and "60%" in said["answer"] and "40%" in said["answer"]


def test_it_breaks_where_the_service_is_known_to_break_it(client):
    """LangChain loses the thoughts of a thinking model; smolagents demands a tool call, which thinking refuses."""
    name, _, _ = client
    with serve.start(SimulatedModel("careful"), profile="deepseek") as server:
        done = ask(client, server, "deepseek-flash")
        cases = [refusal.case for refusal in server.refusals]
    assert done.returncode != 0
    assert cases[-1] == {"langchain": "reasoning.missing", "smolagents": "tool_choice.forced"}[name]
