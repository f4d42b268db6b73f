"""M = (C, H): what a memory holds and how an episode changes it.

`store` is the way in; beneath it the log (`ledger`, `evidence`), the end of an episode (`episodes`,
`residency`, `snapshots`), and rows as records. `retrieval` finds R_t, `views` is what people read, `replay`
folds the log again, `encoder` is the text encoder's process.
"""
