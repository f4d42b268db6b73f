"""Commands of the frame: file, edit, view, help."""

from __future__ import annotations

from sage_desktop.action_table.spec import ActionSpec

FRAME: tuple[ActionSpec, ...] = (
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
