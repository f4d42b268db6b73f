"""Commands of the memory."""

from __future__ import annotations

from sage_desktop.ui.action_table.spec import ActionSpec, in_sections, part

MEMORY = in_sections(
    (
        ActionSpec(
            "memory.pin",
            "&Pin to Hot Memory",
            "Keep the item in hot memory whatever its density",
            icon="pin",
            context="memory",
            checkable=True,
        ),
        ActionSpec(
            "memory.block",
            "&Block from Hot Memory",
            "Never admit the item to hot memory",
            icon="bar",
            context="memory",
            checkable=True,
        ),
    ),
    (
        ActionSpec(
            "memory.promote",
            "Pr&omote",
            "Admit the item to hot memory now",
            icon="promote",
            context="memory",
        ),
        ActionSpec(
            "memory.demote",
            "&Demote",
            "Return the item to cold memory until newer evidence passes the gates",
            icon="demote",
            context="memory",
        ),
    ),
    (
        ActionSpec(
            "memory.edit",
            "&Edit…",
            "Change title, category, summary or rule; older revisions are kept",
            icon="edit",
            keys=("F2",),
            context="memory",
        ),
        ActionSpec(
            "memory.archive",
            "Archi&ve",
            "Exclude the item from retrieval and hot memory; it stays readable and can be restored",
            icon="archive",
            context="memory",
            checkable=True,
        ),
    ),
    (
        ActionSpec(
            "memory.accept",
            "Accep&t",
            "Accept a pending or quarantined item for retrieval",
            icon="check",
            context="memory",
        ),
        ActionSpec(
            "memory.reject",
            "Re&ject",
            "Reject a pending or quarantined item; it stays readable",
            icon="cross",
            context="memory",
        ),
        ActionSpec(
            "memory.waiting",
            "Decide on &Waiting Items",
            "List pending and quarantined items and decide on them with single keys",
            icon="clock",
            keys=("F7",),
            checkable=True,
        ),
    ),
    (
        ActionSpec(
            "memory.compare",
            "&Compare Two…",
            "Compare two items side by side and join them",
            icon="review",
            context="memory",
        ),
        ActionSpec(
            "memory.conflicts",
            "C&hanged on Both Sides…",
            "Texts changed both here and in a merged memory: choose which to keep",
            icon="review",
        ),
        ActionSpec(
            "memory.tag",
            "Ta&gs…",
            "Tag the selected items with your own words, to find them again",
            icon="edit",
            keys=("Ctrl+T",),
            context="memory",
        ),
        ActionSpec(
            "memory.reset",
            "&Reset Evidence…",
            "Reset utility and counts of the item after its meaning changed",
            icon="retry",
            context="memory",
        ),
        ActionSpec(
            "memory.duplicates",
            "Find &Near-Duplicates…",
            "List pairs of items that say the same, to join them",
            icon="search",
        ),
    ),
    (
        *part(
            "transfer",
            ActionSpec(
                "memory.import",
                "&Import…",
                "Merge a memory that was exported, or the one of another workspace",
                icon="down",
            ),
            ActionSpec(
                "memory.export",
                "E&xport…",
                "Write the whole memory to a file",
                icon="file",
            ),
            ActionSpec(
                "memory.csv",
                "Export &Table…",
                "Write the listed items to a CSV file",
                icon="file",
                context="memory",
            ),
        ),
    ),
)
