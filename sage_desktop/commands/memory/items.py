"""`sage memory list | show | search | add | edit`."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

import click
from tabulate import tabulate

from core.curation.decisions import edit as edit_item
from core.curation.search import Answer, MemorySearch
from core.errors import InvalidInput
from core.evaluation.records import INSIDE_MODEL
from core.memory.content import Revision, revisions
from core.memory.ledger import current_seq
from core.memory.reading import read_item, resident_uids
from core.memory.records import (
    MINED_TYPES,
    TYPES,
    CodeDiff,
    Experience,
    ItemFilter,
    ItemState,
    MemoryItem,
    Origin,
    Scope,
)
from core.memory.store import MemoryStore
from core.memory.views import queries
from core.memory.views.rows import (
    CreditRow,
    ItemPage,
    ItemSort,
    SinceDemotion,
    TableFilter,
)
from core.memory.views.search_words import parse
from core.outside import convert, json_value, read_file, read_text
from core.workspace import Workspace
from sage_desktop.commands.memory.common import (
    JSON,
    REASON,
    WORKSPACE,
    as_text,
    chosen_workspace,
    curated,
    memory,
    reader,
    tell,
    tell_rest,
    tell_table,
    writer,
)

_TYPES = tuple(dict.fromkeys((*TYPES, *MINED_TYPES)))


_LEGEND = (
    "sigma: lifecycle · u: utility · ret, ado: episodes that retrieved, adopted it · ops: operators that "
    "adopted it\np: share of episodes that use it · L: tokens of its rule"
)


@memory.command("list")
@WORKSPACE
@click.option(
    "--text",
    default="",
    help="Words that must occur; also type: tag: operator: utility:>0 and so on.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    type=click.Choice(_TYPES),
    help="Experience type; may be repeated. One of your own: --text type:NAME.",
)
@click.option(
    "--state",
    type=click.Choice([state.value for state in ItemState]),
    help="Only this state.",
)
@click.option("--resident", is_flag=True, help="Only resident rules.")
@click.option(
    "--sort",
    type=click.Choice([sort.name.lower() for sort in ItemSort]),
    default="utility",
    show_default=True,
)
@click.option("--limit", type=click.IntRange(1), default=30, show_default=True)
@JSON
def list_(
    path: Path | None,
    text: str,
    types: tuple[str, ...],
    state: str | None,
    resident: bool,
    sort: str,
    limit: int,
    as_json: bool,
) -> None:
    """List items with their evidence, the largest first."""
    by_options = TableFilter(
        types=types,
        states=(ItemState(state),) if state else (),
        resident=True if resident else None,
    )
    query = parse(text, by_options)
    if query.faults:
        word, kind = query.faults[0]
        raise InvalidInput(
            "--text", word, "a {kind} is expected behind the colon", kind=kind
        )
    with reader(path) as workspace:
        matching = queries.item_ids(
            workspace.db, query.filter, ItemSort[sort.upper()], descending=True
        )
        ids = matching[:limit]
        rows = queries.item_rows(workspace.db, ids)
    if as_json:
        click.echo(as_text([asdict(rows[item]) for item in ids]))
        return
    table = []
    for item in ids:
        row = rows[item]
        table.append(
            (
                row.uid,
                row.title[:60],
                row.sigma,
                row.state,
                f"{row.u_m:+.3f}",
                row.n_ret,
                row.n_ado,
                row.operators,
                f"{row.p_hat:.2f}",
                row.L_m,
            )
        )
    headers = ("item", "title", "sigma", "state", "u", "ret", "ado", "ops", "p", "L")
    click.echo(tabulate(table, headers=headers, disable_numparse=True))
    if table:
        click.echo(f"\n{_LEGEND}")
    tell_rest(len(ids), len(matching))


@memory.command()
@click.argument("uid", required=False, default="")
@click.option(
    "--content",
    is_flag=True,
    help="Only the experience, as the JSON that `edit` and `add` take.",
)
@click.option(
    "--history",
    is_flag=True,
    help="What happened to it, and every change of its text as a diff; without UID the latest events of all.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Events of --history.",
)
@WORKSPACE
@JSON
def show(
    uid: str,
    content: bool,
    history: bool,
    limit: int,
    path: Path | None,
    as_json: bool,
) -> None:
    """Show an item and every credit it ever received."""
    if not uid and not history:
        raise click.UsageError("Name an item, or ask for --history.")
    with reader(path) as workspace:
        if history:
            _show_history(workspace, uid, limit, as_json=as_json)
            return
        if content:
            click.echo(as_text(read_item(workspace.db, uid).experience))
            return
        page = queries.item_page(workspace.db, uid)
        prior = queries.imported_prior(workspace.db, uid)
    if as_json:
        click.echo(as_text(page))
        return
    click.echo(_page_text(page))
    if prior:
        utility, retrievals = prior
        click.echo(
            f"came with u {utility:+.4f} from {retrievals} retrievals that have no traces"
        )


def _show_history(workspace: Workspace, uid: str, limit: int, *, as_json: bool) -> None:
    """Print the events of an item, or of all, and the changes of its text."""
    if uid:
        read_item(workspace.db, uid)  # refuses one that is not there
    rows = queries.events(workspace.db, uid, limit)
    if as_json:
        click.echo(as_text(rows))
        return
    table = []
    for event in rows:
        change = (event.seq, event.at[:19], event.kind, event.item_uid)
        undone_by = event.undone_by or ""
        table.append((*change, event.actor, event.reason, undone_by))
    tell_table(table, ("seq", "at", "event", "item", "by", "reason", "undone by"))
    if uid:
        for revision in revisions(queries.item_page(workspace.db, uid).history):
            click.echo(_revision_text(revision))


def _revision_text(revision: Revision) -> str:
    """A change of a text as a diff."""
    before, after = revision.before.splitlines(), revision.after.splitlines()
    difference = list(difflib.unified_diff(before, after, lineterm="", n=1))
    # The first two lines name the files, which there are none of.
    lines = [f"    {line}" for line in difference[2:]]
    head = f"{revision.at[:19]} {revision.field}"
    return "\n".join(("", head, *lines))


@memory.command()
@click.argument("query")
@WORKSPACE
@click.option(
    "-k", type=click.IntRange(1), default=5, show_default=True, help="How many items."
)
@click.option("--explain", is_flag=True, help="Show how each score came about.")
@click.option(
    "--wait",
    type=click.FloatRange(0),
    default=0.0,
    help="Seconds for the text encoder to start and read items; 0 searches by words only.",
)
@click.option(
    "--type",
    "types",
    multiple=True,
    help="Only of this experience type; may be repeated.",
)
@click.option(
    "--category",
    "categories",
    multiple=True,
    help="Only of this category; may be repeated.",
)
@click.option(
    "--soc",
    default="",
    help="Leave out what is scoped to other processors, e.g. Ascend910B1.",
)
@click.option(
    "--cann",
    default="",
    help="Leave out what is scoped to other versions of CANN, e.g. 8.5.1.",
)
@click.option(
    "--dtype", "dtypes", multiple=True, help="Leave out what is scoped to other dtypes."
)
@JSON
def search(
    query: str,
    path: Path | None,
    k: int,
    explain: bool,
    wait: float,
    as_json: bool,
    **scope: Any,
) -> None:
    """Search as the agent does: relevance, then utility."""
    from core.memory.retrieval.sparse_index import keep_index

    keep_index(chosen_workspace(path))
    memory_search = MemorySearch()
    with reader(path) as workspace, closing(memory_search):
        answer = memory_search.ask(
            workspace, query, k, wait=wait, only=ItemFilter(**scope)
        )
        residents = len(resident_uids(workspace.db))
    if as_json:
        hits = [asdict(hit) for hit in answer.hits]
        click.echo(as_text({"weights": asdict(answer.weights), "hits": hits}))
        return
    if not answer.hits:
        click.echo("nothing found")
    elif explain:
        _explain(answer)
    else:
        rows = [
            (hit.rank, hit.uid, f"{hit.s:.2f}", answer.titles[hit.uid][:70])
            for hit in answer.hits
        ]
        tell_table(rows, ("rank", "item", "s", "title"))
    for note in _search_notes(answer, residents, wait):
        click.echo(note, err=True)


def _explain(answer: Answer) -> None:
    """Print the hits with everything their score is made of."""
    rows = []
    for hit in answer.hits:
        words = f"{100 * (hit.coverage or 0):.2f}"
        meaning = "-" if hit.cosine is None else f"{100 * hit.cosine:.2f}"
        scores = (f"{hit.s:.2f}", f"{hit.s_rel:.2f}", words, meaning, f"{hit.u:+.3f}")
        title = answer.titles[hit.uid][:70]
        rows.append((hit.rank, hit.uid, *scores, hit.rank_before, title))
    names = "rank", "item", "s", "s_rel", "words", "meaning", "u", "before", "title"
    tell_table(rows, names)


def _search_notes(answer: Answer, residents: int, wait: float) -> Iterator[str]:
    """What the search left out, and why."""
    reason = answer.weights.reason
    if residents:
        yield f"not searched: {residents} resident rules, which stand in every prompt"
    if answer.unread and not reason:
        yield f"{answer.unread} items were compared by words only; a longer --wait reads more"
    if wait <= 0 and answer.has_encoder:
        yield "by words only; --wait 30 gives the text encoder time to search by meaning too"
    elif reason:
        yield f"by words only: {reason}"


@memory.command()
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@WORKSPACE
@REASON
def add(file: Path, path: Path | None, reason: str) -> None:
    """Add the experience in FILE, JSON as `show --content` prints it."""
    experience = _read_experience(file)
    with writer(path) as workspace, workspace.transaction() as db:
        store = MemoryStore(workspace)
        before = current_seq(db)
        uid = store.add_item(
            experience, origin=Origin.USER, actor="user", reason=reason
        )
        item = store.item(uid)
        is_new = current_seq(db) > before
    words = f"{uid} {item.state.value} {item.state_reason}".rstrip()
    if not is_new:
        words += " (there already, nothing to change)"
    click.echo(words)


@memory.command()
@click.argument("uid")
@click.argument(
    "file",
    required=False,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option("--rule", help="Write this text as the rule of UID.")
@click.option(
    "--example",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="File with the code of the rule.",
)
@WORKSPACE
@REASON
def edit(
    uid: str,
    file: Path | None,
    rule: str | None,
    example: Path | None,
    path: Path | None,
    reason: str,
) -> None:
    """Replace the content of UID by the experience in FILE, or its rule.

    Its evidence stays.
    """
    if file is None and rule is None:
        raise click.UsageError("Give FILE, --rule, or both.")
    if example is not None and rule is None:
        raise click.UsageError("An example belongs to a rule: add --rule.")
    experience = _read_experience(file) if file else None
    code = _read_code(example) if example else None
    with curated(path) as workspace:
        seq = edit_item(
            MemoryStore(workspace),
            uid,
            experience,
            rule=rule,
            example=code,
            reason=reason,
        )
        tell(seq)


def _read_code(file: Path) -> str:
    try:
        return read_file(file).decode()
    except UnicodeDecodeError as error:
        raise InvalidInput(str(file), f"byte {error.start}", "is not UTF-8") from error


def _frequency_of(item: MemoryItem) -> str:
    """What the frequency is taken over.

    Once a rule was resident it is a moving average of its use.
    """
    if item.p_hat_ema is None:
        return f"of {item.n_elig} episodes"
    return "moving average of use as a resident"


def _page_text(page: ItemPage) -> str:
    """Everything about an item: what it is, its evidence, its texts and its credits."""
    item = page.item
    kinds = (item.type, item.category, item.sigma.value, item.state.value)
    adopters = ", ".join(item.adopted_operators) or "-"
    evidence = (
        f"u {item.u_m:+.4f}",
        f"retrieved {item.n_ret}",
        f"adopted {item.n_ado} by {adopters}",
    )
    weight = (
        f"p {item.p_hat:.3f} {_frequency_of(item)}",
        f"L {item.L_m} tokens",
        f"U {item.density:.5f}",
    )
    parts = [
        f"{item.uid}  {item.title}",
        f"{' · '.join(kinds)} · from {item.origin.value}",
        "   ".join(evidence),
        "   ".join(weight),
        f"earned under time model {page.time_model}" if page.time_model else "",
        f"rests on gains {INSIDE_MODEL}: not resident by them" if page.unproven else "",
        _demotion_text(page.demotion),
        _labelled("error", item.error_message),
        _labelled("summary", item.summary),
        _code(item),
        _labelled("rule", item.rule_text),
        _labelled("source", item.source),
    ]
    if page.credits:
        parts.append(_credit_table(page.credits))
    return "\n".join(part for part in parts if part)


def _credit_table(credit_rows: Sequence[CreditRow]) -> str:
    """The credit events of an item, the oldest first."""
    rows = []
    for credit in credit_rows:
        event = credit.seq or "merged"
        adopted = "yes" if credit.adopted else "no"
        gain, share = f"{credit.z:+.3f}", f"{credit.xi:+.3f}"
        utility = f"{credit.u_after:+.3f}"
        episode = (event, credit.operator, credit.objective)
        rows.append((*episode, gain, adopted, share, utility))
    headers = ("event", "operator", "objective", "z", "adopted", "credit", "u after")
    return tabulate(rows, headers=headers, disable_numparse=True)


def _demotion_text(since: SinceDemotion | None) -> str:
    """How far a demoted item is from being promoted again."""
    if since is None:
        return ""
    adopted = f"adopted {since.adopted} of {since.K_ado}"
    operators = f"by {since.operators} of {since.K_op} operators"
    return (
        f"demoted by event {since.seq} until newer evidence passes the gates; since then "
        f"{adopted}, {operators}, u {since.u:+.4f}"
    )


def _labelled(label: str, text: str) -> str:
    return f"{label}: {text}" if text else ""


def _code(item: MemoryItem) -> str:
    """The code of an item as a diff: what was wrong, then what is right."""
    code = item.code_diff
    lines = [f"- {line}" for line in code.wrong_code.splitlines()]
    lines += [f"+ {line}" for line in code.correct_code.splitlines()]
    return "\n".join(lines)


def _read_experience(file: Path) -> Experience:
    """The experience in a file, checked field by field."""
    source = str(file)
    try:
        value = json_value(read_text(file), source)
        raw = convert(value, dict[str, Any], source, "file")
        _require_known(file, raw)
        return convert(raw, Experience, source, "experience")
    except InvalidInput as error:
        usual = "Give title, type, category and what you know of the rest."
        remedy = error.remedy or usual
        raise InvalidInput(error.source, error.field, error.problem, remedy) from error


def _require_known(file: Path, raw: dict[str, Any]) -> None:
    """Refuse a field no experience has.

    A misspelt name would lose its text silently.
    """
    for place, values, kind in (
        ("", raw, Experience),
        ("code_diff.", raw.get("code_diff"), CodeDiff),
        ("scope.", raw.get("scope"), Scope),
    ):
        names = [field.name for field in fields(kind)]
        for name in values if isinstance(values, dict) else ():
            if name not in names:
                raise InvalidInput(
                    str(file),
                    f"{place}{name}",
                    "is no field of an experience",
                    "Available: {names}.",
                    names=", ".join(names),
                )
