"""The built-in API reference, written from the headers of the twin: `python -m tools.api_reference.write`."""
