"""M = (C, H): records, store, ledger, episodes, residency, snapshots, retrieval."""
