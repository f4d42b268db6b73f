"""What the model answers: the protocol, its edits and corrections, and the gate before an evaluation."""
