"""What the documents show is true: their C++ is a program that the tests build, their links lead somewhere."""

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")])


class Documents(unittest.TestCase):
    def test_the_front_page_shows_the_quickstart(self):
        shown = re.findall(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
        self.assertEqual(shown, [(ROOT / "examples" / "quickstart.cpp").read_text(encoding="utf-8")])

    def test_links_lead_somewhere(self):
        for document in DOCUMENTS:
            for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text(encoding="utf-8")):
                if "://" not in link:
                    self.assertTrue((document.parent / link).exists(), f"{document.name} links to {link}")


if __name__ == "__main__":
    unittest.main()
