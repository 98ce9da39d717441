"""What is asked for: the role, from the form of output and the tools offered.

No prompt is known by heart. A paraphrase, another framework's prompt or none at all lead to the same role as long as
the form asked for and the data are the same.
"""

from __future__ import annotations

import re
from functools import lru_cache

from planexec.models.policy.reading import Reading

PLAN, EXECUTE, REACT, REPLAN, REPORT, ROUTE, CHAT = "plan", "execute", "react", "replan", "report", "route", "chat"

_ROUTES = re.compile(r"(?=.*\bdirect\b)(?=.*\bchain\b)|[\"'“]route[\"'”]", re.IGNORECASE | re.DOTALL)
_LIST = re.compile(
    r"\bjson[ -]?(?:array|list)|\b(?:array|list) of (?:strings|steps|sub-?tasks|texts)|\bsub-?tasks?\b|\bplanner\b"
    r"|\b(?:break|split|divide)\b.{0,60}\b(?:into|down|up)\b|json\s*(?:字符串)?(?:数组|列表)|字符串数组|子任务|拆(?:解|分|成)|分解成",
    re.IGNORECASE | re.DOTALL,
)
_OBJECTS = re.compile(r"\bobjects?\b|[\"'“`](?:tool|args|goal)[\"'”`]|\$\d|对象", re.IGNORECASE)
_STRINGS = re.compile(
    r"\b(?:array|list) of (?:plain |short )?(?:strings|texts)|字符串(?:数组|列表)|\bjson array of strings",
    re.IGNORECASE,
)


def role_of(reading: Reading, offered: bool) -> str:
    """The role that `reading` asks for; `offered`: tools came with the request."""
    keys = reading.data.keys()
    if "step" in keys:
        return EXECUTE
    if "results" in keys:
        return REPORT
    if "remaining" in keys:
        return REPLAN
    if "tools" in keys or "max_plan_steps" in keys:
        return PLAN
    if offered:
        return REACT
    instructions = reading.system or (reading.users[-1] if reading.users else "")
    if _ROUTES.search(instructions):
        return ROUTE
    return PLAN if _LIST.search(instructions) else CHAT


@lru_cache(maxsize=1_024)
def wants_strings(system: str) -> bool:
    """True when the prompt asks for an array of plain strings and for nothing else."""
    return bool(_STRINGS.search(system)) and not _OBJECTS.search(system)
