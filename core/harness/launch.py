"""Which agents can be driven, and how each gets its model and its rights."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from core.errors import NeedsPerson
from core.models.endpoint import Endpoint

PORT = 8787  # of the model, on the loopback of the agent's own network
PROJECT = "/project"  # the candidate's folder, as the agent sees it
MODEL_URL = f"http://127.0.0.1:{PORT}/v1"
PATHS = "SAGE_AGENT_PATHS"
OPENCODE = "opencode"
OPENCODE_TRIED = "1.18.33"
# Agents known by name: what makes each speak the protocol.
_SPEAK = {OPENCODE: ("acp",), "qwen": ("--acp",)}
_MODULES = "node_modules"
_NODE_LIBRARIES = Path("/usr/share/nodejs")  # of Debian's Node, which finds them there
_HOW = {
    OPENCODE: "Install it (npm install -g opencode-ai@1.18.33).",
    "qwen": "Install it (npm install -g @qwen-code/qwen-code@0.15.10).",
    "rg": "Install it (Debian, Ubuntu: apt install ripgrep).",
}
_CONTEXT = 131_072  # told to an agent where the server does not say


@dataclass(frozen=True)
class Agent:
    """A program that speaks the Agent Client Protocol on its standard streams.

    Attributes:
        name: As a person named it.
        command: Words of the command; the first is a key of `programs`.
        programs: Name -> file, of what it can run.
        read: What it may read beside its programs, at the same path.
        environment: Its own, for the model of an endpoint.
    """

    name: str
    command: tuple[str, ...]
    programs: Mapping[str, Path]
    environment: Callable[[Endpoint], Mapping[str, str]]
    read: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Launch:
    """An agent about to be started: what it is, where it works, and the socket to its model."""

    command: tuple[str, ...]
    programs: Mapping[str, Path]
    environment: Mapping[str, str]
    folder: Path
    socket: Path
    read: tuple[Path, ...] = field(default=())


Confine = Callable[[Launch], list[str]]


class NoAgent(NeedsPerson):
    """The agent is not installed, or something it needs is not."""


def find_agent(words: str, read: Sequence[Path] = ()) -> Agent:
    """The agent a person named: `opencode`, `qwen`, or the command of another one.

    Args:
        words: The command; programs are looked for on the PATH.
        read: What another agent reads (its interpreter's libraries) beside the Node
            modules its command names; without any what `$SAGE_AGENT_PATHS` lists,
            colons between.

    Raises:
        NoAgent: It cannot be started.
    """
    command = _words(words)
    programs = {
        Path(program).name: find_program(program) for program in needed_programs(words)
    }
    name = Path(command[0]).name
    readable = tuple(read) or tuple(
        Path(path) for path in os.environ.get(PATHS, "").split(os.pathsep) if path
    )
    arguments = [*_speaking(name, command), *command[1:]]
    if name == OPENCODE:
        return Agent(
            name, (name, *arguments), programs, _opencode_environment, readable
        )
    run = [name, *arguments]
    interpreter = _interpreter(programs[name])
    if interpreter:
        script = programs.pop(name)
        programs[Path(interpreter[0]).name] = find_program(interpreter[0])
        run = [Path(interpreter[0]).name, *interpreter[1:], str(script), *arguments]
        readable = (*readable, _package(script))
    readable = (*readable, *_modules(run))
    return Agent(name, tuple(run), programs, _plain_environment, readable)


def _speaking(name: str, command: Sequence[str]) -> tuple[str, ...]:
    """What is missing of the words that make a known agent speak the protocol."""
    words = _SPEAK.get(name, ())
    return () if set(words) <= set(command[1:]) else words


def _interpreter(program: Path) -> list[str]:
    """The words of a script's first line; none where it is no script.

    `/usr/bin/env`, which looks for the program named behind it, is not in the cell.
    """
    with program.open("rb") as file:
        first = file.readline(256)
    if not first.startswith(b"#!"):
        return []
    words = first[2:].decode("utf-8", "replace").split()
    if words and Path(words[0]).name == "env":
        words = [word for word in words[1:] if word != "-S" and "=" not in word]
    return words


def _modules(run: Sequence[str]) -> list[Path]:
    """Node modules that a command names by their path, and those of Node itself."""
    files = [Path(word) for word in run if word.startswith("/")]
    folders = [_package(file) for file in files if _MODULES in file.parts]
    if run[0] == "node" and _NODE_LIBRARIES.is_dir():
        folders.append(_NODE_LIBRARIES)
    return folders


def _package(script: Path) -> Path:
    """The folder of modules a script lies in, where what it imports lies too; itself else."""
    within = [place for place in script.parents if place.name == _MODULES]
    return within[-1] if within else script


def needed_programs(words: str) -> tuple[str, ...]:
    """The programs an agent consists of: that of its command, and for OpenCode what it searches with.

    Raises:
        NoAgent: None is named.
    """
    program = _words(words)[0]
    return (program, "rg") if Path(program).name == OPENCODE else (program,)


def find_program(name: str) -> Path:
    """Where a program on the PATH is.

    Raises:
        NoAgent: Nowhere, and how to get it.
    """
    program = shutil.which(name)
    if program is None:
        raise NoAgent(
            "There is no program {name} on the PATH.", _HOW.get(name, ""), name=name
        )
    return Path(program).resolve()


def _words(command: str) -> list[str]:
    """The words of a command line, split as a shell does."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise NoAgent(
            "The command of the agent cannot be read ({why}).",
            "Close its quotes.",
            why=str(error),
        ) from error
    if not words:
        raise NoAgent(
            "No agent was named.", "Name opencode, or the command of another one."
        )
    return words


def _home() -> dict[str, str]:
    return {
        "HOME": "/home",
        "PATH": "/agent/bin",
        "LC_ALL": "C.UTF-8",
        "TMPDIR": "/tmp",  # noqa: S108
    }


def _plain_environment(endpoint: Endpoint) -> Mapping[str, str]:
    """What most agents for OpenAI-compatible servers read.

    The key stays outside, with SAGE.
    """
    model = {
        "OPENAI_BASE_URL": MODEL_URL,
        "OPENAI_API_KEY": "none",
        "OPENAI_MODEL": endpoint.model,
    }
    return {**_home(), **model}


def _opencode_environment(endpoint: Endpoint) -> Mapping[str, str]:
    """OpenCode 1.18, offline and without a file of its own outside the cell; see docs/agents.md."""
    off = (
        "PROJECT_CONFIG",
        "MODELS_FETCH",
        "AUTOUPDATE",
        "CLAUDE_CODE",
        "EXTERNAL_SKILLS",
        "LSP_DOWNLOAD",
        "AUTOCOMPACT",
    )
    flags = {f"OPENCODE_DISABLE_{name}": "1" for name in off}
    config = json.dumps(_opencode_configuration(endpoint))
    return {**_home(), **flags, "OPENCODE_PURE": "1", "OPENCODE_CONFIG_CONTENT": config}


def _opencode_configuration(endpoint: Endpoint) -> dict[str, object]:
    own = {
        f"{root}/{part}/**": "allow"
        for root in (".", PROJECT.strip("/"))
        for part in ("op_host", "op_kernel")
    }
    own |= {"op_host/**": "allow", "op_kernel/**": "allow"}
    room = {
        "context": endpoint.context_tokens or _CONTEXT,
        "output": endpoint.max_output_tokens,
    }
    model = {"limit": room, "tool_call": True}
    agents: dict[str, object] = {
        name: {"disable": True}
        for name in ("title", "build", "plan", "general", "explore")
    }
    agents["sage"] = {
        "mode": "primary",
        "description": "Writes Ascend C kernels",
        "prompt": "You write one Ascend C operator project in the current folder. Follow the message.",
        "permission": {
            "*": "deny",
            "read": "allow",
            "glob": "allow",
            "grep": "allow",
            "list": "allow",
            "edit": {"*": "deny", **own},
            "external_directory": "deny",
        },
    }
    return {
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "lsp": False,
        "formatter": False,
        "compaction": {"auto": False},
        "enabled_providers": ["sage"],
        "provider": {
            "sage": {
                "npm": "@ai-sdk/openai-compatible",
                "name": "SAGE",
                "options": {"baseURL": MODEL_URL, "apiKey": "none", "timeout": False},
                "models": {endpoint.model: model},
            }
        },
        "model": f"sage/{endpoint.model}",
        "small_model": f"sage/{endpoint.model}",
        "default_agent": "sage",
        "agent": agents,
    }
