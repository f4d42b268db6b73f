"""Tasks of public benchmarks become operators here: read without running their code, written whole or not."""
