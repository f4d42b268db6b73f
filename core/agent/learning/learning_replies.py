"""Replies of the two learning jobs: a rule abstracted from an item, experiences distilled from a trajectory.

Same layout as `core.agent.reply.protocol`: `## Rule` with an optional `## Example`, and
any number of `## Experience` blocks. A reply that cannot be understood raises
`InvalidInput` naming the part; the job decides what follows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.agent.reply.markdown import Section, sections
from core.errors import InvalidInput
from core.memory.content import require_kinds, too_long
from core.memory.records import CodeDiff, Experience, Scope
from core.memory.tokens import TokenCounter
from core.same_fields import record_of
from core.text import Text

MOST_EXPERIENCES = 3  # what a trajectory may teach; the prompt says the same
MOST_RULE_TOKENS = 120  # conditions, evidence and example included; the paper's two examples have 61 and 96
LONGEST_RULE = 1200  # characters of the rule paragraph; hot memory is a budget of 10K tokens for all rules
LONGEST_EXAMPLE = 1600
LONGEST_CONDITION = 400  # of each: when it holds, when not, what was seen

_KEYS = ("title", "type", "category", "work", "error_message", "summary")
_KEY_LINE = re.compile(
    r"^\s*[-*]?\s*[`*]*(title|type|category|work|error_message|summary)[`*]*\s*:[`*]*\s*(.*)$",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class RuleReply:
    """A concise transferable rule and, optionally, a minimal code or API example (paper, UGC).

    Attributes:
        rule: One imperative paragraph.
        example: Minimal code, may be empty.
        when: The condition under which it applies.
        unless: The counter-condition.
        evidence: The numbers it rests on.
    """

    rule: str
    example: str = ""
    when: str = ""
    unless: str = ""
    evidence: str = ""

    @property
    def text(self) -> str:
        """The rule as it is stored and stands in prompts: with its conditions and its evidence."""
        parts = (
            ("When", self.when),
            ("Not when", self.unless),
            ("Seen", self.evidence),
        )
        return " ".join(
            [self.rule, *(f"{name}: {text}" for name, text in parts if text)]
        )


def read_rule(text: str) -> RuleReply:
    """Read an `abstract` reply.

    Raises:
        InvalidInput: No rule, one too long to live in hot memory, or one that does not
            say when it holds, when it does not, and on which numbers it rests.
    """
    rule = read_bare_rule(text)
    for name, part in (
        ("When", rule.when),
        ("Not when", rule.unless),
        ("Evidence", rule.evidence),
    ):
        if not part:
            raise InvalidInput(
                "reply",
                name,
                "there is no `## {name}` section with a sentence",
                name=name,
            )
    if not re.search(r"\d", rule.evidence):
        raise InvalidInput(
            "reply", "Evidence", "holds no number", "Give sizes, counts or latencies."
        )
    return rule


def require_short(rule: RuleReply, counter: TokenCounter) -> None:
    """Refuse a rule that costs too much of hot memory: U divides by its length.

    Raises:
        InvalidInput: Its parts take more than `MOST_RULE_TOKENS` tokens.
    """
    tokens = counter.count("\n".join((rule.text, rule.example)))
    if tokens > MOST_RULE_TOKENS:
        raise InvalidInput(
            "reply",
            "Rule",
            "{count} tokens with conditions, evidence and example, at most {limit} fit",
            "Shorten it.",
            count=tokens,
            limit=MOST_RULE_TOKENS,
        )


def read_bare_rule(text: str) -> RuleReply:
    """Read an `abstract` reply from before conditions were asked for.

    Those it gives are read.

    Raises:
        InvalidInput: No rule, or a part too long to live in hot memory.
    """
    parts = {section.name: section for section in sections(text)}
    section = parts.get("rule")
    if section is None or not section.prose:
        raise InvalidInput(
            "reply", "Rule", "there is no `## Rule` section with a paragraph"
        )
    rule = " ".join(section.prose.split())
    example_section = parts.get("example")
    fences = section.fences + (
        example_section.fences if example_section is not None else ()
    )
    example = fences[0].text.rstrip() if fences else ""
    conditions = {
        name: " ".join(parts[name.lower()].prose.split())
        if name.lower() in parts
        else ""
        for name in ("When", "Not when", "Evidence")
    }
    limits = [("Rule", rule, LONGEST_RULE), ("Example", example, LONGEST_EXAMPLE)]
    limits += [(name, value, LONGEST_CONDITION) for name, value in conditions.items()]
    for name, value, limit in limits:
        if len(value) > limit:
            raise InvalidInput(
                "reply",
                name,
                "{count} characters, at most {limit} fit",
                "Shorten it.",
                count=len(value),
                limit=limit,
            )
    return RuleReply(
        rule,
        example,
        conditions["When"],
        conditions["Not when"],
        conditions["Evidence"],
    )


def read_experiences(text: str, most: int = MOST_EXPERIENCES) -> tuple[Experience, ...]:
    """Read a `distil` reply: zero or more experiences.

    The caller says where they come from.

    Raises:
        InvalidInput: An experience lacks its title, type, category or summary, is too
            long for a prompt, or there are more than `most`.
    """
    groups: list[list[Section]] = []
    for section in sections(text):
        if section.name.startswith("experience"):
            groups.append([section])
        elif groups and section.title:
            groups[-1].append(section)
    if len(groups) > most:
        raise InvalidInput(
            "reply",
            "Experience",
            "{count} of them, at most {most} are taken",
            count=len(groups),
            most=most,
        )
    return tuple(_draft(group, number) for number, group in enumerate(groups, start=1))


def _draft(group: list[Section], number: int) -> Experience:
    """One experience of a reply: the prose of its section, and wrong and correct code below it.

    Raises:
        InvalidInput: A field is missing or too long; names it and the experience by `number`.
    """
    fields = _fields(group[0].prose)
    for key in ("title", "type", "category", "summary"):
        if not fields[key]:
            raise InvalidInput("reply", f"Experience {number}: {key}", "is missing")
    codes = {
        section.name: section.fences[0].text.rstrip()
        for section in group[1:]
        if section.fences
    }
    wrong = codes.get("wrong", codes.get("wrong code", ""))
    code = CodeDiff(wrong, codes.get("correct", codes.get("correct code", "")))
    scope = Scope(work=_kinds(fields.pop("work"), number))
    draft = record_of(Experience, fields, code_diff=code, scope=scope)
    for key, count, limit in too_long(draft):
        problem = Text(
            "{count} characters, at most {limit} fit", count=count, limit=limit
        )
        raise InvalidInput(
            "reply", f"Experience {number}: {key}", problem, "Shorten it."
        )
    return draft


def _kinds(text: str, number: int) -> tuple[str, ...]:
    """Kinds of work, with commas between; models write them in quotes, too."""
    names = [name.strip(" `*\"'.") for name in text.lower().split(",")]
    kinds = tuple(name for name in names if name)
    require_kinds(kinds, "reply", f"Experience {number}: work")
    return kinds


def _fields(prose: str) -> dict[str, str]:
    """`key: value` lines; lines without a key continue the value before them."""
    fields = dict.fromkeys(_KEYS, "")
    current = ""
    for line in prose.split("\n"):
        match = _KEY_LINE.match(line)
        if match is not None:
            current = match.group(1).lower()
            fields[current] = match.group(2).strip()
        elif current and line.strip():
            fields[current] = f"{fields[current]} {line.strip()}".strip()
    return fields
