"""Inputs that no kernel can foresee: the seeds of an operator's cases, mixed with a secret of the workspace.

A kernel, or the model that wrote it, can know the cases of a public operator and make their inputs again.
With a secret in the seeds it cannot. The digest of the secret is part of every verdict, so that a person who
has the workspace can repeat a run, or with `sage evaluate --seeds-of` a single verdict. The workspaces of an
experiment share one secret for each repeat, so that all arms are judged with the same inputs. Replays keep the
published seeds: their kernels are already written.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import InvalidInput
from core.operators.spec import OperatorSpec, TestCase

if TYPE_CHECKING:
    from core.workspace import Workspace

SEEDS = "seeds"  # in `Evaluation.facts`: digest of the secret the seeds were mixed with
_META = "seed_secret"
_SECRET = re.compile(r"[0-9a-f]{32}")
_SEED_LIMIT = (1 << 31) - 1  # every generator of random numbers takes seeds below it


def seed_secret(workspace: Workspace) -> str:
    """The workspace's secret (32 hexadecimal digits), made when it is first asked for.

    The caller's connection must be allowed to write.
    """
    secret = workspace.meta(_META)
    if not secret:
        secret = new_secret()
        with workspace.transaction():
            workspace.set_meta(_META, secret)
    return secret


def new_secret() -> str:
    """A new random secret: 32 hexadecimal digits."""
    return secrets.token_hex(16)


def secret_of_repeat(secret: str, repeat: int) -> str:
    """The secret of one repeat of an experiment, derived from the experiment's own `secret`."""
    return hashlib.sha256(f"{secret}\0repeat {repeat}".encode()).hexdigest()[:32]


def set_secret(workspace: Workspace, secret: str) -> None:
    """Judge every later run of the workspace with `secret`; within the caller's transaction."""
    workspace.set_meta(_META, secret)


def inputs_digest(workspace: Workspace) -> str:
    """Digest of the workspace's secret, as its verdicts name it; empty for the published seeds."""
    secret = workspace.meta(_META)
    return secret_digest(secret) if secret else ""


def has_secret(workspace: Workspace) -> bool:
    """Whether the verdicts of a workspace were made with a secret; those of a replay were not."""
    return bool(workspace.meta(_META))


def require_secret(workspace: Workspace) -> str:
    """The secret the verdicts of a workspace were made with; unlike `seed_secret` it makes none.

    Raises:
        InvalidInput: It has none, because no live model was ever run in it, or what it has is no secret.
    """
    secret = workspace.meta(_META)
    if not secret:
        raise InvalidInput(
            str(workspace.path),
            _META,
            "there is none: its kernels were judged with the published seeds",
            "Leave --seeds-of out.",
        )
    if not _SECRET.fullmatch(secret):
        raise InvalidInput(
            str(workspace.path),
            _META,
            "it is not 32 hexadecimal digits, so the workspace is damaged",
            "Take a backup of it.",
        )
    return secret


def secret_digest(secret: str) -> str:
    """What verdicts name in place of a secret: 16 hexadecimal digits, from which it cannot be had."""
    return hashlib.sha256(f"seeds\0{secret}".encode()).hexdigest()[:16]


def with_secret_seeds(operator: OperatorSpec, secret: str) -> OperatorSpec:
    """The operator with other inputs in every case; shapes, dtypes and attributes stay as they are."""

    def mix(case: TestCase) -> TestCase:
        text = f"{secret}\0{operator.name}\0{case.name}\0{case.seed}"
        number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return replace(case, seed=number % _SEED_LIMIT)

    return replace(operator, cases=tuple(mix(case) for case in operator.cases))
