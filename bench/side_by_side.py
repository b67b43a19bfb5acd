#!/usr/bin/env python3
"""EXPoSE beside its peers: in one run, interleaved, best of several, one core. `make bench` runs it, too.

usage: bench/side_by_side.py [--quick] [--only A,B] [--json FILE] [--from FILE] [--markdown] [--update DOCUMENT]
                             [--plots DIR]

Ours is the library, called by the program side_by_side; only the call is timed, from memory to memory. The peers get
our frequencies and landmarks and the fastest block sizes and BLAS kernel that are found here; before anything is timed
it is checked that all sides compute the same numbers. A ratio is the best time of the peer over our best, in brackets
its lowest and highest in a single round. docs/performance.md is made of what --markdown prints: --update puts it there.
Tables come from $EXPOSE_DATA; generated ones of their shape stand in where that is not set.
"""

import argparse
import json
import os
import platform
import sys
import textwrap
from pathlib import Path

import blas
from report import (AS_WE_DO, PROGRAMS, Ours, Problem, block, count, duration, markdown, ratio, three_digits, times,
                    update)

SIDES = ("skl64", "skl32", "np32")
QUICK_CASES = (0, 1, 3)


# --- measuring -------------------------------------------------------------------------------------------------------


def processor():
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


def choose_blas(arguments):
    """Before NumPy is loaded: its BLAS on one thread, with the kernel that is fastest here, unless told otherwise."""
    os.environ.update(blas.ONE_THREAD)
    core, found = blas.best_core() if arguments.blas == "best" else (arguments.blas.removeprefix("own"), {})
    if core:
        os.environ["OPENBLAS_CORETYPE"] = core
    return found


def versions():
    import importlib.metadata

    names = ("numpy", "scikit-learn", "pyod", "river")
    return {"python": platform.python_version()} | {name: importlib.metadata.version(name) for name in names}


def sections(run, quick):
    """{what is measured: how}, in order; those that others need least come last."""
    import cases
    import detectors
    import scaling

    maps = [cases.CASES[i] for i in QUICK_CASES] if quick else cases.CASES
    random_maps = [case for case in maps if case.kind != "nystrom"]
    forest, *others = detectors.PEERS
    names = list(detectors.GOALS)[: 1 if quick else None]
    found = {
        "maps": lambda: [cases.measure_map(run, case) for case in maps],
        "stream": lambda: [cases.measure_stream(run, case) for case in random_maps],
        "tenants": lambda: cases.measure_tenants(run),
        "pool": lambda: [cases.measure_pool(run, case, 2) for case in maps],
        "detect": lambda: [detectors.measure(run, detectors.table(name), forest, run.rounds, 50_000 if quick else None)
                           | {"goal": detectors.GOALS[name]} for name in names],
        "detectors": lambda: [detectors.measure(run, detectors.table("forestcover"), name, 2, 2000 if quick else None)
                              for name in others],
        "large": lambda: scaling.large_fits(2, [10**6, 3 * 10**6] if quick else [10**6, 10**7, 10**8]),
    }
    return found if quick else found | {
        "by_d": lambda: scaling.by_size(run, [(2**k, 4096) for k in range(1, 11)]),
        "by_r": lambda: scaling.by_size(run, [(100, 2**k) for k in range(8, 16)]),
        "by_n": lambda: scaling.by_rows(run, 10**6),
        "memory": lambda: scaling.memory(run, [10**k for k in range(3, 8)]),
    }


def measure(arguments, result):
    """Adds to `result` what is asked for, and writes it as it comes."""
    kernels = choose_blas(arguments)
    import cases

    def say(text):
        if sys.stderr.isatty():
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)

    quick = arguments.quick
    with Ours(arguments.program, arguments.clock) as ours, cases.temporary_folder() as folder:
        run = cases.Run(ours, Path(folder), 3 if quick else arguments.rounds, 0.05 if quick else 0.2,
                        256 if quick else 1024, arguments.clock, say)
        result |= {"quick": quick, "rounds": run.rounds, "clock": run.clock, "processor": processor(),
                   "cores": os.cpu_count(), "blas": blas.seen(), "kernels": kernels, "versions": versions(),
                   "target": ours.ask("map", "fourier", 1, 1, 1)["target"]}
        every = sections(run, quick)
        for name in arguments.only or every:
            if name not in every:
                raise Problem(f"there is no section {name}; there are {', '.join(every)}")
            say(name)
            result[name] = every[name]()
            write_json(arguments.json, result)
        say("")


def write_json(path, result):
    if path:
        path.write_text(json.dumps(result, indent=1), encoding="utf-8")


# --- reporting: one block a table, by the names that docs/performance.md has ----------------------------------------


def about(result):
    gflops = " / ".join(f"{rate:.0f}" for rate in result["blas"]["gflops"])
    own = result["kernels"].get("", result["blas"])
    picked = "" if own["kernel"] == result["blas"]["kernel"] else (
        f" (by itself OpenBLAS picks {own['kernel']}, {' / '.join(f'{rate:.0f}' for rate in own['gflops'])})")
    lines = [
        f"Processor: {result['processor']}, {result['cores']} cores; our loops run on {result['target']}.",
        f"NumPy's BLAS: {result['blas']['library']} {result['blas']['version']}, kernel {result['blas']['kernel']}: "
        f"sgemm at {gflops} GFLOP/s for d = 10 / 127 / 784{picked}.",
        ", ".join(f"{name} {version}" for name, version in result["versions"].items()) + ".",
        f"{result['rounds']} rounds; " + ("wall time." if result["clock"] == "wall" else
                                         "processor time, since others were busy on this machine."),
    ]
    return "\n".join(textwrap.fill(f"- {line}", 120, subsequent_indent="  ") for line in lines)


def maps_block(result):
    rows = []
    for case in result["maps"]:
        for verb, goals in case["goals"].items():
            seen, cells = case[verb], []
            for side, goal in zip(SIDES, goals, strict=True):
                cells.append(times(ratio(seen[side], seen["ours"]), goal))
            same = times(ratio(seen[AS_WE_DO], seen["ours"])) if AS_WE_DO in seen else ""
            rows.append([f"{verb}, {case['case']}", count(1e9 / min(seen["ours"])), *cells, same])
    return markdown(["case", "rows/s", "times skl64", "times skl32", "times np32", f"times {AS_WE_DO}"], rows)


def peers_block(result):
    rows = []
    for case in result["maps"]:
        for verb in case["goals"]:
            cells = [f"{count(1e9 / min(case[verb][side]))}, {'x'.join(map(str, case['sizes'][f'{verb} {side}']))}"
                     for side in SIDES]
            errors = [case["agree"][side] for side in SIDES] if verb == "judge" else [case["agree"]["np32 sums"]]
            rows.append([f"{verb}, {case['case']}", *cells, " / ".join(f"{error:.0e}" for error in errors)])
    return markdown(["case", "skl64 rows/s, block", "skl32", "np32", "differ from ours by"], rows)


def stream_block(result):
    rows = []
    for case in result["stream"]:
        seen = {side: min(values) for side, values in case["stream"].items()}
        mine = duration(seen["ours"])
        mine = mine if seen["ours"] <= case["goal"] else f"**{mine}**"
        rows.append([case["case"], f"{mine}, goal {duration(case['goal'])}",
                     *(duration(seen[side]) for side in ("skl64", "np32", "HalfSpaceTrees"))])
    return markdown(["map", "ours", "RBFSampler", "NumPy float32", "River HalfSpaceTrees"], rows)


def detect_block(result):
    return markdown(["table", "rows x columns", "ours", "IsolationForest", "times", "our AUC", "its AUC"], [
        [case["table"], f"{case['rows']} x {case['columns']}", *(duration(min(case["detect"][side]) * case["rows"])
                                                                 for side in ("ours", "peer")),
         times(ratio(case["detect"]["peer"], case["detect"]["ours"]), case["goal"]),
         f"{case['auc']:.3f}", f"{case['peer_auc']:.3f}"] for case in result["detect"]])


def detectors_block(result):
    return markdown(["detector", "rows", "its rows/s", "our rows/s", "times", "its AUC", "our AUC"], [
        [case["detector"], case["rows"], *(count(1e9 / min(case["detect"][side])) for side in ("peer", "ours")),
         times(ratio(case["detect"]["peer"], case["detect"]["ours"])), f"{case['peer_auc']:.3f}", f"{case['auc']:.3f}"]
        for case in result["detectors"]])


def large_block(result):
    return markdown(["rows", "seconds", "rows/s", "of that generating", "peak memory"], [
        [f"{int(fit['rows']):,}", three_digits(fit["seconds"]), count(fit["rows_a_second"]),
         f"{100 * fit['generating'] / fit['seconds']:.0f} %", f"{fit['megabytes']:.0f} MB"] for fit in result["large"]])


def pool_block(result):
    rows = []
    for case in result["pool"]:
        for verb in ("judge", "learn"):
            one, more = case[verb]["wall"]
            cpu_one, cpu_more = (min(values) for values in case[verb]["cpu"])
            rows.append([f"{verb}, {case['case']}", times(ratio(one, more), 1.8),
                         f"{case['threads'] * cpu_one / cpu_more:.2f}"])
    return markdown(["case", "times, on two threads", "on two cores nobody else uses, at most"], rows)


def tenants_block(result):
    case = result["tenants"]
    return markdown(["", "a row against all", "read a second"], [
        [name, duration(min(case["tenants"][side])), f"{case['bytes'] / min(case['tenants'][side]):.0f} GB"]
        for name, side in ((f"ours, {case['models']} models of d={case['d']} r={case['r']}", "ours"),
                           ("NumPy float32, the same", "np32"))])


def goals(result):
    """(what, goal, seen, how far: 1 is reached) of each goal that this run has a figure for."""
    for case in result.get("maps", []):
        for verb, wanted in case["goals"].items():
            for side, goal in zip(SIDES, wanted, strict=True):
                if goal is not None:
                    seen = min(case[verb][side]) / min(case[verb]["ours"])
                    yield f"{verb}, {case['case']}, times {side}", f"{goal:g}", three_digits(seen), seen / goal
    for case in result.get("stream", []):
        seen = min(case["stream"]["ours"])
        yield f"one row, {case['case']}", duration(case["goal"]), duration(seen), case["goal"] / seen
    for case in result.get("detect", []):
        seen = min(case["detect"]["peer"]) / min(case["detect"]["ours"])
        name = f"detect {case['table']}, times IsolationForest"
        yield name, f"{case['goal']:g}", three_digits(seen), seen / case["goal"]
    for case in result.get("pool", []):
        for verb in ("judge", "learn"):
            one, more = (min(values) for values in case[verb]["wall"])
            yield f"{verb}, {case['case']}, two threads", "1.8", three_digits(one / more), one / more / 1.8


def goals_block(result):
    found = list(goals(result))
    missed = [[what, goal, seen, f"{100 * (1 - share):.0f} %"] for what, goal, seen, share in found if share < 1]
    summary = f"{len(found) - len(missed)} of {len(found)} goals are reached."
    return f"{summary}\n\n{markdown(['missed', 'goal', 'seen', 'short by'], missed)}" if missed else summary


# Each with the section of the run that it needs.
BLOCKS = {"about": ("blas", about), "maps": ("maps", maps_block), "peers": ("maps", peers_block),
          "stream": ("stream", stream_block), "detect": ("detect", detect_block),
          "detectors": ("detectors", detectors_block), "large": ("large", large_block), "pool": ("pool", pool_block),
          "tenants": ("tenants", tenants_block), "goals": ("maps", goals_block)}


# --- the command -----------------------------------------------------------------------------------------------------


def parse(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="under a minute: fewer cases, rounds and rows")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--clock", choices=("wall", "cpu"), default="wall",
                        help="cpu: processor time, for a machine that others use (default: wall)")
    parser.add_argument("--blas", default="best",
                        help="best: try OpenBLAS' kernels; own: what it picks; or the name of one (default: best)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all that was measured")
    parser.add_argument("--only", type=lambda text: text.split(","), metavar="A,B", help="measure these sections alone")
    parser.add_argument("--from", type=Path, metavar="FILE", dest="earlier",
                        help="report what such a JSON holds; with --only those sections anew")
    parser.add_argument("--markdown", action="store_true", help="print the blocks with their names")
    parser.add_argument("--update", type=Path, metavar="DOCUMENT", help="put the blocks in their places")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw DIR/performance-*.png")
    parser.add_argument("--program", type=Path, default=PROGRAMS / "side_by_side")
    arguments = parser.parse_args(words)
    if arguments.quick and arguments.plots:
        parser.error("--quick measures no lines to plot")
    return arguments


def main(words=None):
    arguments = parse(words)
    result = json.loads(arguments.earlier.read_text(encoding="utf-8")) if arguments.earlier else {}
    if arguments.only or not arguments.earlier:
        measure(arguments, result)
    blocks = {name: make(result) for name, (section, make) in BLOCKS.items() if section in result}
    for name, text in blocks.items():
        print(block(name, text) if arguments.markdown else text, end="\n\n")
    if arguments.update:
        document = arguments.update.read_text(encoding="utf-8")
        arguments.update.write_text(update(document, blocks), encoding="utf-8")
    if arguments.plots:
        import plots

        plots.draw(result, arguments.plots)


if __name__ == "__main__":
    try:
        main()
    except Problem as problem:
        sys.exit(f"side_by_side.py: {problem}")
