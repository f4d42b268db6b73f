"""Differences of texts: which lines changed, moved or stayed, between two versions and through many.

Pure functions over texts and lines; no storage, no window. The comparison view, the blame of lines, patches and
the checks of adoption all split and align lines here, so that they agree on what a line and a change is.
"""
