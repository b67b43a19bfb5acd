#!/usr/bin/env python3
"""Reads the include lines of the tree and fails on one that the layering forbids. There is no list of exceptions.

usage: tools/layering.py [root of the repository]

A room takes what the rooms on its left give and knows nothing of those on its right:
base <- simd <- encode, scale, map <- mean <- score <- calibrate, drift, explain <- detector <- io <- cli, python
"""

import re
import sys
from pathlib import Path

# Each room and the other rooms it may include.
CORE = ["base", "simd", "encode", "scale", "map", "mean", "score", "calibrate", "drift", "explain"]
ROOMS = {
    "base": [],
    "simd": ["base"],
    "encode": ["base", "simd"],
    "scale": ["base", "simd"],
    "map": ["base", "simd"],
    "mean": ["base", "simd", "map"],
    "score": ["base", "simd", "map", "mean"],
    "calibrate": ["base"],
    "drift": ["base", "simd", "map", "mean", "score"],
    "explain": ["base", "simd", "map", "mean", "score"],
    "detector": CORE,
    "io": [*CORE, "detector"],
    "cli": [*CORE, "detector", "io"],
    "python": [*CORE, "detector", "io"],
}
OUTSIDE = ["io", "cli", "python"]  # rooms beside expose/, not in it

# What the rooms between map and detector may know of map: the interface, never a concrete map.
MAP_INTERFACE = ["expose/map/feature_map.hpp", "expose/map/kernel.hpp"]
INTERFACE_ONLY = ["mean", "score", "drift", "explain"]

UMBRELLA = "expose/expose.hpp"

STANDARD = set(
    """
    algorithm any array atomic barrier bit bitset charconv chrono codecvt compare complex concepts condition_variable
    coroutine deque exception execution filesystem format forward_list fstream functional future initializer_list
    iomanip ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex new numbers
    numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore set shared_mutex
    source_location span sstream stack stdexcept stop_token streambuf string string_view syncstream system_error
    thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant vector version
    cassert cctype cerrno cfenv cfloat cinttypes climits clocale cmath csetjmp csignal cstdarg cstddef cstdint cstdio
    cstdlib cstring ctime cuchar cwchar cwctype
    """.split()
)

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)
SUFFIXES = {".hpp", ".h", ".cpp", ".cc", ".cu"}


def room_of(path):
    """The room of a path from the root of the repository, or None where there is no such room."""
    parts = path.split("/")
    if parts[0] in OUTSIDE:
        return parts[0]
    if parts[0] == "expose" and len(parts) > 2 and parts[1] in ROOMS and parts[1] not in OUTSIDE:
        return parts[1]
    return None


def is_source(path):
    """Whether third-party headers may stand here. The *-inl.hpp of simd and python are included by their .cpp alone."""
    return path.endswith((".cpp", ".cc", ".cu")) or (room_of(path) in ["simd", "python"] and path.endswith("-inl.hpp"))


def complaint(path, include, root):
    """Why `path` may not include `include`, or None if it may."""
    if include in STANDARD:
        return None
    if include.split("/")[0] not in ["expose", *OUTSIDE]:
        if (root / path).parent.joinpath(include).exists():
            return "write our own headers as seen from the root of the repository"
        return None if is_source(path) else "third-party headers stay in .cpp files"
    if path == UMBRELLA:
        return None
    room = room_of(path)
    if include == UMBRELLA:
        return None if room in OUTSIDE else "the rooms of expose/ include what they use, not everything"
    other = room_of(include)
    if other is None:
        return "there is no such room"
    if other != room and other not in ROOMS[room]:
        return f"{room} may not know {other}"
    if other == "map" and room in INTERFACE_ONLY and include not in MAP_INTERFACE:
        return f"{room} knows the interface of map ({', '.join(MAP_INTERFACE)}), not the concrete maps"
    return None


def violations(root):
    """Every violation in the tree under `root`, as a sentence."""
    found = []
    for top in ["expose", *OUTSIDE]:
        for file in sorted((root / top).rglob("*")):
            if file.suffix not in SUFFIXES:
                continue
            path = file.relative_to(root).as_posix()
            if path != UMBRELLA and room_of(path) is None:
                found.append(f"{path}: stands in no room")
                continue
            text = file.read_text(encoding="utf-8")
            for match in INCLUDE.finditer(text):
                include = match[1] or match[2]
                why = complaint(path, include, root)
                if why:
                    line = text.count("\n", 0, match.start()) + 1
                    found.append(f"{path}:{line}: includes {include}: {why}")
    return found


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    if not (root / "expose").is_dir():
        sys.exit(f"layering: {root} has no folder expose/")
    found = violations(root)
    for sentence in found:
        print(sentence, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
