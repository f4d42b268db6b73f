"""SAGE in a world whose truth is known: does the method do what it claims?"""
