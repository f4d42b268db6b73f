"""The union of two memories as files hold them, without a workspace: what a team's file becomes.

A bank is a set that only grows: changes of items, episodes, names. Its union is associative, commutative and
idempotent, so whoever writes the file first, or again, it ends the same. `core.exchange.merge` does the same
to a workspace.
"""

from __future__ import annotations

from dataclasses import replace

from core.exchange.memory_file import Bank, BankItem
from core.exchange.merge import experience_of, folded_changes, union_of_changes
from core.memory.evidence import EpisodeRecord, EvidenceFolder
from core.memory.ledger import encode
from core.method.fold import CreditRecord
from core.same_fields import values_of


def joined(one: Bank, other: Bank) -> Bank:
    """Return everything two banks know; what is derived of items is counted from it."""
    episodes = _episodes(one, other)
    items = {item.uid: item for item in one.items}
    for item in other.items:
        known = items.get(item.uid)
        items[item.uid] = item if known is None else _united(known, item)
    evidence, known_uids = EvidenceFolder(episodes.values()), frozenset(items)
    return Bank(
        tuple(
            _derived(item, known_uids, evidence) for _, item in sorted(items.items())
        ),
        tuple(episodes.values()),
    )


def _episodes(one: Bank, other: Bank) -> dict[str, EpisodeRecord]:
    """Return the episodes of both; one that two tell differently gets the credit of both."""
    found = {episode.uid: episode for episode in one.episodes}
    for episode in other.episodes:
        known = found.get(episode.uid, episode)
        if known == episode:
            found[episode.uid] = episode
            continue
        chosen = min(known, episode, key=encode)
        credit = {
            uid: _chosen(known.credit.get(uid), episode.credit.get(uid))
            for uid in known.credit.keys() | episode.credit.keys()
        }
        found[episode.uid] = replace(chosen, credit=credit)
    return found


def _chosen(one: CreditRecord | None, other: CreditRecord | None) -> CreditRecord:
    return min((record for record in (one, other) if record is not None), key=encode)


def _united(one: BankItem, other: BankItem) -> BankItem:
    if one == other:
        return one
    first = min(
        one, other, key=lambda item: (item.created_at, item.origin, item.author)
    )
    eligible = {
        bank: max(one.eligible.get(bank, 0), other.eligible.get(bank, 0))
        for bank in one.eligible.keys() | other.eligible.keys()
    }
    return replace(
        first,
        changes=union_of_changes(one.changes, other.changes),
        eligible=eligible,
        aliases=tuple(sorted({*one.aliases, *other.aliases})),
    )


def _derived(
    item: BankItem, items: frozenset[str], evidence: EvidenceFolder
) -> BankItem:
    """Return an item with content and evidence as its changes and the episodes say.

    A name under which another item is in the bank stays that item's: joining the two is for each to decide.
    """
    content = folded_changes(item.changes)
    experience = experience_of(content)
    aliases = tuple(uid for uid in item.aliases if uid not in items)
    found = evidence.of({item.uid, *aliases})
    return replace(
        item,
        aliases=aliases,
        **values_of(experience),
        rule_text=str(content["rule_text"]),
        rule_example=str(content["rule_example"]),
        auto_title=bool(content["auto_title"]),
        u_m=found.u,
        n_ret=found.n_ret,
        n_ado=found.n_ado,
        adopted_operators=tuple(sorted(found.operators)),
    )
