"""Research on the method: plans, their running, reports, the mechanism's simulation, faithfulness.

The desktop's commands use it, and nothing else does.
"""
