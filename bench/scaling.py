"""The lines of the plots: rows a second against d and r, and against n what the paper claims: learning O(n), judging a
row O(1), memory O(1).

usage of its own: scaling.py DETECTOR ROWS     fits a peer on generated rows and prints the peak of memory in MB
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import peers
from cases import Case, normals, quiet, random_peers, set_up
from report import PROGRAMS, Problem, clock_of, interleave, nanoseconds

COLUMNS = 10
# A peer stops where it would take more than some seconds.
LARGEST = {"IsolationForest": 1_000_000, "LocalOutlierFactor": 30_000, "OneClassSVM": 10_000}


def by_size(run, sizes):
    """Nanoseconds a row to judge, for each (d, r): ours dense and SORF, NumPy and scikit-learn with the same r."""
    found = []
    for d, r in sizes:
        run.say(f"judge at d={d}, r={r}")
        ours = int(min(50_000, max(1000, 4e9 / (r * (d + 30)) / 4)))
        rows, timed = normals(max(ours, 2048), d, 3), {}
        case = Case("fourier", d, r, ours, {})
        set_up(run, case, r, rows[:1024])
        sides, _ = random_peers(run, rows[:1024], r)
        for name in ("skl64", "np32"):
            typed = rows.astype(np.float64 if name == "skl64" else np.float32)
            sides[name].grid = [(256,)] if name == "skl64" else [(256, 1024), (256, 512), (512, 256), (128, 2048)]
            timed[name] = run.timed(sides[name].judge, typed[: peers.tune(sides[name], sides[name].judge, typed,
                                                                         run.seconds / 2, 512)])
        result = {name: min(values) for name, values in interleave(timed, 3).items()}
        for kind in ("fourier", "sorf"):
            set_up(run, Case(kind, d, r, ours, {}), r, rows[:ours])
            run.ours.time("judge", 1)
            result[kind] = min(run.ours.time("judge", 1) for _ in range(3))
        found.append({"d": d, "r": r} | result)
    return found


def peer_of(name):
    from sklearn.ensemble import IsolationForest
    from sklearn.neighbors import LocalOutlierFactor
    from sklearn.svm import OneClassSVM

    return {"IsolationForest": lambda: IsolationForest(random_state=0),
            "LocalOutlierFactor": lambda: LocalOutlierFactor(novelty=True),
            "OneClassSVM": lambda: OneClassSVM(cache_size=1000)}[name]()


def by_rows(run, most):
    """For n = 1000, 3162, ..: nanoseconds to learn n rows, and to judge one then, of ours and the peers."""
    found, judged = [], normals(5000, COLUMNS, 5)
    for name in LARGEST:
        quiet(lambda name=name: peer_of(name).fit(judged[:300]))  # loads modules
    for n in [int(10 ** (k / 2)) for k in range(6, 15) if 10 ** (k / 2) <= most]:
        run.say(f"{n} rows of {COLUMNS} columns")
        rows = normals(n, COLUMNS, 4)
        file = run.file("table", rows, np.float64)
        fitted = min(run.ours.time("fit", file, COLUMNS, 1) for _ in range(3)) * n
        record = {"n": n, "learn": {"ours": fitted}, "judge": {"ours": run.ours.time("judge_after", n, 10_000)}}
        for name, largest in LARGEST.items():
            if n > largest:
                continue
            model, clock = peer_of(name), clock_of(run.clock)
            record["learn"][name] = nanoseconds(lambda model=model, rows=rows: quiet(lambda: model.fit(rows)), 1, clock)
            record["judge"][name] = min(
                nanoseconds(lambda model=model: model.score_samples(judged), len(judged), clock) for _ in range(2))
        found.append(record)
    return found


def large_fits(threads, sizes):
    """What large_fit prints: a record for each number of rows."""
    run = subprocess.run([str(PROGRAMS / "large_fit"), str(threads), *map(str, sizes)], capture_output=True, text=True,
                         check=False)
    if run.returncode != 0:
        raise Problem(f"large_fit ended with {run.returncode}: {run.stderr.strip()}")
    names = ("rows", "seconds", "rows_a_second", "generating", "megabytes")
    return [dict(zip(names, map(float, line.split()), strict=True)) for line in run.stdout.splitlines()[1:]]


def memory(run, sizes):
    """Peak MB of a process that fits n rows: ours reads them block by block, the peers need them all at once."""
    found = [{"detector": "ours", "n": n, "megabytes": large_fits(1, [n])[0]["megabytes"]} for n in sizes]
    for name, largest in LARGEST.items():
        for n in (n for n in sizes if n <= largest):
            run.say(f"memory of {name}, {n} rows")
            out = subprocess.run([sys.executable, __file__, name, str(n)], capture_output=True, text=True, check=True)
            found.append({"detector": name, "n": n, "megabytes": float(out.stdout)})
    return found


def peak_megabytes():
    """Of this process alone; that of resource.getrusage holds the one that started it, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


if __name__ == "__main__":
    quiet(lambda: peer_of(sys.argv[1]).fit(normals(int(sys.argv[2]), COLUMNS, 4)))
    print(peak_megabytes())
