"""Tools for a model whose own tool calls cannot be relied on: it answers one JSON object under a schema instead.

The tools are described in words, the answer is {"tool": .., "args": {..}} or {"answer": ".."}, and earlier calls and
results are told in the same form. Outside this module the conversation keeps its ordinary form, so that it can go on
with another model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from planexec.chat import Message, Reply, ServiceError, ToolCall, assistant

_HOW = (
    "You can use these tools:\n{tools}\n"
    'Answer with ONE JSON object and nothing else: {{"tool": "NAME", "args": {{...}}}} to use a tool, '
    'or {{"answer": "TEXT"}} when you know the answer or no tool can help.'
)
_ONLY_ANSWER = 'Answer with ONE JSON object and nothing else: {"answer": "TEXT"}.'
_RESULT = "Tool result: {text}"
# Measured on models of 0.5 and 1.5 billion parameters (docs/local_models.md): without its last sentence the smaller one
# never stops; without its middle one both invent more answers where nothing was found.
_GO_ON = "If this answers the question, give the answer. If nothing was found, say so. Do not repeat a call."


def conversation(
    messages: Sequence[Message], tools: Sequence[dict[str, Any]], tool_choice: str, remind: bool = True
) -> list[Message]:
    """The conversation without tool messages; the tools are explained at the end of the system message.

    `remind`: after each result say that the answer may be due.
    """
    told = [_told(message, remind) for message in messages]
    if not tools:
        return told
    how = _ONLY_ANSWER if tool_choice == "none" else _HOW.format(tools="\n".join(map(_described, tools)))
    if told and told[0]["role"] == "system":
        return [{**told[0], "content": f"{told[0]['content']}\n\n{how}"}, *told[1:]]
    return [{"role": "system", "content": how}, *told]


def _told(message: Message, remind: bool) -> Message:
    if message["role"] == "tool":
        result = _RESULT.format(text=message["content"])
        return {"role": "user", "content": f"{result}\n{_GO_ON}" if remind else result}
    if message.get("tool_calls"):
        actions = [
            f'{{"tool": {json.dumps(call["function"]["name"])}, "args": {call["function"]["arguments"] or "{}"}}}'
            for call in message["tool_calls"]
        ]
        return {"role": "assistant", "content": "\n".join(actions)}
    return {key: message[key] for key in ("role", "content", "name") if key in message}


def _described(tool: dict[str, Any]) -> str:
    """- search(query: string): Looks something up."""
    function = tool["function"]
    said = (function.get("parameters") or {}).get("properties", {})
    arguments = ", ".join(f"{name}: {schema.get('type', 'any')}" for name, schema in said.items())
    lines = [f"  {name}: {schema['description']}" for name, schema in said.items() if schema.get("description")]
    return "\n".join([f"- {function['name']}({arguments}): {function.get('description', '')}", *lines])


def response_format(json_mode: str, tools: Sequence[dict[str, Any]], tool_choice: str) -> dict[str, Any]:
    """The body field that holds the model to the form, as far as the service can."""
    if json_mode == "no":
        return {}
    if json_mode == "object":
        return {"response_format": {"type": "json_object"}}
    answer = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
    wanted = [tool for tool in tools if tool_choice in ("auto", "required", tool["function"]["name"])]
    shapes = [_action(tool["function"]) for tool in wanted]
    if tool_choice in ("auto", "none") or not shapes:
        shapes.append({**answer, "additionalProperties": False})
    schema = shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "action", "schema": schema}}}


def _action(function: dict[str, Any]) -> dict[str, Any]:
    parameters = function.get("parameters") or {"type": "object", "properties": {}}
    properties = {"tool": {"const": function["name"]}, "args": parameters}
    return {"type": "object", "properties": properties, "required": ["tool", "args"], "additionalProperties": False}


def read(reply: Reply, new_id: str) -> Reply:
    """The reply with its JSON action as a tool call with the id `new_id`, or as plain text.

    Plain prose stays an answer. Half a JSON object is a cut answer when the token limit cut it, else a failure.
    """
    text = _unfenced(reply.text)
    if reply.tool_calls or not text.startswith("{"):
        return reply
    try:
        action = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        if reply.finish == "length":
            return replace(reply, text="", message=assistant(""))
        raise ServiceError("The model's JSON action could not be read.", "transient") from None
    if isinstance(action.get("tool"), str):
        args = action.get("args") or {}
        error = "" if isinstance(args, dict) else "The arguments must be a JSON object."
        call = ToolCall(new_id, action["tool"] or "unnamed", None if error else args, error)
        message = assistant("", [call], [json.dumps(args, ensure_ascii=False)])
        return replace(reply, text="", tool_calls=(call,), finish="tool_calls", message=message)
    answer = action.get("answer")
    if isinstance(answer, str) and answer.strip():
        return replace(reply, text=answer, message=assistant(answer))
    raise ServiceError("The model's JSON action names neither a tool nor an answer.", "transient")


def _unfenced(text: str) -> str:
    """_unfenced("```json\\n{}\\n```") -> "{}" """
    lines = text.strip().splitlines()
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        return "\n".join(lines[1:-1]).strip()
    return text.strip()
