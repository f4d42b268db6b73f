"""What the job server tells people: English, and how it was made for those who read another language."""

import json
from typing import Any


def told(template: str, **fields: Any) -> str:
    """`template` with its fields, then U+001F and both as JSON; who reads it takes what it needs."""
    return "%s\x1f%s" % (
        template.format(**fields),
        json.dumps({"template": template, "fields": fields}),
    )
