"""What the model is shown: the context of a round, its task, feedback and earlier attempts, the skills."""
