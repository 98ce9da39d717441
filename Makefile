# The same words as run.py, for those who are used to make. `make` alone starts the course.
PYTHON ?= python3

.PHONY: start course test check doctor help

start:
	$(PYTHON) run.py

course test check doctor:
	$(PYTHON) run.py $@

help:
	$(PYTHON) run.py --help
