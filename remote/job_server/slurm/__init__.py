"""Jobs of a site whose devices belong to Slurm: how they are submitted, followed, ended and run on a node."""
