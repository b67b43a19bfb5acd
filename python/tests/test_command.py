"""The command `expose` and the package give the same bits, and read each other's models."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import expose

from conftest import ROOT


def command(*words):
    """What the command says: EXPOSE_COMMAND, or the one that was installed with the package."""
    program = os.environ.get("EXPOSE_COMMAND") or shutil.which("expose", path=pathlib.Path(sys.executable).parent)
    assert program, "build the target expose_command first: tools/python_tests does"
    return subprocess.run([program, *map(str, words)], check=True, capture_output=True, text=True).stdout


def verdicts(*words):
    """similarity and p_value as the command wrote them, to the last bit."""
    lines = [line.split(",") for line in command(*words, "--format", "csv").splitlines()]
    head = lines[0]
    return [np.array([float(line[head.index(name)]) for line in lines[1:]]) for name in ("similarity", "p_value")]


def test_it_is_of_the_same_version():
    assert expose.__version__ in command("--version")


@pytest.mark.parametrize("options", [{}, {"map": "sorf", "r": 128, "seed": 7}, {"kernel": "laplacian", "trim": 0.1}])
def test_detect_gives_the_same_bits(tmp_path, rows, options):
    np.save(tmp_path / "rows.npy", rows)
    words = [word for name, value in options.items() for word in (f"-{name}" if len(name) == 1 else f"--{name}", value)]
    similarity, p_value = verdicts("detect", tmp_path / "rows.npy", *words)
    v = expose.detect(rows, **options)
    assert np.array_equal(similarity, v.similarity)
    assert np.array_equal(p_value, v.p_value)


def test_each_judges_with_the_model_of_the_other(tmp_path, rows, others):
    np.save(tmp_path / "rows.npy", rows)
    np.save(tmp_path / "others.npy", others)
    ours = expose.fit(rows)
    ours.save(tmp_path / "ours.expose")
    similarity, p_value = verdicts("judge", "-m", tmp_path / "ours.expose", tmp_path / "others.npy")
    assert np.array_equal(similarity, ours.judge(others).similarity)
    assert np.array_equal(p_value, ours.judge(others).p_value)
    command("fit", tmp_path / "rows.npy", "-o", tmp_path / "theirs.expose")
    theirs = expose.load(tmp_path / "theirs.expose")
    assert np.array_equal(theirs.judge(others).similarity, similarity)
    assert np.array_equal(theirs.judge(others).p_value, p_value)


def test_a_table_with_names_gives_the_same_bits_and_the_same_model(tmp_path):
    pandas = pytest.importorskip("pandas")
    table = ROOT / "examples" / "breastw.csv"
    frame = pandas.read_csv(table)
    similarity, p_value = verdicts("detect", table, "--label", "label")
    v = expose.detect(frame, label="label")
    assert np.array_equal(similarity, v.similarity)
    assert np.array_equal(p_value, v.p_value)
    command("fit", table, "--label", "label", "-o", tmp_path / "theirs.expose")
    assert expose.load(tmp_path / "theirs.expose").fingerprint == expose.fit(frame, label="label").fingerprint
