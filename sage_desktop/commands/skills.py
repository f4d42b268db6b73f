"""`sage skills`: the generator and optimizer skill as files of a coding agent."""

from __future__ import annotations

from pathlib import Path

import click

from core.agent.prompt.skill_files import AT_HOME, IN_PROJECT, SKILLS, install_skills


@click.command()
@click.option(
    "--for",
    "agents",
    multiple=True,
    required=True,
    type=click.Choice(tuple(IN_PROJECT)),
    help="May be repeated.",
)
@click.option(
    "--user",
    is_flag=True,
    help="Install them for all your projects, in your home folder.",
)
@click.option(
    "--project",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=Path(),
    help="Folder of the project; the current one by default.",
)
def skills(agents: tuple[str, ...], user: bool, project: Path) -> None:
    """Install both skills of the method where a coding agent looks for them, with the text of the prompts."""
    for agent in agents:
        folder = Path.home() / AT_HOME[agent] if user else project / IN_PROJECT[agent]
        install_skills(folder)
        for name in SKILLS:
            click.echo(str(folder / name))
