"""How the simulated model decides: a pure function of what it is sent, its seed and its dials.

From the ground up: `dials` (when a fault strikes), `amounts`, `days` and `tables` (figures in texts), `told` and
`reading` (the conversation as sent), `roles` and `stopping` (what the prompt asks for), `knowledge` (what
`knows.json` holds), `tasks` (what a question needs), `hands` (which tool, with which arguments), `facts` (what was
brought), `lacks`, `chapters` and `writing` (answers), `state` (where a conversation stands), `moves`, `wandering` and
`acting` (the next call), `planning` (plans, their changes, routes), `breaking` and `inventing` (faults of output),
`handing_in` (answers by a call), `respond` (one reply).

Nothing here imports a world or knows what a world's data says.
"""
