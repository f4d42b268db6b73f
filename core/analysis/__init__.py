"""What became of runs, read from a workspace.

Rows for lists, results and metrics, who wrote a line and what taught it, answers of diagnostics, decisions of
reviewers. Above memory and agent, below the engine. The only things written here are what a person asked a tool
and what a reviewer decided.
"""
