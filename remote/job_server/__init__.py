"""The job server: the small program that keeps jobs on a host. Standard library only, Python 3.8 or newer.

It is sent to the host as one zip file at each connection and serves requests on its standard input and
output. Jobs are processes of their own, watched by a supervisor each; they keep running when the connection,
and with it the serving process, is gone. Every request may be repeated.
"""
