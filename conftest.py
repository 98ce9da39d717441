"""For every pytest run, of tests and of notebooks: kernels inherit what makes them print the same twice."""

import os

os.environ.setdefault("PYTHONHASHSEED", "0")  # unless the caller varies it on purpose
os.environ.pop("MPLBACKEND", None)  # a backend without windows would also take away the figures inside notebooks
