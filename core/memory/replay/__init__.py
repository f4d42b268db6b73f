"""The log folded again: to verify what is stored, and under another credit rule."""
