"""Commands of the frame: file, edit, view, help."""

from __future__ import annotations

from sage_desktop.ui.action_table.spec import ActionSpec, in_sections, part

FRAME = in_sections(
    (
        ActionSpec(
            "file.new",
            "&New Workspace…",
            "Create an empty workspace in a new window",
            icon="file",
            keys=("Ctrl+Shift+N",),
        ),
        ActionSpec(
            "file.open",
            "&Open Workspace…",
            "Open another workspace file",
            icon="file",
            keys=("Ctrl+O",),
        ),
        ActionSpec(
            "file.backup",
            "&Back Up Workspace…",
            "Make a safe copy of the open workspace, even while it is in use",
            icon="copy",
        ),
    ),
    (
        ActionSpec(
            "file.settings",
            "&Settings…",
            "Method, models, evaluation, limits and appearance",
            icon="settings",
            keys=("Ctrl+,",),
        ),
    ),
    (
        ActionSpec(
            "file.quit",
            "&Quit",
            "Close the window; running work resumes next time",
            icon="exit",
            keys=("Ctrl+Q",),
        ),
    ),
    (
        ActionSpec(
            "edit.undo",
            "&Undo",
            "Undo the last change to the memory",
            icon="undo",
            keys=("Ctrl+Z",),
        ),
        ActionSpec(
            "edit.redo",
            "&Redo",
            "Redo the change undone last",
            icon="redo",
            keys=("Ctrl+Shift+Z",),
        ),
    ),
    (
        ActionSpec(
            "edit.copy",
            "&Copy",
            "Copy the selected text of the comparison, or the line at the caret; Ctrl+C in the code",
            icon="copy",
            context="review",
        ),
    ),
    (
        ActionSpec(
            "edit.find",
            "&Find",
            "Go to the search field of the current panel",
            icon="search",
            keys=("Ctrl+F",),
        ),
        ActionSpec(
            "edit.find_next",
            "Find &Next",
            "Go to the next match in the comparison",
            keys=("F3",),
        ),
        ActionSpec(
            "edit.find_previous",
            "Find &Previous",
            "Go to the previous match",
            keys=("Shift+F3",),
        ),
    ),
    (
        ActionSpec(
            "view.review",
            "&Review",
            "Show the kernels of the selected operator",
            icon="review",
            keys=("Ctrl+1",),
        ),
        ActionSpec(
            "view.memory",
            "&Memory",
            "Show the experiences and the hot memory",
            icon="memory",
            keys=("Ctrl+2",),
        ),
        ActionSpec(
            "view.trajectory",
            "Tra&jectory",
            "Show every round with prompts and replies",
            icon="trajectory",
            keys=("Ctrl+3",),
        ),
        ActionSpec(
            "view.results",
            "R&esults",
            "Show the metrics over all finished operators",
            icon="results",
            keys=("Ctrl+4",),
        ),
        ActionSpec(
            "view.timeline",
            "T&imeline",
            "Show what every pipe of a round's kernel did and when",
            icon="timeline",
            keys=("Ctrl+7",),
        ),
        ActionSpec(
            "view.hosts",
            "&Hosts",
            "Show the machines kernels are compiled and run on",
            icon="hosts",
            keys=("Ctrl+5",),
        ),
        ActionSpec(
            "view.start",
            "St&art Page",
            "What to do first: demonstration, hosts, models, benchmarks",
            icon="bolt",
            keys=("Ctrl+6",),
        ),
    ),
    (
        ActionSpec(
            "view.queue",
            "&Queue",
            "Show or hide the list of operators",
            icon="queue",
            keys=("Ctrl+B",),
            checkable=True,
        ),
        ActionSpec(
            "view.log",
            "L&og",
            "Show or hide what the engine and the window report",
            icon="log",
            keys=("Ctrl+J",),
            checkable=True,
        ),
        ActionSpec(
            "view.manual",
            "&Prompts Waiting for You",
            "Show or hide prompts of the manual model and the place for replies",
            icon="edit",
            keys=("Ctrl+M",),
            checkable=True,
        ),
    ),
    (
        ActionSpec(
            "view.palette",
            "&Command Palette…",
            "Find and run any command by its name",
            icon="palette",
            keys=("Ctrl+Shift+P", "F1"),
        ),
    ),
    (
        *part(
            "theme",
            ActionSpec(
                "view.theme.system",
                "Follow the &System",
                "Light or dark, following the desktop",
                icon="settings",
                checkable=True,
                group="theme",
            ),
            ActionSpec(
                "view.theme.light",
                "&Light",
                "Light colours",
                icon="sun",
                checkable=True,
                group="theme",
            ),
            ActionSpec(
                "view.theme.dark",
                "&Dark",
                "Dark colours",
                icon="moon",
                checkable=True,
                group="theme",
            ),
        ),
    ),
    (
        ActionSpec(
            "view.larger", "&Larger Text", "Enlarge all text", keys=("Ctrl+=", "Ctrl++")
        ),
        ActionSpec(
            "view.smaller", "&Smaller Text", "Reduce all text", keys=("Ctrl+-",)
        ),
        ActionSpec(
            "view.normal",
            "&Normal Text Size",
            "Use the desktop's text size",
            keys=("Ctrl+0",),
        ),
    ),
    (ActionSpec("view.reset", "Reset La&yout", "Restore the default layout"),),
    (
        ActionSpec("help.guide", "&User Guide", "How to use SAGE Desktop", icon="help"),
        ActionSpec(
            "help.keys",
            "&Keyboard Shortcuts",
            "All commands and their keys",
            icon="palette",
        ),
    ),
    (
        ActionSpec(
            "help.about",
            "&About SAGE Desktop",
            "Version, workspace, licence",
            icon="info",
        ),
    ),
)
