"""The rule table `rules.toml`, read once, and findings made from it."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources

from core.evaluation.records import Finding, Severity

PREFIX = "preflight/"


@dataclass(frozen=True)
class Rule:
    """One rule, as explained at the top of `rules.toml`."""

    id: str
    severity: Severity
    where: str
    message: str
    hint: str
    source: str
    diagnostics: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def finding(
        self, what: str, file: str = "", line: int = 0, kernel: str = ""
    ) -> Finding:
        """The rule broken at a place of the candidate by `what`."""
        text = f"{self.message.format(what=what)}. {self.hint}"
        return Finding(
            PREFIX + self.id,
            self.severity,
            text,
            file=file,
            line=line,
            kernel=kernel,
            link=self.source,
        )


@cache
def rules() -> dict[str, Rule]:
    """All rules by id."""
    text = (
        resources.files(__package__).joinpath("rules.toml").read_text(encoding="utf-8")
    )
    return {
        entry["id"]: Rule(
            **{
                **entry,
                "severity": Severity(entry["severity"]),
                "diagnostics": tuple(entry.get("diagnostics", ())),
                "names": tuple(entry.get("names", "").split()),
            }
        )
        for entry in tomllib.loads(text)["rule"]
    }


@cache
def _rules_by_name() -> dict[str, Rule]:
    return {name: rule for rule in rules().values() for name in rule.names}


def rule_of_name(name: str) -> Rule | None:
    """The rule against a name of the standard library, None when there is none."""
    return _rules_by_name().get(name)


def rule_of_diagnostic(
    text: str, side: str, tiling_classes: Iterable[str]
) -> Rule | None:
    """The rule a message of clang stands for; None for all that the twin's headers may simply not know.

    Args:
        text: The message, without file and line.
        side: `kernel` or `host`.
        tiling_classes: Names the candidate gave its tiling data.
    """
    classes = "|".join(map(re.escape, tiling_classes)) or r"\b\B"
    for rule in rules().values():
        if rule.where == side and any(
            re.search(pattern.replace("{tiling}", classes), text)
            for pattern in rule.diagnostics
        ):
            return rule
    return None
