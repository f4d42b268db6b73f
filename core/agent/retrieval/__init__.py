"""What is retrieved in a round: the query and the ranking of the experiences it brings."""
