"""The paper's equations, pure: ATU utility, UGC, the one fold of episodes into evidence; parameters and methods."""
