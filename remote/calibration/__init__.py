"""The user's own card as the last witness of modelled time: measure micro kernels there, fit the twin, keep it.

It has never met hardware: what is proved is that hidden constants of another twin are found again.
"""
