"""Groups of commands whose list of commands says the whole first sentence of each."""

from __future__ import annotations

import click

_WHOLE = 10_000  # letters of a sentence: no limit


class CommandGroup(click.Group):
    """`--help` wraps the sentence of a command instead of cutting it."""

    def format_commands(
        self, ctx: click.Context, formatter: click.HelpFormatter
    ) -> None:
        """Write the commands with their sentences."""
        commands = (
            (name, self.get_command(ctx, name)) for name in self.list_commands(ctx)
        )
        rows = [
            (name, command.get_short_help_str(_WHOLE))
            for name, command in commands
            if command is not None
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
