#!/usr/bin/env python3
"""Writes the site of `make docs`: gathers its pages, then has Zensical build them, where a broken link is an error.

usage: tools/make_site.py [FOLDER]     FOLDER/site is what to open (default: build), FOLDER/pages what it was built from

Pages lie as the files of the repository do, so that links stay as they are written. A link to a file that is no page, such
as a header, leads to a page that shows it; the reference of the Python package comes from its docstrings.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROJECT = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
PACKAGE = "python/expose"
PICTURES = {".png", ".svg", ".jpg"}
LANGUAGES = {".hpp": "cpp", ".cpp": "cpp", ".py": "python", ".sh": "bash", ".cff": "yaml", ".csv": "text"}
LINK = re.compile(r"(\]\()([^)\s#]+)((?:#[^)]*)?\))")
LIST_OR_TABLE = re.compile(r"([-*] |\d+\. |\|)")
LOADED = re.compile(r'<(?:script|img|iframe)[^>]*\ssrc="(https?:[^"]*)|<link[^>]*stylesheet[^>]*href="(https?:[^"]*)')
SHOWN = 100_000  # characters of a file


class Broken(Exception):
    """What is wrong with the pages, as a sentence."""


def title_of(text, otherwise):
    found = re.search(r"^# (.*)$", text, re.MULTILINE)
    return found[1].replace("`", "") if found else otherwise


def outside_code(text):
    """The lines of a page, each with whether it stands outside of fenced code."""
    fenced = False
    for line in text.split("\n"):
        mark = line.lstrip().startswith("```")
        yield line, not fenced and not mark
        fenced ^= mark


def spaced(text):
    """With an empty line before each list and each table: Python-Markdown, unlike GitHub, sees none within a paragraph."""
    lines, before = [], ""
    for line, prose in outside_code(text):
        begins = LIST_OR_TABLE.match(line) and not LIST_OR_TABLE.match(before) and not before.startswith("  ")
        if prose and before.strip() and begins:
            lines.append("")
        lines.append(line)
        before = line
    return "\n".join(lines)


def showing(root, path):
    """A page that shows a file or lists a folder."""
    if (root / path).is_dir():
        names = sorted(found.name for found in (root / path).iterdir() if not found.name.startswith((".", "__")))
        return f"# {path}\n\nThis folder of the sources holds:\n\n" + "".join(f"- `{name}`\n" for name in names)
    text = (root / path).read_text(encoding="utf-8")
    cut = "" if len(text) <= SHOWN else "\n\nThe rest is left out: the file is long.\n"
    return f"# {path}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{text[:SHOWN].rstrip()}\n````\n{cut}"


class Pages:
    """Copies pages into a folder, and whatever they link to."""

    def __init__(self, root, folder):
        self.root, self.folder, self.done = root, folder, set()

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def add(self, path):
        """Where the file that lies at `path` in the repository is in the site."""
        shown_as = path if path.suffix in PICTURES | {".md"} else path.with_name(path.name + ".md")
        if path in self.done:
            return shown_as
        self.done.add(path)
        if path.suffix in PICTURES:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(self.root / path, self.folder / path)
        elif path.suffix == ".md":
            self.write(path, self.followed(path, spaced((self.root / path).read_text(encoding="utf-8"))))
        else:
            self.write(shown_as, showing(self.root, path))
        return shown_as

    def followed(self, page, text):
        def follow(link):
            name = link[2]
            if "://" in name or name.startswith("mailto:"):
                return link[0]
            target = (self.root / page.parent / name).resolve()
            if not target.exists() or not target.is_relative_to(self.root):
                raise Broken(f"{page} links to {name}, which is not there; mend the link")
            path = target.relative_to(self.root)
            shown_as = self.add(path)
            return link[1] + name.rstrip("/") + shown_as.name[len(path.name):] + link[3]

        return "\n".join(LINK.sub(follow, line) if prose else line for line, prose in outside_code(text))


def guides(root):
    """The pages of docs/ by their titles, in the order and the words of its list, then those that it leaves out."""
    listed = re.findall(r"\[([^]]+)\]\(([^)/#]+\.md)\)", (root / "docs/README.md").read_text(encoding="utf-8"))
    titles = {}
    for title, name in listed:
        titles.setdefault(Path("docs", name), title)
    for path in sorted((root / "docs").glob("*.md")):
        titles.setdefault(path.relative_to(root), title_of(path.read_text(encoding="utf-8"), path.stem))
    return {path: title for path, title in titles.items() if path.name != "README.md"}


def public_names(module):
    """What __all__ lists."""
    for statement in ast.parse(module.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign) and statement.targets[0].id == "__all__":
            return ast.literal_eval(statement.value)
    raise Broken(f"{module} has no __all__; list there what people may use")


def reference(pages):
    """A page for the functions of the package, one for its classes, one for each public module; as entries of the menu."""
    package = pages.root / PACKAGE
    modules = sorted(path.stem for path in package.glob("[!_]*.py"))
    names = [name for name in public_names(package / "__init__.py") if name not in modules]
    classes = [name for name in names if name[0].isupper()]
    functions = [name for name in names if not name[0].isupper()]
    whole = "options: {show_root_heading: false, show_root_toc_entry: false"
    texts = {
        "Functions": ("expose", f"# expose\n\n::: expose\n    {whole}, members: {json.dumps(functions)}}}\n"),
        "Classes": ("classes", "# Classes\n\n" + "".join(f"::: expose.{name}\n\n" for name in classes)),
    }
    for module in modules:
        texts[f"expose.{module}"] = (module, f"# expose.{module}\n\n::: expose.{module}\n    {whole}}}\n")
    menu = []
    for title, (name, text) in texts.items():
        pages.write(Path("python", f"{name}.md"), text)
        menu.append({title: f"python/{name}.md"})
    return menu


def gather(root, folder):
    """Writes all pages below a folder; the menu."""
    pages = Pages(root, folder)
    for path in [Path("README.md"), Path("docs/README.md"), *guides(root), *map(Path, PROJECT)]:
        pages.add(path)
    pages.write(Path("site.css"), (ROOT / "tools/site.css").read_text(encoding="utf-8"))
    return [
        {"Home": "README.md"},
        {"Guide": ["docs/README.md", *({title: str(path)} for path, title in guides(root).items())]},
        {"Python": reference(pages)},
        {"Project": [{name.removesuffix(".md").capitalize(): name} for name in PROJECT]},
    ]


def without_network(site):
    """Takes out what a page would load from elsewhere: the one script is there with our own in its place."""
    (site / "assets/worker.js").write_bytes((ROOT / "tools/site_worker.js").read_bytes())
    for page in site.rglob("*.html"):
        up = "../" * (len(page.relative_to(site).parts) - 1)
        text = page.read_text(encoding="utf-8").replace("https://unpkg.com/iframe-worker/shim", f"{up}assets/worker.js")
        elsewhere = LOADED.search(text)
        if elsewhere:
            raise Broken(f"{page} loads {elsewhere[1] or elsewhere[2]}; a page must do without the network")
        page.write_text(text, encoding="utf-8")


def main(folder):
    pages, site, config = folder / "pages", folder / "site", folder / "mkdocs.yml"
    shutil.rmtree(pages, ignore_errors=True)
    shutil.rmtree(site, ignore_errors=True)
    try:
        # JSON is YAML.
        settings = {"INHERIT": str(ROOT / "tools/mkdocs.yml"), "docs_dir": "pages", "site_dir": "site",
                    "nav": gather(ROOT, pages)}  # fmt: skip
        config.write_text(json.dumps(settings, indent=1), encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", config],
                              env={**os.environ, "PYTHONPATH": str(ROOT / "tools"), "NO_COLOR": "1"},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        if done.returncode:
            raise Broken(f"the pages have faults:\n{done.stdout}")
        without_network(site)
    except Broken as problem:
        sys.exit(f"tools/make_site.py: {problem}")
    print(f"make docs: open {site / 'index.html'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build").resolve())
