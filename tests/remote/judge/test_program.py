"""The judge's files are all it imports: a host has nothing else of the application."""

from __future__ import annotations

from remote.judge.program import program_files, sources_of


def test_what_the_judge_imports_goes_to_a_host_with_it() -> None:
    files = program_files()
    modules = [
        file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for file in files
        if file.startswith("remote/judge/") and file.endswith(".py")
    ]
    assert sorted(set(sources_of(*modules)) - set(files)) == []
