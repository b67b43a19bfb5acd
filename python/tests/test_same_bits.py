"""The Python package, the C++ library and the golden files give the same bits."""

import os
import pathlib
import subprocess

import numpy as np
import pytest

import expose

from conftest import ROOT


def detect_rows_program():
    """The C++ program of the experiments: EXPOSE_DETECT_ROWS, or as a build has left it."""
    named = os.environ.get("EXPOSE_DETECT_ROWS")
    found = [pathlib.Path(named)] if named else [p for p in ROOT.glob("build/*/detect_rows") if p.is_file()]
    assert found, "build the target detect_rows first: tools/python_tests does"
    return found[0]


@pytest.mark.parametrize("options", [{}, {"map": "sorf", "r": 128}, {"kernel": "laplacian", "trim": 0.1},
                                     {"preset": "paper", "seed": 7}])
def test_detect_and_judge_equal_the_cpp_program(tmp_path, rows, others, options):
    rows[5, 1] = np.nan if options.get("kernel") is None else 0.5
    np.save(tmp_path / "fit.npy", rows)
    np.save(tmp_path / "judge.npy", others)
    flags = [str(part) for name, value in options.items() for part in (f"--{name}", value)]
    for judged, v in (([], expose.detect(rows, **options)),
                      (["--judge", str(tmp_path / "judge.npy")], expose.fit(rows, **options).judge(others))):
        subprocess.run([detect_rows_program(), tmp_path / "fit.npy", tmp_path / "out.npy", *judged, *flags], check=True,
                       stdout=subprocess.DEVNULL)
        expected = np.load(tmp_path / "out.npy")
        assert np.array_equal(v.similarity, expected[:, 0])
        assert np.array_equal(v.p_value, expected[:, 1])


def test_reasons_equal_the_cpp_program(tmp_path, rows):
    np.save(tmp_path / "fit.npy", rows)
    subprocess.run([detect_rows_program(), tmp_path / "fit.npy", tmp_path / "out.npy", "--reasons", tmp_path / "why.npy"],
                   check=True, stdout=subprocess.DEVNULL)
    assert np.array_equal(expose.fit(rows).explain(rows), np.load(tmp_path / "why.npy"))


@pytest.mark.parametrize("version", [1, 2, 3])
def test_golden_models_load(golden, version):
    d = expose.load(golden / f"model_v{version}.expose")
    fingerprint = (golden / f"model_v{version}.txt").read_text().split()[0]
    assert d.fingerprint == fingerprint
    assert expose.Detector.from_bytes(d.to_bytes()).to_bytes() == d.to_bytes()


def test_threads_and_types_change_no_bit(rows, others):
    d = expose.fit(rows, threads=1)
    single = rows.astype(np.float32)
    assert expose.fit(rows, threads=4).judge(others) == d.judge(others)
    assert expose.fit(single) == expose.fit(single.astype(np.float64))
