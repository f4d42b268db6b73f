"""Setting up a run: who writes, where it is judged, and the place for replies written by hand."""
