"""What the model answers: the protocol, edits, and the gate before an evaluation."""
