#!/usr/bin/env python3
"""Opens a report in a browser without a window and looks whether it shows what it should.

usage: tests/cli/report_in_browser_test.py EXPOSE CHROMIUM

EXPOSE is the command `expose`, CHROMIUM a Chromium or Chrome. The page must load and run nothing, complain about
nothing, draw everything in a visible size, fit a small screen, and look different in light and dark.
"""

import json
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib
from html import unescape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy"[^>]*>')
# Runs in a copy of the page that is allowed to: the page itself forbids it.
MEASURE = """<script>
addEventListener("load", () => {
const box = e => { const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; };
const all = (s, f) => [...document.querySelectorAll(s)].map(f);
document.body.dataset.seen = JSON.stringify({
  screen: [innerWidth, document.documentElement.scrollWidth],
  drawings: all("figure > svg", box), bars: all("rect.bar", box), fills: all(".fill", box),
  circles: all("#picture circle", box), cells: all(".rows td.number", box),
  texts: all("figure > svg text", e => ({box: box(e), drawing: box(e.ownerSVGElement), text: e.textContent,
      size: parseFloat(getComputedStyle(e).fontSize) * e.getScreenCTM().a})),
  ink: getComputedStyle(document.body).color, paper: getComputedStyle(document.documentElement).backgroundColor,
  loads: performance.getEntriesByType("resource").map(e => e.name)});
});
</script></body>"""
DARK, LIGHT = 0, 1


def browse(path, *options, width=1100, height=2400, scheme=LIGHT):
    """What Chromium writes to standard output and standard error for a page."""
    with tempfile.TemporaryDirectory() as home:
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                   "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic",
                   "--disable-extensions", "--disable-default-apps", "--host-resolver-rules=MAP * ~NOTFOUND",
                   "--enable-logging=stderr", f"--user-data-dir={home}", f"--window-size={width},{height}",
                   f"--blink-settings=preferredColorScheme={scheme}", *options, path.as_uri()]
        done = subprocess.run(command, capture_output=True, timeout=120, check=True)
    return done.stdout.decode(), done.stderr.decode(errors="replace")


def pixels(png):
    """Width, height and the rows of a PNG of 8 bits a channel, as bytes of 3 or 4 a pixel."""
    data, at, packed = png.read_bytes(), 8, b""
    while at < len(data):
        (size,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        content = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", content[:10])
        elif kind == b"IDAT":
            packed += content
        at += 12 + size
    assert depth == 8 and colour in (2, 6), (depth, colour)
    step = 3 if colour == 2 else 4
    raw, stride, rows, above = zlib.decompress(packed), step * width, [], bytearray(step * width)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for x in range(stride) if kind else ():
            a, b, c = (row[x - step], above[x], above[x - step]) if x >= step else (0, above[x], 0)
            if kind == 1:
                guess = a
            elif kind == 2:
                guess = b
            elif kind == 3:
                guess = (a + b) // 2
            else:
                guess = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            row[x] = (row[x] + guess) & 255
        rows.append(bytes(row))
        above = row
    return width, height, step, rows


def colours(png):
    """How many pixels have each colour, of every second row and column."""
    width, _, step, rows = pixels(png)
    counts = {}
    for row in rows[::2]:
        for x in range(0, width, 2):
            colour = row[x * step : x * step + 3]
            counts[colour] = counts.get(colour, 0) + 1
    return counts


class ReportInBrowser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.page = Path(cls.folder.name) / "report.html"
        data = ROOT / "examples" / "breastw.csv"
        subprocess.run([EXPOSE, "report", data, "--label", "label", "-o", cls.page], check=True, timeout=120)
        cls.html = cls.page.read_text(encoding="utf-8")

    def measure(self, more="", **options):
        """What the page looks like from inside; `more` is HTML for its end."""
        copy = self.page.with_name("measured.html")
        html, policies = POLICY.subn("", self.html)
        self.assertEqual(policies, 1)
        copy.write_text(html.replace("</body>", more + MEASURE), encoding="utf-8")
        dom, _ = browse(copy, "--dump-dom", "--virtual-time-budget=2000", **options)
        seen = re.search(r'data-seen="([^"]*)"', dom)
        self.assertIsNotNone(seen, "the page did not come as far as its end")
        return json.loads(unescape(seen.group(1)))

    def test_nothing_is_loaded_run_or_complained_about(self):
        dom, messages = browse(self.page, "--dump-dom")
        self.assertIn("breastw.csv</h1>", dom)
        self.assertEqual([line for line in messages.splitlines() if "CONSOLE" in line], [])
        self.assertEqual(self.measure()["loads"], [])
        self.assertIsNone(re.search(r"<(script|link|img|iframe|object|embed)\b", self.html))
        self.assertIsNone(re.search(r"https?://", self.html))

    # Else the test before would say nothing.
    def test_what_is_loaded_run_or_complained_about_is_seen(self):
        image = '<img src="http://nowhere.invalid/a.png">'
        self.assertEqual(self.measure(more=image)["loads"], ["http://nowhere.invalid/a.png"])
        copy = self.page.with_name("hostile.html")
        script = "<script>document.title = 'ran'</script>"
        copy.write_text(self.html.replace("</body>", image + script + "</body>"), encoding="utf-8")
        dom, messages = browse(copy, "--dump-dom")
        self.assertNotIn("<title>ran", dom)
        self.assertIn("Content Security Policy", "".join(line for line in messages.splitlines() if "CONSOLE" in line))

    def test_drawings_are_there(self):
        seen = self.measure()
        self.assertGreaterEqual(len(seen["drawings"]), 2)  # similarities and picture
        for _, _, width, height in seen["drawings"]:
            self.assertGreater(width, 500)
            self.assertGreater(height, 150)
        self.assertGreater(len(seen["bars"]), 5)
        self.assertGreater(len(seen["circles"]), 300)
        self.assertGreater(len(seen["fills"]), 10)
        for kind in ("bars", "circles", "fills"):
            for box in seen[kind]:
                self.assertGreater(min(box[2:]), 0, (kind, box))
        places = {tuple(round(x) for x in box[:2]) for box in seen["circles"]}
        self.assertGreater(len(places), 100)

    def test_it_fits_wide_and_narrow_screens(self):
        for width in (1400, 700, 480):
            seen = self.measure(width=width)
            inner, needed = seen["screen"]
            self.assertLessEqual(needed, inner, width)
            for text in seen["texts"]:
                left, _, wide, _ = text["box"]
                drawing = text["drawing"]
                self.assertGreaterEqual(text["size"], 9, text)
                self.assertGreaterEqual(left, drawing[0] - 12, text)
                self.assertLessEqual(left + wide, drawing[0] + drawing[2] + 16, text)
            for first in seen["cells"]:
                self.assertLessEqual(first[0] + first[2], inner)
            for a, b in zip(seen["cells"], seen["cells"][1:]):
                apart = a[0] + a[2] <= b[0] + 1 or a[1] + a[3] <= b[1] + 1
                self.assertTrue(apart, (width, a, b))

    def test_light_and_dark(self):
        shots = {}
        for scheme in (LIGHT, DARK):
            png = self.page.with_name(f"{scheme}.png")
            browse(self.page, f"--screenshot={png}", width=900, height=1200, scheme=scheme)
            shots[scheme] = colours(png)
            common = max(shots[scheme].values()) / sum(shots[scheme].values())
            self.assertLess(common, 0.98, "a blank page")
            self.assertGreater(common, 0.3, "no background")
            self.assertGreater(len(shots[scheme]), 20)
        paper = {scheme: max(shot, key=shot.get) for scheme, shot in shots.items()}
        self.assertGreater(min(paper[LIGHT]), 200)
        self.assertLess(max(paper[DARK]), 60)
        for scheme in (LIGHT, DARK):
            seen = self.measure(scheme=scheme)
            ink, ground = (tuple(map(int, re.findall(r"\d+", seen[key])[:3])) for key in ("ink", "paper"))
            self.assertGreater(contrast(ink, ground), 7)


def contrast(one, other):
    """The contrast of two colours as WCAG 2 defines it."""

    def lightness(colour):
        parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((lightness(one), lightness(other)))
    return (high + 0.05) / (low + 0.05)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    EXPOSE, CHROMIUM = sys.argv[1:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
