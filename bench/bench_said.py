"""How well words tell that every prompt says a lesson already: precision and recall on the lessons that ship.

The labels are `said` in `resources/seeds`: one reader held each lesson against skill, quick reference, example and
machine page and asked whether it would change what is written. It was the author of the measure, who knew it; no
reader was blind. Both halves (even and odd sha256 of the uid) were seen while the limit was chosen, so the second
one is no independent test.
"""

from __future__ import annotations

import hashlib

from core.memory.said import LIMIT, labels, said_share


def main() -> None:
    """Print both halves at limits around the one in use."""
    for half in ("open", "held-out"):
        rows = [
            (said_share(title, summary), is_said)
            for (uid, title, summary), is_said in labels().items()
            if hashlib.sha256(uid.encode()).digest()[0] % 2 == (half == "held-out")
        ]
        there = sum(is_said for _, is_said in rows)
        for limit in (0.4, 0.45, LIMIT, 0.55):
            flagged = [is_said for share, is_said in rows if share >= limit]
            print(
                f"{half:<9} limit {limit:.2f}: {sum(flagged)} of {len(flagged)} flagged are said, "
                f"of {there} said ones among {len(rows)}"
            )


if __name__ == "__main__":
    main()
