"""The work queue and the one background thread that runs it; what a reader may ask about the work."""
