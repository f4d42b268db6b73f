"""Models the person told us of: endpoint profiles by name, among the preferences. No key is kept."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from core.errors import InvalidInput
from core.models.endpoint import Endpoint
from sage_desktop.settings import Preferences

_KEY = "models/profiles"


def profiles(preferences: Preferences) -> dict[str, Endpoint]:
    """Name -> profile, in the order they were made; what cannot be read is left out."""
    try:
        table: Mapping[str, Any] = json.loads(preferences.text(_KEY, "{}"))
    except json.JSONDecodeError:
        return {}
    found: dict[str, Endpoint] = {}
    for name, values in table.items():
        try:
            found[name] = Endpoint(**values)
        except (TypeError, InvalidInput):  # of a newer release, or spoiled by hand
            continue
    return found


def save_profiles(preferences: Preferences, every: Mapping[str, Endpoint]) -> None:
    """Keep exactly these profiles."""
    table = {name: {**asdict(profile), "headers": dict(profile.headers)} for name, profile in every.items()}
    preferences.set(_KEY, json.dumps(table))
    preferences.save()
