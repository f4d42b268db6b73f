"""The first page: what to do first."""
