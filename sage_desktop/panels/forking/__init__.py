"""A person edits the kernel of a round."""
