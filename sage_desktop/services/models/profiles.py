"""Models the person told us of: endpoint profiles by name, in a file the command line reads as well."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from core.errors import InvalidInput
from core.models.endpoint import Endpoint
from core.models.prices import Prices
from core.models.profiles import FILE, read_profiles, write_profiles
from sage_desktop.services.settings_table import Store


def profiles(preferences: Store) -> dict[str, Endpoint]:
    """Name -> profile, in the order they were made; none when the file was spoiled by hand."""
    try:
        return read_profiles(_file(preferences))
    except InvalidInput:
        return {}


def prices_of(every: Mapping[str, Endpoint]) -> dict[str, Prices]:
    """Prices by model; of two profiles of a model the first that states them, models without are left out."""
    stated = [
        profile
        for profile in every.values()
        if profile.price_input or profile.price_output
    ]
    return {profile.model: profile.prices for profile in reversed(stated)}


def cost_of(
    preferences: Store, model: str, prompt: int, cached: int, completion: int
) -> float | None:
    """What tokens cost by the prices of a profile of `model`; None when no profile of it has prices."""
    prices = prices_of(profiles(preferences)).get(model)
    return prices.cost(prompt, cached, completion) if prices else None


def save_profiles(preferences: Store, every: Mapping[str, Endpoint]) -> None:
    """Keep exactly these profiles; a file that cannot be read is put aside first."""
    file = _file(preferences)
    # What a person wrote by hand and spoiled is worth keeping.
    try:
        read_profiles(file)
    except InvalidInput:
        file.replace(file.with_name(f"{file.name}.spoiled"))
    write_profiles(file, every)


def _file(preferences: Store) -> Path:
    return preferences.folder / FILE
