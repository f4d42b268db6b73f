"""How experience travels: banks, seeds, merges, bundles."""
