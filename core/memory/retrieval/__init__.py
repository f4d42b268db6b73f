"""From a query to R_t: words, meaning, and late reranking by utility."""
