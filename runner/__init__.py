"""What `run.py` is made of: the environment, the commands, the steps of the tests. Standard library only.

It runs before anything is installed, so it imports nothing from the package that it sets up.
"""
