"""Adding operators: from the catalogue, of the own making, from a benchmark checkout."""
