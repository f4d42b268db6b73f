"""M = (C, H): records, store, retrieval, ATU utility, UGC consolidation, curation, exchange, replay."""
