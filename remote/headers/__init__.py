"""CANN's headers as the user adds them: found in an installation, here or on a host, and kept side by side.

    collect     finds an installation and packs its headers; runs here and, as a script, on a host
    kept        the header sets in the data folder: add, list, remove
    from_host   has a host collect, and brings what it packed

What they are asked, the judge knows: `remote.judge.witness`.
"""
