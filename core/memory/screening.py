"""What must not be learned: lessons that teach how to slip past the judge or to let someone else do the work.

A scan of a public library of verified kernels found such tricks in a third of its best entries, and they
look like the best ones. Utility cannot tell them apart, so text is screened before it enters the memory;
what is found goes to quarantine with the reason, where a person decides. The rules are
`resources/integrity/screening.toml`.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources

from core.cpp_text import without_comments
from core.memory.records import Experience


@cache
def _rules(part: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Reason and pattern of each rule for `prose` or `code`."""
    text = (resources.files("resources") / "integrity" / "screening.toml").read_text(
        encoding="utf-8"
    )
    flags = re.IGNORECASE if part == "prose" else 0
    return tuple(
        (rule["reason"], re.compile("|".join(rule["any"]), flags))
        for rule in tomllib.loads(text)[part]
    )


def screen(experience: Experience) -> str:
    """Return why an experience should be quarantined, empty when nothing was found.

    Prose is read as it stands; of the code only the part it recommends, without comments (a rule that looks
    at comments can be satisfied by them). Wrong code may show what not to do.
    """
    prose = "\n".join((experience.title, experience.error_message, experience.summary))
    code = without_comments(experience.code_diff.correct_code)
    for part, text in (("prose", prose), ("code", code)):
        for reason, pattern in _rules(part):
            if match := pattern.search(text):
                return f"{reason} (“{match.group(0).strip()}”)"
    return ""
