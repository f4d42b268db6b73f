"""Commands of the queue."""

from __future__ import annotations

from sage_desktop.ui.action_table.spec import ActionSpec, in_sections

QUEUE = in_sections(
    (
        ActionSpec(
            "queue.run",
            "&Run",
            "Run the queue in the background",
            icon="run",
            keys=("F5",),
        ),
        ActionSpec(
            "queue.pause",
            "&Pause After Current",
            "Finish the current operator, then pause",
            icon="pause",
            keys=("F6",),
        ),
        ActionSpec(
            "queue.stop",
            "St&op Run",
            "Stop now; running operators resume at the same step with the next run",
            icon="stop",
            keys=("Shift+F6",),
        ),
        ActionSpec(
            "queue.setup",
            "&Set Up Run…",
            "Choose who writes the kernels, where they are evaluated, and the method",
            icon="settings",
            keys=("Shift+F5",),
        ),
    ),
    (
        ActionSpec(
            "queue.add",
            "&Add Operators…",
            "Queue operators of the catalogue and of imported benchmarks",
            icon="queue",
            keys=("Ctrl+N",),
            context="queue",
        ),
        ActionSpec(
            "queue.custom",
            "Ne&w Operator…",
            "Describe an operator of your own",
            icon="edit",
        ),
        ActionSpec(
            "queue.import",
            "&Import Benchmark…",
            "Import the tasks of a benchmark checkout",
            icon="down",
        ),
    ),
    (
        ActionSpec(
            "queue.cancel",
            "&Cancel Operator…",
            "End the selected operator permanently; what it has learned is kept",
            icon="cancelled",
            context="queue",
        ),
        ActionSpec(
            "queue.retry",
            "Re&try Operator",
            "Queue the selected operator again",
            icon="retry",
            context="queue",
        ),
    ),
    (
        ActionSpec(
            "queue.next",
            "Run &Next",
            "Run the selected operator before all waiting ones",
            icon="run-next",
            keys=("Ctrl+Shift+Up",),
            context="queue",
        ),
        ActionSpec(
            "queue.up",
            "Move &Up",
            "Move the selected operator up in the queue",
            icon="up",
            keys=("Alt+Up",),
            context="queue",
        ),
        ActionSpec(
            "queue.down",
            "Move &Down",
            "Move the selected operator down in the queue",
            icon="down",
            keys=("Alt+Down",),
            context="queue",
        ),
        ActionSpec(
            "queue.label",
            "&Label…",
            "Label the selected operators to tell batches apart",
            icon="edit",
            context="queue",
        ),
    ),
    (
        ActionSpec(
            "queue.hide_finished",
            "&Hide Finished",
            "List only waiting and running operators",
            icon="hide",
            context="queue",
            checkable=True,
        ),
    ),
    (
        ActionSpec(
            "queue.open_report",
            "Op&en Run Report",
            "Write the runs of this workspace as one page and open it in the browser",
            icon="results",
        ),
        ActionSpec(
            "queue.save_report",
            "Sa&ve Run Report…",
            "Save the runs of this workspace as one page that can be shared",
            icon="results",
        ),
    ),
)
