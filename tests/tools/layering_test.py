"""tools/layering.py catches each kind of forbidden include and lets a clean tree pass."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))
sys.dont_write_bytecode = True

import layering  # noqa: E402


def plant(root, files):
    """Makes a tree of {path: text}."""
    (root / "expose").mkdir()
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")


def check(files):
    """What the script has to say about a tree of {path: text}."""
    with tempfile.TemporaryDirectory() as folder:
        plant(Path(folder), files)
        return layering.violations(Path(folder))


class Layering(unittest.TestCase):
    def allowed(self, path, *includes):
        self.assertEqual(check({path: "".join(f"#include {i}\n" for i in includes)}), [])

    def forbidden(self, path, include, why):
        said = check({path: f"#pragma once\n\n#include {include}\n"})
        self.assertEqual(len(said), 1, f"{path} may include {include}")
        self.assertTrue(said[0].startswith(f"{path}:3: includes {include[1:-1]}: "), said[0])
        self.assertIn(why, said[0])

    def test_a_clean_tree_passes(self):
        said = check(
            {
                "expose/expose.hpp": '#include "expose/base/rows.hpp"\n#include "expose/map/nystrom.hpp"\n',
                "expose/base/rows.hpp": "#include <span>\n#include <vector>\n",
                "expose/simd/kernels.cpp": '#include "expose/base/rows.hpp"\n#include <hwy/highway.h>\n',
                "expose/simd/math-inl.hpp": "#include <hwy/highway.h>\n",
                "expose/map/nystrom.hpp": '#include "expose/map/feature_map.hpp"\n',
                "expose/map/nystrom.cpp": '#include "expose/simd/kernels.hpp"\n#include <Eigen/Eigenvalues>\n',
                "expose/mean/mean_map.hpp": '#include "expose/map/feature_map.hpp"\n#include <cstdint>\n',
                "expose/score/score.cpp": '#include "expose/mean/mean_map.hpp"\n#include "expose/map/kernel.hpp"\n',
                "expose/detector/fit.cpp": '#include "expose/scale/scaler.hpp"\n#include "expose/map/nystrom.hpp"\n',
                "cli/fit.cpp": '#include "expose/expose.hpp"\n#include "io/csv.hpp"\n#include <CLI/CLI.hpp>\n',
                "tests/map/map_test.cpp": '#include "expose/detector/fit.hpp"\n',
            }
        )
        self.assertEqual(said, [])

    def test_a_room_does_not_know_those_on_its_right(self):
        order = ["base", "simd", "map", "mean", "score", "drift", "detector"]
        for i, room in enumerate(order):
            for other in order[i + 1 :]:
                self.forbidden(f"expose/{room}/a.cpp", f'"expose/{other}/b.hpp"', f"{room} may not know {other}")
        self.forbidden("expose/detector/a.cpp", '"io/b.hpp"', "detector may not know io")
        self.forbidden("io/a.cpp", '"cli/b.hpp"', "io may not know cli")
        self.forbidden("cli/a.cpp", '"python/b.hpp"', "cli may not know python")

    def test_encode_scale_and_map_do_not_know_each_other(self):
        for room in ["encode", "scale", "map"]:
            for other in {"encode", "scale", "map"} - {room}:
                self.forbidden(f"expose/{room}/a.cpp", f'"expose/{other}/b.hpp"', f"{room} may not know {other}")

    def test_only_detector_sees_scale_and_encode(self):
        for room in ["mean", "score", "calibrate", "drift", "explain"]:
            self.forbidden(f"expose/{room}/a.cpp", '"expose/scale/b.hpp"', f"{room} may not know scale")
            self.forbidden(f"expose/{room}/a.cpp", '"expose/encode/b.hpp"', f"{room} may not know encode")
        self.allowed("expose/detector/a.cpp", '"expose/scale/b.hpp"', '"expose/encode/b.hpp"')

    def test_calibrate_sees_only_numbers(self):
        for other in ["simd", "map", "mean", "score", "drift", "explain"]:
            self.forbidden("expose/calibrate/a.cpp", f'"expose/{other}/b.hpp"', f"calibrate may not know {other}")
        self.allowed("expose/calibrate/a.cpp", '"expose/base/error.hpp"', "<vector>")

    def test_mean_and_score_know_the_interface_of_map_alone(self):
        for room in ["mean", "score", "drift", "explain"]:
            self.allowed(f"expose/{room}/a.cpp", '"expose/map/feature_map.hpp"', '"expose/map/kernel.hpp"')
            self.forbidden(f"expose/{room}/a.cpp", '"expose/map/nystrom.hpp"', "not the concrete maps")

    def test_third_party_headers_stay_in_sources(self):
        for header in ["<hwy/highway.h>", "<Eigen/Dense>", "<xxhash.h>", "<gtest/gtest.h>", "<unistd.h>", '"hwy/base.h"']:
            self.forbidden("expose/map/a.hpp", header, "third-party")
            self.allowed("expose/map/a.cpp", header)
        self.allowed("expose/simd/a-inl.hpp", "<hwy/highway.h>")
        self.forbidden("expose/simd/a.hpp", "<hwy/highway.h>", "third-party")
        self.forbidden("expose/map/a-inl.hpp", "<hwy/highway.h>", "third-party")
        self.forbidden("expose/expose.hpp", "<Eigen/Dense>", "third-party")

    def test_the_umbrella_is_for_users(self):
        self.forbidden("expose/mean/a.cpp", '"expose/expose.hpp"', "not everything")
        self.forbidden("expose/mean/a.cpp", "<expose/expose.hpp>", "not everything")
        self.allowed("python/a.cpp", '"expose/expose.hpp"')

    def test_angle_brackets_and_spaces_hide_nothing(self):
        self.forbidden("expose/base/a.hpp", "<expose/map/b.hpp>", "base may not know map")
        self.assertEqual(len(check({"expose/base/a.hpp": '  #  include  "expose/map/b.hpp"\n'})), 1)

    def test_rooms_must_be_known(self):
        self.assertEqual(check({"expose/attic/a.cpp": ""}), ["expose/attic/a.cpp: stands in no room"])
        self.assertEqual(check({"expose/a.cpp": ""}), ["expose/a.cpp: stands in no room"])
        self.forbidden("expose/map/a.cpp", '"expose/attic/b.hpp"', "no such room")

    def test_our_headers_are_named_from_the_root(self):
        said = check({"expose/map/a.cpp": '#include "b.hpp"\n', "expose/map/b.hpp": ""})
        self.assertEqual(len(said), 1)
        self.assertIn("expose/map/a.cpp:1: includes b.hpp: write our own headers as seen from the root", said[0])

    def test_the_exit_code_tells(self):
        for text, code in [("#include <vector>\n", 0), ("#include <Eigen/Dense>\n", 1)]:
            with tempfile.TemporaryDirectory() as folder:
                plant(Path(folder), {"expose/base/a.hpp": text})
                run = subprocess.run(
                    [sys.executable, TOOLS / "layering.py", folder], capture_output=True, text=True, check=False
                )
                self.assertEqual(run.returncode, code)
                self.assertEqual("expose/base/a.hpp:1: includes Eigen/Dense" in run.stderr, code == 1)


if __name__ == "__main__":
    unittest.main()
