"""Diagnostics of the Ascend side: what logs, tools and codes of CANN say, as structured findings.

`diagnosis.diagnose` names the cause of a failed build or run; the other modules read the output of one tool
each and raise `tool_output.UnreadableOutput` where it is not what the tool is known to write.
"""
