"""tools/make_site.py follows links, shows what is no page, and stops at a link that leads nowhere."""

import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.append(str(TOOLS))
sys.dont_write_bytecode = True

import make_site  # noqa: E402


class Pages(unittest.TestCase):
    def setUp(self):
        room = tempfile.TemporaryDirectory()
        self.addCleanup(room.cleanup)
        self.root, self.site = Path(room.name).resolve() / "root", Path(room.name).resolve() / "site"
        (self.root / "docs/img").mkdir(parents=True)

    def page(self, text):
        (self.root / "docs/a.md").write_text(text, encoding="utf-8")
        make_site.Pages(self.root, self.site).add(Path("docs/a.md"))
        return (self.site / "docs/a.md").read_text(encoding="utf-8")

    def test_a_link_to_a_page_stays_and_the_page_comes_along(self):
        (self.root / "README.md").write_text("# Front\n\n[back](docs/a.md#top)\n", encoding="utf-8")
        self.assertEqual(self.page("[front](../README.md)"), "[front](../README.md)")
        self.assertIn("# Front", (self.site / "README.md").read_text(encoding="utf-8"))

    def test_a_link_to_a_source_leads_to_a_page_that_shows_it(self):
        (self.root / "a.hpp").write_text("int a();\n", encoding="utf-8")
        self.assertEqual(self.page("[header](../a.hpp#L1)"), "[header](../a.hpp.md#L1)")
        self.assertIn("````cpp\nint a();\n````", (self.site / "a.hpp.md").read_text(encoding="utf-8"))

    def test_a_link_to_a_folder_leads_to_a_list(self):
        (self.root / "golden").mkdir()
        (self.root / "golden/model.expose").write_bytes(b"\xff\x00")
        self.assertEqual(self.page("[files](../golden/)"), "[files](../golden.md)")
        self.assertIn("`model.expose`", (self.site / "golden.md").read_text(encoding="utf-8"))

    def test_a_picture_is_copied(self):
        (self.root / "docs/img/p.png").write_bytes(b"picture")
        self.assertEqual(self.page("![p](img/p.png)"), "![p](img/p.png)")
        self.assertEqual((self.site / "docs/img/p.png").read_bytes(), b"picture")

    def test_a_link_that_leads_nowhere_is_named(self):
        for text in ("[gone](gone.md)", "[outside](../../../etc)"):
            with self.assertRaisesRegex(make_site.Broken, "docs/a.md links to .*mend the link"):
                self.page(text)

    def test_addresses_and_code_are_left_alone(self):
        text = "[out](https://example.org/x.md)\n\n```md\n[not a link](nowhere.md)\n- not a list\n```"
        self.assertEqual(self.page(text), text)

    def test_lists_and_tables_get_their_empty_line(self):
        self.assertEqual(self.page("so:\n- a\n  more\n- b\nand\n| t |\n|---|"), "so:\n\n- a\n  more\n- b\nand\n\n| t |\n|---|")

    def test_the_menu_follows_the_list_of_the_book(self):
        for name in ("z.md", "b.md", "left-out.md"):
            (self.root / "docs" / name).write_text(f"# Long title of {name}\n", encoding="utf-8")
        (self.root / "docs/README.md").write_text("- [Zett](z.md): last\n- [Bee](b.md), see [z](z.md)\n", encoding="utf-8")
        self.assertEqual([(str(path), title) for path, title in make_site.guides(self.root).items()],
                         [("docs/z.md", "Zett"), ("docs/b.md", "Bee"), ("docs/left-out.md", "Long title of left-out.md")])


if __name__ == "__main__":
    unittest.main()
