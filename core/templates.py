"""Texts with gaps: the files of `resources/templates`, filled by Jinja."""

from __future__ import annotations

from importlib import resources


def rendered(template: str, **values: object) -> str:
    """A file of `resources/templates`, e.g. `report/run.html`; HTML escapes what comes from outside."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined, select_autoescape

    folder = resources.files("resources") / "templates"
    files = Environment(
        autoescape=select_autoescape(),
        undefined=StrictUndefined,
        trim_blocks=True,
        keep_trailing_newline=not template.endswith(".html"),
        loader=FunctionLoader(lambda name: (folder / name).read_text(encoding="utf-8")),
    )
    return files.get_template(template).render(**values)
