"""Small models on this machine: fetch their weights, serve them on loopback, and replay what real ones did.

| file | what it does |
|---|---|
| `catalogue.py` | the models that are known, and the folder of their weights |
| `sources.py`, `fetching.py`, `progress.py` | where weights come from; that they are the right ones; how far it is |
| `endpoint.py`, `child.py` | a model that answers, and the process that holds it |
| `questions.py`, `recorded.py` | the experiment of the shipped recordings, and their replay: no weights needed |
| `experiment.py` | makes the recordings again |
"""

from planexec.models.local.catalogue import LocalError, LocalModel, named, names, weights, weights_folder
from planexec.models.local.endpoint import Endpoint, start
from planexec.models.local.fetching import fetch, verified
from planexec.models.local.recorded import Replayed, figures, recordings, replay, table
from planexec.models.local.sources import Source, source_of

__all__ = [
    "Endpoint",
    "LocalError",
    "LocalModel",
    "Replayed",
    "Source",
    "fetch",
    "figures",
    "named",
    "names",
    "recordings",
    "replay",
    "source_of",
    "start",
    "table",
    "verified",
    "weights",
    "weights_folder",
]
