"""One trajectory of the paper, from the queue's task to what it leaves in memory.

`loop` runs it: trajectory, episode, round; `prompt` holds Γ, `retrieval` R_t, `reply`
the protocol and the gate, `learning` the rules and experiences; `run` what all of them
work with, above all the journal.
"""
