"""What the environment E answers: records, the port to it, and the paper's metrics over its answers."""
