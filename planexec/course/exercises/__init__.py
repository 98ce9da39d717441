"""The exercises and quizzes, one file a notebook: `nb07.py` holds "07.1", "07.2" and the quiz "07.q1"."""
