"""The folder of an experiment while it runs, the rows it gives, and the cold start."""
