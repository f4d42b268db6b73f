"""One trajectory: context, reply protocol, trace-completeness gate, the loop and its learning jobs."""
