"""The table of commands, as plain data, so that documentation and translations can be made from it.

Titles and tips are English source texts.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ActionSpec:
    """One command.

    Attributes:
        id: Stable name, `<room>.<verb>`.
        title: What menus and palette show (translated at use; `&` marks the mnemonic).
        tip: One sentence for the tool tip and the palette.
        icon: File of `resources/icons`, or empty.
        keys: Shortcuts in portable notation; the first is shown.
        menu: Key of `MENUS`, or empty for palette and context menu only.
        context: Context menu it appears in (`queue`, `memory`, `review`), or empty.
        checkable: Whether it is a switch.
        group: Switches of one group exclude each other.
        section: Within a menu, a change of section draws a line.
    """

    id: str
    title: str
    tip: str
    icon: str = ""
    keys: tuple[str, ...] = ()
    menu: str = ""
    context: str = ""
    checkable: bool = False
    group: str = ""
    section: int = 0


MENUS = {
    "file": "&File",
    "edit": "&Edit",
    "view": "&View",
    "queue": "&Queue",
    "review": "&Review",
    "memory": "&Memory",
    "help": "&Help",
}

ACTIONS: tuple[ActionSpec, ...] = (
    ActionSpec(
        "file.open",
        "&Open Workspace…",
        "Open another workspace file",
        icon="file",
        keys=("Ctrl+O",),
        menu="file",
    ),
    ActionSpec(
        "file.quit",
        "&Quit",
        "Close the window; running work continues next time",
        icon="exit",
        keys=("Ctrl+Q",),
        menu="file",
        section=9,
    ),
    ActionSpec(
        "edit.undo",
        "&Undo",
        "Take back the last change to the memory",
        icon="undo",
        keys=("Ctrl+Z",),
        menu="edit",
    ),
    ActionSpec(
        "edit.redo", "&Redo", "Do again what was taken back", icon="redo", keys=("Ctrl+Shift+Z",), menu="edit"
    ),
    ActionSpec(
        "edit.copy", "&Copy", "Copy the selected lines or fields", icon="copy", menu="edit", section=1
    ),
    ActionSpec(
        "edit.find",
        "&Find",
        "Go to the search field of the panel in front",
        icon="search",
        keys=("Ctrl+F",),
        menu="edit",
        section=2,
    ),
    ActionSpec(
        "view.review",
        "&Review",
        "Show the kernels of the selected operator",
        icon="review",
        keys=("Ctrl+1",),
        menu="view",
    ),
    ActionSpec(
        "view.memory",
        "&Memory",
        "Show the experiences and the hot memory",
        icon="memory",
        keys=("Ctrl+2",),
        menu="view",
    ),
    ActionSpec(
        "view.trajectory",
        "&Trajectory",
        "Show every round with prompts and replies",
        icon="trajectory",
        keys=("Ctrl+3",),
        menu="view",
    ),
    ActionSpec(
        "view.results",
        "Re&sults",
        "Show the metrics over all finished operators",
        icon="results",
        keys=("Ctrl+4",),
        menu="view",
    ),
    ActionSpec(
        "view.queue",
        "&Queue",
        "Show or hide the list of operators",
        icon="queue",
        keys=("Ctrl+B",),
        menu="view",
        checkable=True,
        section=1,
    ),
    ActionSpec(
        "view.log",
        "&Log",
        "Show or hide what the engine and the window report",
        icon="log",
        keys=("Ctrl+J",),
        menu="view",
        checkable=True,
        section=1,
    ),
    ActionSpec(
        "view.palette",
        "&Command Palette…",
        "Find and run any command by its name",
        icon="palette",
        keys=("Ctrl+Shift+P", "F1"),
        menu="view",
        section=2,
    ),
    ActionSpec(
        "view.theme.system",
        "Theme: Follow the &System",
        "Light or dark, as the desktop is",
        icon="settings",
        menu="view",
        checkable=True,
        group="theme",
        section=3,
    ),
    ActionSpec(
        "view.theme.light",
        "Theme: &Light",
        "Light colours",
        icon="sun",
        menu="view",
        checkable=True,
        group="theme",
        section=3,
    ),
    ActionSpec(
        "view.theme.dark",
        "Theme: &Dark",
        "Dark colours",
        icon="moon",
        menu="view",
        checkable=True,
        group="theme",
        section=3,
    ),
    ActionSpec(
        "view.larger", "&Larger Text", "Enlarge all text", keys=("Ctrl+=", "Ctrl++"), menu="view", section=4
    ),
    ActionSpec("view.smaller", "&Smaller Text", "Reduce all text", keys=("Ctrl+-",), menu="view", section=4),
    ActionSpec(
        "view.normal",
        "&Normal Text Size",
        "Text as large as the desktop asks",
        keys=("Ctrl+0",),
        menu="view",
        section=4,
    ),
    ActionSpec("view.reset", "Reset La&yout", "Put all panels back to their places", menu="view", section=5),
    ActionSpec(
        "queue.run",
        "&Run",
        "Work through the queue in the background",
        icon="run",
        keys=("F5",),
        menu="queue",
    ),
    ActionSpec(
        "queue.pause",
        "&Pause After Current",
        "Finish the operator being worked on, then wait",
        icon="pause",
        keys=("F6",),
        menu="queue",
    ),
    ActionSpec(
        "queue.cancel",
        "&Cancel Operator",
        "Stop the selected operator; what it learned until now is kept",
        icon="stop",
        menu="queue",
        context="queue",
        section=1,
    ),
    ActionSpec(
        "queue.retry",
        "Re&try Operator",
        "Queue the selected operator again",
        icon="retry",
        menu="queue",
        context="queue",
        section=1,
    ),
    ActionSpec(
        "queue.next",
        "Run &Next",
        "Work on the selected operator before all others that wait",
        icon="run-next",
        keys=("Ctrl+Shift+Up",),
        menu="queue",
        context="queue",
        section=2,
    ),
    ActionSpec(
        "queue.up",
        "Move &Up",
        "Work on the selected operator earlier",
        icon="up",
        keys=("Alt+Up",),
        menu="queue",
        context="queue",
        section=2,
    ),
    ActionSpec(
        "queue.down",
        "Move &Down",
        "Work on the selected operator later",
        icon="down",
        keys=("Alt+Down",),
        menu="queue",
        context="queue",
        section=2,
    ),
    ActionSpec(
        "queue.hide_finished",
        "&Hide Finished",
        "List only operators that still wait or run",
        icon="hide",
        menu="queue",
        context="queue",
        checkable=True,
        section=3,
    ),
    ActionSpec(
        "review.next",
        "&Next Change",
        "Go to the next difference",
        icon="next-change",
        keys=("F8",),
        menu="review",
        context="review",
    ),
    ActionSpec(
        "review.previous",
        "&Previous Change",
        "Go to the difference before",
        icon="previous-change",
        keys=("Shift+F8",),
        menu="review",
        context="review",
    ),
    ActionSpec(
        "review.older",
        "&Earlier Round",
        "Show the round before",
        keys=("Alt+Left",),
        menu="review",
        section=1,
    ),
    ActionSpec(
        "review.newer", "&Later Round", "Show the round after", keys=("Alt+Right",), menu="review", section=1
    ),
    ActionSpec(
        "review.inline",
        "One &Column",
        "Show both versions in one column",
        icon="inline",
        menu="review",
        context="review",
        checkable=True,
        section=2,
    ),
    ActionSpec(
        "review.fold",
        "&Fold Unchanged Lines",
        "Hide lines that are the same in both versions",
        icon="fold",
        menu="review",
        context="review",
        checkable=True,
        section=2,
    ),
    ActionSpec(
        "review.whitespace",
        "Ignore &White Space",
        "Treat lines as equal when only blanks differ",
        icon="whitespace",
        menu="review",
        context="review",
        checkable=True,
        section=2,
    ),
    ActionSpec(
        "review.colors",
        "C&ode Colours",
        "Colour keywords, types and comments",
        icon="palette",
        menu="review",
        context="review",
        checkable=True,
        section=2,
    ),
    ActionSpec(
        "memory.pin",
        "&Pin to Hot Memory",
        "Keep the item in hot memory whatever its density",
        icon="pin",
        menu="memory",
        context="memory",
        checkable=True,
    ),
    ActionSpec(
        "memory.bar",
        "&Bar from Hot Memory",
        "Never admit the item to hot memory",
        icon="bar",
        menu="memory",
        context="memory",
        checkable=True,
    ),
    ActionSpec(
        "memory.promote",
        "Pr&omote",
        "Admit the item to hot memory now",
        icon="promote",
        menu="memory",
        context="memory",
        section=1,
    ),
    ActionSpec(
        "memory.demote",
        "&Demote",
        "Return the item to cold memory now",
        icon="demote",
        menu="memory",
        context="memory",
        section=1,
    ),
    ActionSpec(
        "memory.edit",
        "&Edit…",
        "Change title, category, summary or rule; older revisions are kept",
        icon="edit",
        keys=("F2",),
        menu="memory",
        context="memory",
        section=2,
    ),
    ActionSpec(
        "memory.disable",
        "Dis&able",
        "Exclude the item from retrieval and hot memory; nothing is deleted",
        icon="archive",
        menu="memory",
        context="memory",
        checkable=True,
        section=2,
    ),
    ActionSpec("help.guide", "&User Guide", "How to use SAGE Desktop", icon="help", menu="help"),
    ActionSpec(
        "help.keys", "&Keyboard Shortcuts", "All commands and their keys", icon="palette", menu="help"
    ),
    ActionSpec(
        "help.about",
        "&About SAGE Desktop",
        "Version, workspace, licence",
        icon="info",
        menu="help",
        section=1,
    ),
)
