"""Work beside the window that takes seconds to minutes: diagnostics, traces, forks, logs, reports."""
