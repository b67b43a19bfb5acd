"""What the experiments share: tables, the program that runs EXPoSE, measures, jobs with a time limit, Markdown."""

import contextlib
import dataclasses
import gzip
import hashlib
import json
import multiprocessing
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

# One thread for everybody, set before NumPy loads its linear algebra: times can be compared and figures repeated.
for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np  # noqa: E402

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "release" / "detect_rows"
MOST_ROWS = 10_000


class Problem(Exception):
    """A sentence for whoever called the script."""


# --- tables ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Table:
    name: str
    x: np.ndarray  # rows, float64
    y: np.ndarray  # bool: the row is an anomaly

    def part(self, rows):
        return Table(self.name, np.ascontiguousarray(self.x[rows]), self.y[rows])


def table_files(folder, csv=False):
    """The tables of a folder in the order of their names (the number in front counts as one); .npz also from below."""

    def order(path):
        number, _, rest = path.name.partition("_")
        return (int(number), rest) if number.isdigit() else (sys.maxsize, path.name)

    files = sorted(Path(folder).glob("*.csv.gz") if csv else Path(folder).rglob("*.npz"), key=order)
    if not files:
        raise Problem(f"{folder} holds no {'.csv.gz' if csv else '.npz'} file")
    return files


def table_name(path):
    return path.name.removesuffix(".npz").removesuffix(".csv.gz")


def read_table(path):
    """An .npz with X and y, or a .csv.gz with a header, numbers, perhaps a column `class`, and last the `label`."""
    if path.name.endswith(".npz"):
        with np.load(path, allow_pickle=False) as arrays:
            if not {"X", "y"} <= set(arrays.files):
                raise Problem(f"holds {', '.join(arrays.files)}, not X and y")
            x, y = arrays["X"], arrays["y"]
    else:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            columns = file.readline().strip().split(",")
            if columns[-1] != "label":
                raise Problem("the last column is not `label`")
            values = np.loadtxt(file, delimiter=",", ndmin=2)
        y = values[:, -1]
        x = values[:, [k for k, column in enumerate(columns[:-1]) if column != "class"]]
    x = np.asarray(x, dtype=np.float64).reshape(len(x), -1)
    y = np.asarray(y).reshape(-1)
    if len(x) != len(y):
        raise Problem(f"has {len(x)} rows and {len(y)} labels")
    if not np.isin(y, (0, 1)).all():
        raise Problem("has labels other than 0 and 1")
    good = np.isfinite(x).all(axis=1)  # the peers take no others
    table = Table(table_name(path), np.ascontiguousarray(x[good]), y[good] == 1)
    if not 0 < table.y.sum() < len(table.y):
        raise Problem(f"has {int(table.y.sum())} anomalies in {len(table.y)} rows without gaps")
    return table


def capped(table, seed, most=MOST_ROWS):
    """At most so many rows, by a draw that depends on the seed alone; the order of the rows stays."""
    if len(table.y) <= most:
        return table
    rows = np.random.default_rng([seed, 1]).choice(len(table.y), most, replace=False)
    return table.part(np.sort(rows))


def halved(table, seed):
    """For novelty detection: half of the normal rows to fit, the rest and the anomalies to judge."""
    normal = np.flatnonzero(~table.y)
    fitted = np.random.default_rng([seed, 2]).permutation(normal)[: (len(normal) + 1) // 2]
    rest = np.ones(len(table.y), dtype=bool)
    rest[fitted] = False
    return table.part(np.sort(fitted)), table.part(np.flatnonzero(rest))


# --- EXPoSE ----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Detection:
    similarity: np.ndarray
    p: np.ndarray
    plan: dict
    reasons: np.ndarray = None  # on request: the share of each column in the unlikeness of each judged row


class Program:
    """detect_rows, as it was when the script began: a copy, since a build during a long run would mix two of them."""

    def __init__(self, path=None):
        path = Path(path) if path else PROGRAM
        if not os.access(path, os.X_OK):
            raise Problem(f"there is no program {path}: `make experiments` builds it, --program names another")
        self._folder = tempfile.TemporaryDirectory()
        self.path = Path(shutil.copy(path, self._folder.name))
        self.sha256 = hashlib.sha256(self.path.read_bytes()).hexdigest()


def detect(program, fitted, judged=None, labels=None, reasons=False, **options):
    """Fits rows and judges them, or others: the default, but for the options (those of detect_rows). Labels (1 anomaly,
    0 normal, -1 unlabelled) tune first."""
    options = {"threads": 1, **options}
    with tempfile.TemporaryDirectory() as folder:
        files = {name: Path(folder) / f"{name}.npy" for name in ("fitted", "judged", "labels", "reasons", "out")}
        command = [str(program.path), str(files["fitted"]), str(files["out"])]
        np.save(files["fitted"], np.ascontiguousarray(fitted, dtype=np.float64))
        if judged is not None:
            np.save(files["judged"], np.ascontiguousarray(judged, dtype=np.float64))
            command += ["--judge", str(files["judged"])]
        if labels is not None:
            np.save(files["labels"], np.asarray(labels, dtype=np.float64).reshape(-1, 1))
            command += ["--labels", str(files["labels"])]
        if reasons:
            command += ["--reasons", str(files["reasons"])]
        for key, value in options.items():
            command += [f"--{key}", str(value)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Problem(run.stderr.strip() or f"detect_rows ended with {run.returncode}")
        out = np.load(files["out"])
        shares = np.load(files["reasons"]) if reasons else None
    return Detection(out[:, 0], out[:, 1], json.loads(run.stdout), shares)


# --- measures --------------------------------------------------------------------------------------------------------


def average_ranks(values):
    """1 for the lowest; equal values share the mean of their places."""
    _, group, counts = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[group.reshape(-1)]


def auc(y, anomaly):
    """Area under the ROC curve: how often an anomaly looks more anomalous than a normal row, ties counting half."""
    ranks = average_ranks(anomaly)
    positive = int(y.sum())
    return float((ranks[y].sum() - positive * (positive + 1) / 2) / (positive * (len(y) - positive)))


def average_precision(y, anomaly):
    """Sum over thresholds of precision times gain in recall; rows that tie come in together."""
    order = np.argsort(-anomaly, kind="stable")
    last = np.append(np.flatnonzero(np.diff(anomaly[order]) != 0), len(y) - 1)
    found = np.cumsum(y[order])[last]
    return float(np.sum(found / (last + 1) * np.diff(found, prepend=0)) / found[-1])


def benjamini_hochberg(p, q):
    """Which rows are discoveries at the false discovery rate q."""
    order = np.sort(p)
    below = np.flatnonzero(order <= q * np.arange(1, len(p) + 1) / len(p))
    return p <= order[below[-1]] if len(below) else np.zeros(len(p), dtype=bool)


# --- jobs ------------------------------------------------------------------------------------------------------------


def _answer(pipe, job):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        try:
            value = job()
            pipe.send((value, None, time.perf_counter() - start))
        except Exception as problem:  # noqa: BLE001 - whatever a peer throws is its result
            pipe.send((None, f"{type(problem).__name__}: {problem}".splitlines()[0], time.perf_counter() - start))


def run_job(job, limit):
    """(value, why there is none, seconds) of job(), run in a process of its own for at most `limit` seconds."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(theirs, job))
    process.start()
    theirs.close()
    try:
        if not ours.poll(limit):
            return None, f"not done after {limit:g} s", limit
        return ours.recv()
    except EOFError:
        process.join()
        return None, f"its process ended with {process.exitcode}", 0.0
    finally:
        process.kill()
        process.join()


@contextlib.contextmanager
def progress():
    """say(text): one line on the terminal, if there is one, replaced by the next."""
    terminal = sys.stderr.isatty()

    def say(text):
        if terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    try:
        yield say
    finally:
        say("")


# --- reports ---------------------------------------------------------------------------------------------------------


def markdown(header, rows):
    """A table, the first column to the left, the others to the right."""
    lines = [header, ["---"] + ["---:"] * (len(header) - 1), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def short(value, digits=3):
    """.757 for 0.757, as the tables of the docs write shares."""
    text = f"{value:.{digits}f}"
    return text[1:] if text.startswith("0.") else text


def names_of(text, known, what):
    """A list with commas; a Problem if one is not known."""
    names = text.split(",")
    for name in names:
        if name not in known:
            raise Problem(f"there is no {what} {name}; there are {', '.join(known)}")
    return names


def versions(*modules):
    return {"python": platform.python_version()} | {module.__name__: module.__version__ for module in modules}


def add_program(parser):
    """The options of every script that runs detect_rows."""
    parser.add_argument("--program", metavar="FILE", help="detect_rows (default: build/release/detect_rows)")
    parser.add_argument("--json", metavar="FILE", help="where every single figure goes")


def add_sets_and_check(parser):
    """The options of the scripts that choose on some tables and look at others."""
    parser.add_argument("--data", required=True, metavar="DIR", help="a folder with .npz files that hold X and y")
    parser.add_argument("--check", metavar="DIR", help="a folder with .csv.gz files that choose nothing")
    parser.add_argument("--skip", default="", metavar="A,B", help="files of --check that share rows with --data")
    parser.add_argument("--seeds", type=int, default=3, metavar="N")


def keep(path, program, records):
    """Writes every single figure, and the hash of the program that made them, where --json asks for it."""
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"program": program.sha256, "records": records}, file, indent=1)


def main(run):
    """Calls run(); a Problem becomes one line and the exit status 2."""
    try:
        sys.exit(run())
    except Problem as problem:
        print(f"{Path(sys.argv[0]).name}: {problem}", file=sys.stderr)
        sys.exit(2)
