"""What is measured beside what. Each function returns plain numbers: nanoseconds a row in each round, and checks."""

import dataclasses
import tempfile
import warnings
from pathlib import Path

import numpy as np
import peers
from report import AS_WE_DO, Problem, clock_of, interleave, nanoseconds

CHECKED_ROWS = 1024
# Scores of two sides that compute the same: float32 against float32, relative to the largest.
AGREE = 1e-3


@dataclasses.dataclass
class Case:
    kind: str
    d: int
    r: int
    rows: int  # ours, a call
    goals: dict  # judge and learn: times scikit-learn float64, its best float32, NumPy in place
    peer_r: int = 0  # 0: as ours

    @property
    def name(self):
        kind = {"fourier": "dense", "sorf": "SORF", "nystrom": "Nystrom"}[self.kind]
        return f"d={self.d} r={self.r} {kind}"

    @property
    def bandwidth(self):
        return float(np.sqrt(self.d))


CASES = [
    Case("fourier", 10, 1024, 100_000, {"judge": (25, 5, 3), "learn": (20, 3.3, 2.2)}),
    Case("sorf", 127, 4096, 20_000, {"judge": (20, 7.5, 7), "learn": (20, 6.5, 5.5)}),
    Case("sorf", 784, 32768, 2_000, {"judge": (25, 13, 13), "learn": (20, 11, 10)}, peer_r=20_000),
    Case("nystrom", 10, 1000, 100_000, {"judge": (120, None, 3)}),
    Case("nystrom", 127, 1000, 20_000, {"judge": (18, None, 1.3)}),
]
STREAM_GOALS = {10: 550.0, 127: 3000.0, 784: 30000.0}  # nanoseconds a row, by columns


@dataclasses.dataclass
class Run:
    """What all cases share: our program, a folder for files, how long and how often."""

    ours: object
    folder: Path
    rounds: int
    seconds: float  # of one call of a peer, about
    fewest: int  # rows of such a call
    clock: str
    say: object

    def file(self, name, values, dtype=np.float32):
        path = self.folder / name
        np.ascontiguousarray(values, dtype).tofile(path)
        return path

    def timed(self, work, rows):
        """A side for interleave."""
        return lambda: nanoseconds(lambda: work(rows), len(rows), clock_of(self.clock))


def normals(n, d, seed):
    return np.random.default_rng(seed).standard_normal((n, d), dtype=np.float32)


def require_agreement(name, mine, theirs):
    """The largest difference of two sides, relative to the largest value; a Problem where they are not the same."""
    mine, theirs = np.atleast_1d(mine), np.atleast_1d(theirs)
    error = float(np.abs(mine - theirs).max() / np.abs(theirs).max())
    if not error <= AGREE:
        raise Problem(f"{name}: the two sides do not compute the same, they differ by {error:.2g} of the largest value")
    return error


# --- a map and a mean: judge and learn -------------------------------------------------------------------------------


def set_up(run, case, r, rows):
    """Our map of r features and these rows; its landmarks, if it has any."""
    landmarks = normals(r, case.d, 2) if case.kind == "nystrom" else None
    more = [run.file("landmarks", landmarks)] if landmarks is not None else []
    run.ours.ask("map", case.kind, case.d, r, case.bandwidth, *more)
    run.ours.ask("rows", run.file("rows", rows))
    return landmarks


def our_numbers(run, command, *words):
    run.ours.ask(command, *words, run.folder / "out")
    return np.fromfile(run.folder / "out", np.float64)


def random_peers(run, rows, r):
    """scikit-learn and NumPy with the frequencies of our map, judging by the mean of these rows."""
    frequencies = our_numbers(run, "frequencies").reshape(r, -1)
    phases = rows.astype(np.float64) @ frequencies.T
    cosine, sine = np.cos(phases).mean(axis=0), np.sin(phases).mean(axis=0)
    amplitude, theta = np.hypot(cosine, sine) / r, np.arctan2(sine, cosine)  # a cos p + b sin p = A cos(p - theta)
    rescaled = amplitude / np.sqrt(2 / r)  # RBFSampler multiplies its cosines by that
    return {
        "skl64": peers.Transformed(peers.rbf_sampler(frequencies, -theta, np.float64), rescaled, np.float64),
        "skl32": peers.Transformed(peers.rbf_sampler(frequencies, -theta, np.float32), rescaled, np.float32),
        "np32": peers.InPlace(np.cos, frequencies, -theta, amplitude),
    }, peers.InPlace(np.cos, frequencies, np.zeros(r), np.zeros(r))


def nystrom_peers(run, rows, landmarks, bandwidth):
    gamma = 0.5 / bandwidth**2
    alpha = our_numbers(run, "weights")
    found = {}
    for name, dtype in (("skl64", np.float64), ("skl32", np.float32)):
        model = peers.nystroem(landmarks.astype(np.float64), bandwidth, dtype)
        found[name] = peers.Transformed(model, model.transform(rows.astype(dtype)).mean(axis=0), dtype)
    offset = -gamma * (landmarks.astype(np.float64) ** 2).sum(axis=1)
    found["np32"] = peers.InPlace(np.exp, 2 * gamma * landmarks, offset, alpha, gamma)
    return found


def check(run, sides, pairs, rows):
    """How far each peer is from us, in judging; NumPy's sums of cosines and sines from ours, in learning."""
    mine = our_numbers(run, "judge", 1)
    errors = {name: require_agreement(f"judge, {name}", mine, side.judge(rows.astype(side_type(name))))
              for name, side in sides.items()}
    if pairs is not None:
        errors["np32 sums"] = require_agreement("learn, np32", our_numbers(run, "learn", 1), pairs.learn_pairs(rows))
    return errors


def side_type(name):
    return np.float64 if name == "skl64" else np.float32


def our_time(run, case, rows, verb):
    """With a new map: how its arrays lie in memory, which is luck, shall not last for all rounds. (Nystrom's has an
    eigenproblem to solve and reads its arrays in order: it stays.)"""
    if case.kind != "nystrom":
        set_up(run, case, case.r, rows)
    run.ours.time(verb, 1)
    return run.ours.time(verb, 1)


def measure_map(run, case):
    """judge and, for random maps, learn: ours and each peer; and how well they agree."""
    run.say(f"{case.name}: checking")
    r, rows = case.peer_r or case.r, normals(case.rows, case.d, 3)
    few = rows[:CHECKED_ROWS]
    landmarks = set_up(run, case, r, few)
    if case.kind == "nystrom":
        sides, pairs = nystrom_peers(run, few, landmarks, case.bandwidth), None
    else:
        sides, pairs = random_peers(run, few, r)
    result = {"case": case.name, "agree": check(run, sides, pairs, few), "goals": case.goals, "sizes": {}}
    set_up(run, case, case.r, rows)
    for verb in case.goals:
        run.say(f"{case.name}: {verb}")
        timed = {"ours": lambda verb=verb: our_time(run, case, rows, verb)}
        works = {name: (side, getattr(side, verb)) for name, side in sides.items()}
        if verb == "learn":
            works[AS_WE_DO] = (pairs, pairs.learn_pairs)
        elif case.kind == "sorf":
            structured = peers.StructuredInPlace(case.d, case.r, case.bandwidth)
            require_agreement(AS_WE_DO, structured.judge(few), structured.judge_slowly(few))
            works[AS_WE_DO] = (structured, structured.judge)
        for name, (side, work) in works.items():
            typed = rows.astype(side_type(name))
            timed[name] = run.timed(work, typed[: peers.tune(side, work, typed, run.seconds, run.fewest)])
            result["sizes"][f"{verb} {name}"] = side.sizes
        result[verb] = interleave(timed, run.rounds)
    return result


# --- one row at a time -----------------------------------------------------------------------------------------------


def stream_of_sampler(sampler, rows):
    """Similarity to the mean so far, then learn, with RBFSampler's transform of one row."""
    mean, t = np.zeros(sampler.random_weights_.shape[1]), 0
    for i in range(len(rows)):
        phi = sampler.transform(rows[i : i + 1])[0]
        phi @ mean
        t += 1
        mean += (phi - mean) / t


def stream_in_place(matrix, offset, rows):
    """The same in NumPy, in place, float32."""
    p, total = np.empty(matrix.shape[1], np.float32), np.zeros(matrix.shape[1], np.float32)
    for i in range(len(rows)):
        np.matmul(rows[i], matrix, out=p)
        np.add(p, offset, out=p)
        np.cos(p, out=p)
        float(p @ total) / max(i, 1)
        np.add(total, p, out=total)


def trees_that_know(row):
    """River's HalfSpaceTrees, grown: that happens at the first row and is not its price a row."""
    from river import anomaly

    trees = anomaly.HalfSpaceTrees(seed=0)
    trees.learn_one(row)
    return trees


def stream_of_trees(trees, rows):
    for row in rows:
        trees.score_one(row)
        trees.learn_one(row)


def features(frequencies, rows):
    """phi of each row, cosines before sines, in float64."""
    phases = rows.astype(np.float64) @ frequencies.T
    return np.hstack([np.cos(phases), np.sin(phases)])


def check_stream(run, frequencies, rows):
    """sum_t <phi(x_t), w_{t-1}> / r, slowly, against ours."""
    phi = features(frequencies, rows)
    before = np.cumsum(phi, axis=0)[:-1] / np.arange(1, len(rows))[:, None]
    slow = np.einsum("ij,ij", phi[1:], before) / len(frequencies)
    require_agreement("one row at a time", run.ours.ask("stream")["check"], slow)


def measure_stream(run, case):
    run.say(f"{case.name}: one row at a time")
    rows, r = normals(case.rows, case.d, 3), case.peer_r or case.r
    set_up(run, case, r, rows[:200])
    frequencies, offset = our_numbers(run, "frequencies").reshape(r, -1), np.zeros(r)
    check_stream(run, frequencies, rows[:200])
    set_up(run, case, case.r, rows[: max(500, case.rows // 10)])
    sampler = peers.rbf_sampler(frequencies, offset, np.float64)
    matrix, offset = np.ascontiguousarray(frequencies.T, np.float32), offset.astype(np.float32)
    few = rows[: max(20, 20_000_000 // (r * case.d))][:1000]
    few64 = few.astype(np.float64)
    records = [dict(enumerate(row.tolist())) for row in few[:500]]
    trees = trees_that_know(records[0])
    sides = {
        "ours": lambda: run.ours.time("stream"),
        "skl64": run.timed(lambda part: stream_of_sampler(sampler, part), few64[: max(20, len(few) // 4)]),
        "np32": run.timed(lambda part: stream_in_place(matrix, offset, part), few),
        "HalfSpaceTrees": run.timed(lambda part: stream_of_trees(trees, part), records),
    }
    for side in sides.values():
        side()
    return {"case": case.name, "goal": STREAM_GOALS[case.d], "stream": interleave(sides, run.rounds)}


# --- many models, many threads ---------------------------------------------------------------------------------------


def measure_tenants(run, models=1000, d=10, r=1024):
    run.say(f"{models} models")
    rows = normals(200, d, 3)
    set_up(run, Case("fourier", d, r, len(rows), {}), r, rows)
    frequencies = our_numbers(run, "frequencies").reshape(r, -1)
    matrix = np.ascontiguousarray(frequencies.T, np.float32)
    means = features(frequencies, normals(models, d, 5)).astype(np.float32)
    alike = features(frequencies, rows) @ features(frequencies, rows[:1])[0] / r  # model 0 is that of row 0
    require_agreement("many models", run.ours.ask("tenants", models)["check"], alike.sum())
    phi, out = np.empty(2 * r, np.float32), np.empty(models, np.float32)

    def numpy_side(part):
        for row in part:
            np.matmul(row, matrix, out=phi[:r])
            np.sin(phi[:r], out=phi[r:])
            np.cos(phi[:r], out=phi[:r])
            np.matmul(means, phi, out=out)

    sides = {"ours": lambda: run.ours.time("tenants", models), "np32": run.timed(numpy_side, rows)}
    for side in sides.values():
        side()
    return {"models": models, "d": d, "r": r, "bytes": means.nbytes, "tenants": interleave(sides, run.rounds)}


def measure_pool(run, case, threads):
    """Wall seconds, and seconds of the processor: what several threads cost more than one, whoever else is busy."""
    run.say(f"{case.name}: {threads} threads")
    set_up(run, case, case.r, normals(4 * case.rows, case.d, 3))
    result = {"case": case.name, "threads": threads}
    for verb in ("judge", "learn"):
        cpu = {1: [], threads: []}

        def side(t, verb=verb, cpu=cpu):
            answer = run.ours.ask(verb, t)
            cpu[t].append(answer["cpu_ns"])
            return answer["wall_ns"]

        side(threads)
        cpu[threads].clear()
        wall = interleave({t: lambda t=t: side(t) for t in cpu}, run.rounds)
        result[verb] = {"wall": list(wall.values()), "cpu": list(cpu.values())}
    return result


def quiet(work):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return work()


def temporary_folder():
    return tempfile.TemporaryDirectory(prefix="side_by_side.")
