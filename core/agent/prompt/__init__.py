"""What the model is shown: the context of a round, and what it is made of."""
