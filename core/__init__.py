"""The SAGE method: operators, memory, agent, models, evaluation records, engine. No Qt, no SSH."""
