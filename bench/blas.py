"""Which BLAS NumPy runs, and how fast: one line of JSON. side_by_side.py calls it with several OPENBLAS_CORETYPEs:
OpenBLAS does not always pick the best kernel for a CPU, and a slow one would flatter us."""

import json
import os
import subprocess
import sys
import time

SHAPES = ((256, 10, 1024), (512, 127, 512), (512, 784, 512))  # rows, columns, features: those of the cases
CORES = ("", "Haswell", "Zen", "SkylakeX", "SapphireRapids")  # "": what OpenBLAS picks
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def rates():
    """GFLOP/s of sgemm for each shape, on one core: best of several."""
    import numpy as np

    found = []
    for n, d, r in SHAPES:
        x, w, p = np.ones((n, d), np.float32), np.ones((d, r), np.float32), np.empty((n, r), np.float32)
        best = float("inf")
        for _ in range(12):
            start = time.process_time()
            for _ in range(10):
                np.matmul(x, w, out=p)
            best = min(best, (time.process_time() - start) / 10)
        found.append(2 * n * d * r / best / 1e9)
    return found


def seen():
    import numpy  # noqa: F401 - what threadpoolctl looks at
    import threadpoolctl

    libraries = [info for info in threadpoolctl.threadpool_info() if info["user_api"] == "blas"]
    libraries.sort(key=lambda info: "numpy" not in info["filepath"])  # SciPy brings another, which is not timed here
    first = libraries[0] if libraries else {}
    return {"library": first.get("internal_api", "unknown"), "version": first.get("version") or "",
            "kernel": first.get("architecture", "unknown"), "gflops": rates()}


def best_core():
    """(the OPENBLAS_CORETYPE that is fastest here, what each of them gave)"""
    found = {}
    for core in CORES:
        environment = os.environ | ONE_THREAD | ({"OPENBLAS_CORETYPE": core} if core else {})
        run = subprocess.run([sys.executable, __file__], env=environment, capture_output=True, text=True, check=False)
        if run.returncode == 0:
            found[core] = json.loads(run.stdout)
    by_time = {core: sum(1 / rate for rate in info["gflops"]) for core, info in found.items()}
    best = min(by_time, key=by_time.get)
    if by_time[best] > 0.97 * by_time.get("", float("inf")):
        best = ""  # no better than by chance
    return best, found


if __name__ == "__main__":
    os.environ.update(ONE_THREAD)
    print(json.dumps(seen()))
