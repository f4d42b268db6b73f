"""What a round retrieves: the query, and the ranking of what it finds."""
