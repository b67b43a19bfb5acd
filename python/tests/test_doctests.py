"""The examples in the docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import expose

OTHERS = ("_adapters", "sklearn", "pyod", "river", "plot")
MODULES = [name for _, name, _ in pkgutil.iter_modules(expose.__path__, "expose.")
           if not name.endswith("_core") and name.rsplit(".", 1)[1] not in OTHERS]


@pytest.mark.parametrize("name", ["expose", *MODULES])
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_there_are_examples():
    finder = doctest.DocTestFinder()
    count = sum(len(test.examples) for name in ["expose", *MODULES]
                for test in finder.find(importlib.import_module(name)))
    assert count > 60
