"""Trials: many runs, measured. `survey.py` says how even a survey is."""
