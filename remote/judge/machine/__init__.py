"""What the machine offers: compilers, a store for what they make, and what the machine does to a run."""
