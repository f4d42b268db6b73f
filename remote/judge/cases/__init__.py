"""All test cases of a candidate: their order, one run of each, its status, and the verdict of all."""
