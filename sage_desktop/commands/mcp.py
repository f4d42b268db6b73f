"""`sage mcp`: memory, judge and adoption records as tools of a coding agent you run yourself."""

from __future__ import annotations

import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

import click

from core.engine.beginning import begin_memory
from core.errors import SageError
from core.experiments.plans.operator_sets import chosen_operators
from core.harness.mcp_server import McpServer, http_server, serve_stdio
from core.harness.mcp_tools import Tools
from core.harness.tool_session import ToolSession
from core.method.parameters import MethodParameters
from core.operators.catalogue import find_operator
from core.workspace import Workspace
from sage_desktop.commands.run_progress import say
from sage_desktop.commands.shared_options import JUDGE, named_values
from sage_desktop.services.bug_report import report_of, save_report, version

TOKEN = "SAGE_MCP_TOKEN"  # noqa: S105 - the name of a variable


@click.command()
@click.option(
    "--workspace",
    "workspace_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Workspace file; one in the user's data folder by default.",
)
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("kernels"),
    show_default=True,
    help="Where the agent writes OPERATOR/op_host and op_kernel.",
)
@JUDGE
@click.option(
    "--rounds",
    type=click.IntRange(1, 10_000),
    default=30,
    show_default=True,
    help="T per operator.",
)
@click.option(
    "--set",
    "changes",
    multiple=True,
    metavar="NAME=VALUE",
    help="A parameter of the method.",
)
@click.option(
    "--http",
    "port",
    type=click.IntRange(0, 65_535),
    is_flag=False,
    flag_value=0,
    default=None,
    metavar="[PORT]",
    help=f"Serve HTTP on 127.0.0.1, bearer token ${TOKEN}.",
)
def mcp(
    workspace_path: Path | None,
    folder: Path,
    host: str,
    toolchain: str,
    soc: str,
    rounds: int,
    changes: tuple[str, ...],
    port: int | None,
) -> None:
    """Serve SAGE's tools to a coding agent over the Model Context Protocol; see docs/agents.md.

    Results are tagged agent-unconfined: such an agent can look at anything its user can.
    """
    from sage_desktop.services import places, wiring
    from sage_desktop.services.models.choice import tool_model
    from sage_desktop.services.wiring import tools_of

    parameters = MethodParameters(T=rounds).changed(
        named_values(changes, "--set"), "--set"
    )
    # An agent greets, lists the tools and thinks first: the encoder starts meanwhile.
    encoder = wiring.started_encoder(parameters.encoder)
    path = workspace_path or places.own_workspace()
    with Workspace.open(path) as workspace:
        if beginning := begin_memory(workspace):
            say(beginning)
    session = ToolSession(path, folder.resolve(), _source, find_operator)
    model = tool_model(session.desk)
    config = wiring.run_config(
        model.make,
        model.context_budget,
        parameters,
        lambda: wiring.evaluator_for(host, toolchain, soc),
        encoder=encoder,
    )
    opened = wiring.open_run(path, config, session.on_event, provider=model.label)
    session.bind(opened.engine)
    server = McpServer(Tools(session, tools_of(toolchain)), version(), _crashed)
    try:
        if port is None:
            _stdio(server)
        else:
            _http(server, port)
    finally:
        session.close()


def _source(operator: str) -> tuple[str, str]:
    # A level or a set names several, and an agent works on one task at a time.
    (operator_source, *more) = chosen_operators(operator)
    if more:
        raise SageError(
            "{operator} names {count} operators; a task is one.",
            operator=operator,
            count=len(more) + 1,
        )
    return operator_source


def _stdio(server: McpServer) -> None:
    """Serve standard input and output; whatever else would be printed there goes to standard error."""
    sys.stdout.flush()
    # A line that a library prints would break the protocol, so it gets another descriptor.
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    with sink, suppress(BrokenPipeError, KeyboardInterrupt):
        serve_stdio(server, sys.stdin.buffer, sink)


def _http(server: McpServer, port: int) -> None:
    # Any program of this computer can reach the port; the token keeps the others out.
    configured = os.environ.get(TOKEN, "")
    token = configured or secrets.token_urlsafe(24)
    with http_server(server, token, port) as http:
        say(f"http://127.0.0.1:{http.server_address[1]}/mcp")
        if not configured:
            say(f"Authorization: Bearer {token}")
        with suppress(KeyboardInterrupt):
            http.serve_forever()


def _crashed(error: BaseException) -> None:
    say(
        f"A mistake in SAGE Desktop ({type(error).__name__}); the report is {save_report(report_of(error))}"
    )
