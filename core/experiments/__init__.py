"""Methods to compare, as small declared configurations over the same loop."""
