"""docs/python.md: its blocks run as they stand there, and its pictures are there."""

import re

import pytest

from conftest import ROOT

PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
START, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
NEEDS = {"Tables": "pandas", "Pictures": "matplotlib"}


def title(section):
    return section.partition("\n")[0]


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("section", [section for section in SECTIONS if blocks(section)], ids=title)
def test_section(section, monkeypatch):
    pytest.importorskip(NEEDS.get(title(section), "numpy"))
    monkeypatch.setenv("MPLBACKEND", "Agg")
    names = {}
    for block in blocks(START) + blocks(section):
        exec(compile(block, "docs/python.md", "exec"), names)


def test_pictures_are_there_and_small():
    pictures = re.findall(r"\]\((img/[\w-]+\.png)\)", PAGE)
    assert len(pictures) >= 4
    for picture in pictures:
        assert (ROOT / "docs" / picture).stat().st_size < 100_000, picture
