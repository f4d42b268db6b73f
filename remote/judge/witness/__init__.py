"""CANN's own headers as a witness: what they refuse does not build where CANN is installed.

    header_set      a copy of an installation's headers: version, digest, include folders
    kernel_unit     what CANN's build puts around a kernel, as one source for each dtype signature
    check           compiles a candidate against a header set, syntax only: `Witness.check`
    refusals        what the compiler said, as messages on lines of the candidate alone

The headers are the user's (`sage headers add`); none ship with the application, and nothing of their text
leaves this room.
"""
