"""The models that are known, and the folder of their weights."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from planexec.models.local import LocalError, named, names, weights, weights_folder
from planexec.models.local.catalogue import cache_folder
from planexec.paths import data_path


def test_three_models_are_known_the_smallest_first():
    sizes = [named(name).bytes for name in names()]
    assert len(names()) == 3 and sizes == sorted(sizes)


@pytest.mark.parametrize("name", names())
def test_each_is_pinned_and_says_whose_it_is_and_under_which_licence(name):
    model = named(name)
    assert re.fullmatch(r"[0-9a-f]{64}", model.sha256) and model.bytes > 10_000_000
    assert model.licence == "Apache-2.0" and model.publisher and model.about
    assert urlsplit(model.source).scheme == "https" and model.source.endswith(f"/{model.file}")
    assert not model.template or data_path(model.template).is_file()


def test_an_unknown_name_is_told_with_the_known_ones():
    with pytest.raises(LocalError, match="no model is named 'gpt'; there are smollm2-135m, qwen"):
        named("gpt")


def test_the_folder_is_the_one_that_the_environment_names(monkeypatch, tmp_path):
    monkeypatch.setenv("PLANEXEC_MODELS", str(tmp_path))
    assert weights_folder() == tmp_path
    monkeypatch.setenv("PLANEXEC_MODELS", "~/weights")
    assert weights_folder() == Path.home() / "weights"


def test_without_one_it_is_in_the_cache_folder_of_the_user(monkeypatch):
    monkeypatch.delenv("PLANEXEC_MODELS", raising=False)
    assert weights_folder().parts[-2:] == ("planexec", "models")


def test_each_system_has_its_own_cache_folder():
    home = Path.home()
    assert cache_folder("linux", {}) == home / ".cache"
    assert cache_folder("linux", {"XDG_CACHE_HOME": "/c"}) == Path("/c")
    assert cache_folder("linux", {"XDG_CACHE_HOME": "c"}) == home / ".cache"  # a relative one is to be ignored
    assert cache_folder("darwin", {"XDG_CACHE_HOME": "/c"}) == home / "Library" / "Caches"
    assert cache_folder("win32", {"LOCALAPPDATA": "L"}) == Path("L")
    assert cache_folder("win32", {}) == home / ".cache"


def test_weights_are_there_when_the_file_has_its_full_length(tmp_path):
    model = named("smollm2-135m")
    assert weights(model, tmp_path) is None
    path = tmp_path / model.file
    with open(path, "wb") as file:
        file.truncate(model.bytes - 1)  # takes no room on the disk
    assert weights(model, tmp_path) is None
    with open(path, "wb") as file:
        file.truncate(model.bytes)
    assert weights(model, tmp_path) == path
