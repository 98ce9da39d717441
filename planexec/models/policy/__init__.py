"""How the simulated model decides: a pure function of what it is sent, its seed and its dials.

From the ground up: `dials` (when a fault strikes), `amounts` and `tables` (figures in texts), `reading` (the
conversation as sent), `roles` (what is asked for), `knowledge` (what `knows.json` holds), `tasks` (what a question
needs), `hands` (which tool, with which arguments), `facts` (what the conversation has brought so far), `acting`
(the next call), `planning` (plans, changes of plans, routes), `writing` (answers), `breaking` (untidy output).

Nothing here imports a world or knows what a world's data says.
"""
