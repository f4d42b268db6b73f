"""Which model writes the kernels, as named on the command line or in the settings. Knows no window."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.agent.prompt.round_prompt import DEFAULT_TOKENS
from core.errors import SageError
from core.models.endpoint import Endpoint
from core.models.faults import UnknownModel
from core.models.folder_desk import FolderDesk
from core.models.manual import Desk, Manual
from core.models.openai_compatible import (
    MARGIN,
    OnChange,
    OnRetry,
    OpenAICompatible,
)
from core.models.port import ModelOrigin, ModelProvider
from core.models.profiles import FILE, read_profiles, write_profiles
from core.models.servers import endpoint_at
from core.replay.provider import ReplayProvider
from core.replay.session_file import Session, read_session
from core.replay.standin import LABEL, STAND_IN, StandIn
from core.text import Text
from sage_desktop.services.models.check import ANY
from sage_desktop.services.places import config_dir

if TYPE_CHECKING:
    from core.harness.launch import Agent

MANUAL, REPLAY = "manual:", "replay:"
ACP = "acp:"
TOOLS = "coding agent"
_REPLY_SHARE = 4  # at most one part in four of a short context is kept for the reply


@dataclass(frozen=True)
class ModelChoice:
    """A model that can be used.

    Attributes:
        make: Makes the provider, in the engine's thread.
        label: Name as shown.
        context_budget: Tokens a prompt may have.
        session: The recording that is replayed, None for a model or person.
        prices: Per million prompt, cached prompt and reply tokens, as the profile states them; 0: not stated.
        make_seeded: Makes the provider of a backbone and a repeat, where these decide its answers; None for
            others.
        make_apart: Makes a provider that puts its prompts into a folder of this name; None where prompts are
            not files.
    """

    make: Callable[[], ModelProvider]
    label: str
    context_budget: int = DEFAULT_TOKENS
    session: Session | None = None
    prices: tuple[float, float, float] = (0.0, 0.0, 0.0)
    make_seeded: Callable[[str, str], ModelProvider] | None = None
    make_apart: Callable[[str], ModelProvider] | None = None


def choose_model(
    name: str,
    address: str = "",
    key_name: str = "",
    on_retry: OnRetry | None = None,
    on_question: Callable[[Path], None] | None = None,
) -> ModelChoice:
    """The model called `name`; a live one is asked whether it is there.

    Args:
        name: `standin`, `manual:FOLDER`, `replay:SESSION.jsonl`, `acp:AGENT` or `acp:AGENT@MODEL`, a profile,
            or a model name at `address`; empty: `$SAGE_MODEL`.
        address: Base URL of an OpenAI-compatible server, or its short name (`core.models.servers`); empty:
            `$SAGE_ENDPOINT`.
        key_name: Environment variable or keyring entry with the key; empty: the usual one of the server.
        on_retry: Hears of repeated requests.
        on_question: Hears of prompts that wait in a manual folder.

    Raises:
        SageError: Nothing was named, or a `ModelFault` says why the model cannot be used.
    """
    name = name or os.environ.get("SAGE_MODEL", "")
    if name == STAND_IN:
        return ModelChoice(StandIn, LABEL, make_seeded=StandIn)
    if name.startswith(ACP):
        return _agent(name.removeprefix(ACP), address, key_name, on_retry)
    if name.startswith(MANUAL):
        if not name.removeprefix(MANUAL).strip():
            raise SageError(
                "No folder for prompts and replies was named.",
                "Use --model manual:FOLDER.",
            )
        folder = Path(name.removeprefix(MANUAL)).expanduser()

        def at_desk(name: str = "") -> ModelProvider:
            return Manual(FolderDesk(folder / name, on_question))

        return ModelChoice(at_desk, "manual", make_apart=at_desk)
    if name.startswith(REPLAY):
        session = read_session(Path(name.removeprefix(REPLAY)).expanduser())
        return ModelChoice(
            lambda: ReplayProvider(session), session.header.model, session=session
        )
    # An address means a model of that name there, although a profile has the same name.
    if not address and name in (stored := read_profiles(profiles_file())):
        return served_model(stored[name], on_retry, partial(_remember, name))
    address = address or os.environ.get("SAGE_ENDPOINT", "")
    if not name or not address:
        raise SageError(
            "No model was named."
            if not name
            else Text("No address is known for {name}.", name=name),
            "Use --model NAME --endpoint http://host:8000/v1, --model manual:FOLDER, or --model replay:FILE.",
        )
    return served_model(endpoint_at(address, name, key_name), on_retry)


def tool_model(desk: Desk) -> ModelChoice:
    """A coding agent that asks for its tasks itself, over tools; it can read all that its user can."""
    return ModelChoice(lambda: Manual(desk, TOOLS, ModelOrigin.OPEN_AGENT), TOOLS)


def profiles_file() -> Path:
    """Where the person's endpoint profiles are: those of the window."""
    return config_dir() / FILE


def _remember(profile: str, endpoint: Endpoint) -> None:
    """Store in a profile which fields of a request its server takes."""
    every = read_profiles(profiles_file())
    if profile in every:
        every[profile] = replace(
            every[profile],
            limit_field=endpoint.limit_field,
            asks_usage=endpoint.asks_usage,
        )
        write_profiles(profiles_file(), every)


def served_model(
    endpoint: Endpoint,
    on_retry: OnRetry | None = None,
    on_change: OnChange | None = None,
) -> ModelChoice:
    """The model of an endpoint, after asking whether it is there.

    Raises:
        ModelFault: It cannot be used, and why.
    """
    served = asyncio.run(_as_served(endpoint))
    return _choice(
        lambda: OpenAICompatible(served, on_retry, on_change=on_change),
        served.model,
        served,
    )


def _choice(
    make: Callable[[], ModelProvider], label: str, endpoint: Endpoint
) -> ModelChoice:
    """The choice of a provider whose model an endpoint serves, with the budget and prices that follow."""
    budget = prompt_budget(endpoint.context_tokens, endpoint.max_output_tokens)
    return ModelChoice(make, label, budget, prices=endpoint.prices)


def _agent(
    name: str, address: str, key_name: str, on_retry: OnRetry | None
) -> ModelChoice:
    """A coding agent with a profile's model, or one served at `address` (its only one, where none is named).

    Raises:
        SageError: Agent, cell or model cannot be used.
    """
    from core.harness.launch import find_agent

    stored = read_profiles(profiles_file())
    command, model = command_and_model(name, stored)
    agent = find_agent(command)
    address = address or os.environ.get("SAGE_ENDPOINT", "")
    if model in stored and not address:
        endpoint = stored[model]
    elif address:
        endpoint = endpoint_at(address, model or ANY, key_name)
    else:
        remedy = "Use --endpoint http://host:8000/v1, or acp:AGENT@PROFILE."
        raise SageError("No model is set for {agent}.", remedy, agent=agent.name)
    return agent_with_model(agent, endpoint, on_retry)


def command_and_model(name: str, profiles: Collection[str]) -> tuple[str, str]:
    """An agent's command and what its model is called, empty for none.

    The model stands behind the last `@` that ends a word of the command. Scoped Node
    packages (`node_modules/@name/…`) begin one with it; their versions are followed by
    further words, as only a profile's name may be.
    """
    # An `@` at the beginning of a word, or of a path's part, belongs to a scoped package.
    marks = [
        place
        for place, sign in enumerate(name)
        if sign == "@" and place and name[place - 1] not in " /"
    ]
    for place in reversed(marks):
        model = name[place + 1 :]
        if model in profiles or not any(map(str.isspace, model)):
            return name[:place], model
    return name, ""


def agent_with_model(
    agent: Agent, endpoint: Endpoint, on_retry: OnRetry | None = None
) -> ModelChoice:
    """A coding agent, confined to a cell, that asks the model of an endpoint; whether that is there is asked.

    Raises:
        SageError: Cell or model cannot be used.
    """
    from core.harness.acp_provider import AcpProvider
    from sage_desktop.services import wiring

    served = asyncio.run(_as_served(endpoint))
    cell = wiring.agent_cell()
    return _choice(
        lambda: AcpProvider(agent, served, cell, on_silence=on_retry),
        f"{agent.name} with {served.model}",
        served,
    )


def prompt_budget(context: int, largest_reply: int) -> int:
    """Tokens a prompt may have in a model of `context` tokens (0: unknown)."""
    if not context:
        return DEFAULT_TOKENS
    return context - min(largest_reply, context // _REPLY_SHARE) - MARGIN


async def _as_served(endpoint: Endpoint) -> Endpoint:
    """The endpoint after asking its server: with a model it serves, and the context the server states.

    Args:
        endpoint: Its model may be `ANY`: the only one the server has.

    Raises:
        ModelFault: The server cannot be reached, or does not serve the model.
    """
    provider = OpenAICompatible(endpoint)
    contexts: dict[str, int] = {}  # tokens, by model
    try:
        contexts = await provider.served()
    except UnknownModel:
        if endpoint.model == ANY:
            raise
        # Some servers (GLM's, proxies) have no list; the first request tells.
    finally:
        await provider.close()
    names = ", ".join(sorted(contexts))
    if endpoint.model == ANY:
        if len(contexts) != 1:
            raise UnknownModel(
                "The profile of {base_url} names no model.",
                "It serves: {names}.",
                base_url=endpoint.base_url,
                names=names,
            )
        endpoint = replace(endpoint, model=next(iter(contexts)))
    if contexts and endpoint.model not in contexts:
        raise UnknownModel(
            "{base_url} does not serve {model}.",
            "It serves: {names}.",
            base_url=endpoint.base_url,
            model=endpoint.model,
            names=names,
        )
    return replace(
        endpoint,
        context_tokens=endpoint.context_tokens or contexts.get(endpoint.model, 0),
    )
