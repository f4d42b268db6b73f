"""Small pieces several panels use."""
