"""`sage`: everything the window does, for a terminal. Imports neither Qt nor torch."""

from __future__ import annotations

import errno
import importlib
import sys
from typing import Any, NoReturn

import click

from core.errors import SageError
from sage_desktop.commands.command_group import CommandGroup
from sage_desktop.commands.plain_output import plain_output

# Each is a function of this name in a module of this name.
_COMMANDS = (
    "api",
    "diagnose",
    "evaluate",
    "experiment",
    "faithfulness",
    "fork",
    "headers",
    "host",
    "mcp",
    "memory",
    "model",
    "operators",
    "preflight",
    "prepare",
    "queue",
    "references",
    "report",
    "run",
    "session",
    "simulate",
    "skills",
    "workload",
    "workspace",
)
_NO_ROOM = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
}  # told without a name while writing
BUG = 70  # exit code, EX_SOFTWARE of sysexits.h


class _LazyGroup(CommandGroup):
    """A command group that imports a subcommand on use.

    The one boundary between commands and the person: an error becomes one clear line, a bug one that names a
    file with the report, and what others wrote cannot command the terminal.
    """

    def main(self, *args: Any, **kwargs: Any) -> Any:
        with plain_output():
            return super().main(*args, **kwargs)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        module = importlib.import_module(f"sage_desktop.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except SageError as error:
            click.echo(f"sage: {error}", err=True)
            sys.exit(2)
        except OSError as error:  # a file the user named that cannot be read or written
            if error.errno == errno.EPIPE:
                raise
            if not error.filename and error.errno not in _NO_ROOM:
                self._tell_bug(error)
            click.echo(
                f"sage: {f'{error.filename}: ' if error.filename else ''}{error.strerror}.",
                err=True,
            )
            sys.exit(2)
        except Exception as error:  # noqa: BLE001 - the boundary: no traceback reaches a person
            self._tell_bug(error)

    def _tell_bug(self, error: Exception) -> NoReturn:
        from sage_desktop.services.bug_report import report_of, save_report

        path = save_report(report_of(error))
        click.echo(
            f"sage: a mistake in SAGE Desktop ({type(error).__name__}). "
            f"The report is in {path}; please attach it when you tell us.",
            err=True,
        )
        sys.exit(BUG)


@click.group(
    cls=_LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 120},
)
@click.version_option(package_name="sage-desktop", prog_name="sage")
def main() -> None:
    """Write Ascend C kernels with a frozen model that learns across operators."""


if __name__ == "__main__":
    main()
