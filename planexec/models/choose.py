"""One line that names a model: "sim", "sim:careful", or a name that an endpoint knows."""

from __future__ import annotations

from planexec.chat import Model


def choose(name: str = "sim", *, base_url: str | None = None, seed: int = 0, **dials: float) -> Model:
    """The model called `name`: choose("sim:reckless", drift=0), choose("deepseek-flash"), choose("m", base_url=...).

    "sim" is the simulated model with the preset "articles"; `seed` and `dials` are for simulated models only. Any
    other name goes to an OpenAI-compatible endpoint. ValueError for a preset or dial that does not exist, and when
    the client library or the key is missing: the message says what to do.
    """
    kind, _, preset = name.partition(":")
    if kind == "sim" and base_url is None:
        from planexec.models.simulated import SimulatedModel

        return SimulatedModel(preset or "articles", seed=seed, worlds=None, **dials)
    if dials:
        raise ValueError(f"dials belong to simulated models; {name!r} is none")
    from planexec.models.openai_model import OpenAIModel

    return OpenAIModel(name, base_url)
