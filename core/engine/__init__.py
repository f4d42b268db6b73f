"""The work queue and the one background thread that runs it.

What a reader may ask about the work.
"""
