"""What the tests share. Every test needs the built package and nothing of the source tree but its golden files."""

import pathlib

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def rows():
    return np.random.default_rng(1).normal(size=(1200, 3))


@pytest.fixture
def others():
    others = np.random.default_rng(2).normal(size=(300, 3))
    others[::50] *= 6
    return others


@pytest.fixture
def golden():
    return ROOT / "tests" / "golden"
