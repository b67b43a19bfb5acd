"""docs/coming-from.md: its blocks run as they stand there."""

import pathlib
import re

import pytest

PAGE = (pathlib.Path(__file__).parents[2] / "docs" / "coming-from.md").read_text(encoding="utf-8")
START, *SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)
NEEDS = {"IsolationForest": "sklearn", "PyOD": "pyod", "River": "river"}


def blocks(text):
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: re.match(r"\w+", section)[0])
def test_section(section):
    pytest.importorskip(NEEDS[re.match(r"\w+", section)[0]])
    names = {}
    assert len(blocks(section)) >= 3
    for block in blocks(START) + blocks(section):
        exec(compile(block, "docs/coming-from.md", "exec"), names)
