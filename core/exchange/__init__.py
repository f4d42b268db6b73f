"""How experience travels: banks, seeds, merges, libraries of other agents, bundles."""
