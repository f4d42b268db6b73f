"""An operator's own Python, in a confined process: references, its checker, the gates of operators."""
