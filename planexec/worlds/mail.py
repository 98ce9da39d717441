"""Sending mail, as the worlds do it: nothing leaves the machine, every mail is written down where it can be counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planexec.tools import Observation, Tool, failed, found
from planexec.worlds.common import Outbox, make_tool, post

SECONDS = 0.6  # what a mail takes on a virtual clock
ME = "me"  # may stand for the address of the person who asks, where a world knows it

_WORDS = {
    "": {
        "en": "Send a mail. This cannot be undone. Data: to, subject, characters (length of the body).",
        "zh": "发送邮件，无法撤回。数据：to、subject、characters（正文字符数）。",
    },
    "to": {"en": "Address of one recipient", "zh": "一个收件人地址"},
    "subject": {"en": "Subject line", "zh": "主题"},
    "body": {"en": "Text of the mail", "zh": "正文"},
}
_TO_ME = {"en": "Address of one recipient; me = the person who asks", "zh": "一个收件人地址；me 表示提问者"}
_NO_ADDRESS = {"en": "{to!r} is not a mail address; nothing was sent.", "zh": "{to!r} 不是邮箱地址，没有发送。"}
_SENT = {"en": "Sent to {to}: {subject} ({n} characters).", "zh": "已发送给 {to}：{subject}（{n} 个字符）。"}


def mailer(lang: str, outbox: Outbox | None, approve: bool | Callable[[dict[str, Any]], bool], me: str = "") -> Tool:
    """The tool `send_mail(to, subject, body)`, which changes the world.

    Each mail is appended to `outbox`; without one it is only said to be sent. `me`: the address that "me" means.
    """

    def send_mail(to: str, subject: str, body: str) -> Observation:
        to = me if me and to.strip().casefold() == ME else to.strip()
        if not is_address(to):
            return failed(_NO_ADDRESS[lang].format(to=to[:60]), seconds=SECONDS)
        if outbox is not None:
            post(outbox, {"tool": "send_mail", "to": to, "subject": subject, "body": body})
        text = _SENT[lang].format(to=to, subject=subject, n=len(body))
        return found(text, {"to": to, "subject": subject, "characters": len(body)}, seconds=SECONDS)

    return make_tool(send_mail, lang, {**_WORDS, "to": _TO_ME if me else _WORDS["to"]}, effect=True, approve=approve)


def leaves(home_domain: str) -> Callable[[dict[str, Any]], bool]:
    """leaves("office.example") -> a function of a mail's arguments: True unless it goes to one address of that domain.

    A list of addresses is no address, whatever it ends with.
    """

    def outside(args: dict[str, Any]) -> bool:
        to = str(args.get("to", "")).strip().lower()
        return not (is_address(to) and to.endswith("@" + home_domain))

    return outside


def is_address(text: str) -> bool:
    """is_address("a@b.example") -> True. One recipient: no spaces, lists or angle brackets."""
    name, at, domain = text.partition("@")
    return bool(name and at and "." in domain.strip(".")) and not any(
        c.isspace() or c in ',;<>"@' for c in name + domain
    )
