"""What the twin and CANN's own headers each take: our kernels, probes of the API, fields and names.

For maintainers. The headers are those of an installed CANN that `SAGE_CANN_HEADERS` names.
"""
