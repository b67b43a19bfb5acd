"""examples/python: each script runs, and finds what it says it finds.

Without EXPOSE_DATA they make or bundle their own data; with it, those that know real data run on that, too.
"""

import os
import re
import subprocess
import sys

import pytest

from conftest import ROOT

pytest.importorskip("matplotlib")
FOLDER = ROOT / "examples" / "python"
# What each needs beside NumPy, the pictures it saves, and the lowest AUC that is fine.
SCRIPTS = {
    "fraud": ("pandas", ["fraud-histogram", "fraud-reasons"], 0.97),
    "sensor": ("numpy", ["sensor-contour", "sensor-drift"], 0.97),
    "images": ("sklearn", ["images-found"], 0.97),
    "strings": ("numpy", ["strings-histogram"], 0.99),
}
GOOD_ON_REAL_DATA = {"fraud": 0.99, "images": 0.83}


def run(name, folder, data):
    environment = {**os.environ, "MPLBACKEND": "Agg", "EXPOSE_DATA": str(data)}
    done = subprocess.run([sys.executable, "-W", "error", str(FOLDER / f"{name}.py"), "--plot", str(folder)], text=True,
                          capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_script_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == set(SCRIPTS)


def ran(name, folder, data, good, real):
    needs, pictures, _ = SCRIPTS[name]
    pytest.importorskip(needs)
    out = run(name, folder, data)
    aucs = [float(found) for found in re.findall(r"AUC\D* ([01]\.\d+)", out)]
    assert aucs and min(aucs) >= good, out
    assert sorted(path.stem for path in folder.glob("*.png")) == sorted(pictures)
    CHECKS[name](out, real)


@pytest.mark.parametrize("name", SCRIPTS)
def test_on_its_own_data(name, tmp_path):
    ran(name, tmp_path / "pictures", tmp_path, SCRIPTS[name][2], real=False)


@pytest.mark.parametrize("name", GOOD_ON_REAL_DATA)
def test_on_real_data(name, tmp_path):
    if "EXPOSE_DATA" not in os.environ:
        pytest.skip("EXPOSE_DATA is not set")
    ran(name, tmp_path / "pictures", os.environ["EXPOSE_DATA"], GOOD_ON_REAL_DATA[name], real=True)


def check_fraud(out, real):
    line = re.search(r"flagged (\d+) of the new rows, (\d+) of them fraud, of (\d+)", out)
    flagged, found, there = map(int, line.groups())
    assert found > there / 3 and flagged - found <= 0.2 * flagged  # promised: one false alarm in ten, on average
    assert out.count("p-value") == 3


def check_sensor(out, real):
    assert out.count("2014-12-25") == 2  # with either memory, Christmas is among the oddest days
    assert out.count("against July") == 6


def check_images(out, real):
    pixels, own = [int(found) for found in re.findall(r"(\d+) of \d+ found", out)]
    assert pixels >= 6 and own >= 6 and (real or own > pixels)


def check_strings(out, real):
    assert len(re.findall(r"^  odd ", out, flags=re.MULTILINE)) == 7
    usual, broken = map(float, re.search(r"([\d.]+) for a usual line, ([\d.]+) for a broken disk", out).groups())
    assert broken < usual / 5


CHECKS = {"fraud": check_fraud, "sensor": check_sensor, "images": check_images, "strings": check_strings}


def test_scripts_are_short():
    for name in SCRIPTS:
        lines = (FOLDER / f"{name}.py").read_text(encoding="utf-8").splitlines()
        assert len(lines) < 80 and max(map(len, lines)) <= 120, name
