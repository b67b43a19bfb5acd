"""docs/model-format.md is enough to read a model file: the golden one, taken apart without the library."""

import json
import struct
import unittest
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "model_v1.expose"


class ModelFile(unittest.TestCase):
    def setUp(self):
        self.bytes = GOLDEN.read_bytes()
        self.magic, self.version, self.kind, header, self.body = struct.unpack_from("<8sIBQQ", self.bytes)
        start = struct.calcsize("<8sIBQQ")
        self.end = start + header
        self.header = json.loads(self.bytes[start : self.end].decode("utf-8"))

    def test_frame(self):
        self.assertEqual((self.magic, self.version, self.kind), (b"EXPOSE\r\n", 1, 1))
        self.assertEqual(len(self.bytes), self.end + self.body + 8)

    def test_header_is_json_and_describes_the_body(self):
        self.assertEqual(self.header["kind"], "detector")
        self.assertEqual(self.header["plan"]["kept_columns"], [0, 2])
        sections = self.header["bytes"]
        self.assertEqual(list(sections), ["plan", "mean", "turned_away", "calibration", "frequent", "threshold"])
        self.assertEqual(sum(sections.values()), self.body)

    def test_fingerprint_opens_the_body(self):
        (fingerprint,) = struct.unpack_from("<Q", self.bytes, self.end)
        self.assertEqual(f"{fingerprint:016x}", self.header["plan"]["fingerprint"])

    def test_mean_has_its_weight_and_sums(self):
        at = self.end + self.header["bytes"]["plan"]
        weight, units, count = struct.unpack_from("<qqQ", self.bytes, at)
        self.assertEqual(weight / units + self.header["turned_away"], self.header["weight"])
        self.assertEqual(count, self.header["plan"]["r"])
        self.assertEqual(24 + 8 * count, self.header["bytes"]["mean"])


if __name__ == "__main__":
    unittest.main()
