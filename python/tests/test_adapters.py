"""The adapters are there only where their library is, and `import expose` brings none of them along."""

import subprocess
import sys

import pytest

LIBRARIES = {"sklearn": "scikit-learn", "pyod": "PyOD", "river": "River"}


def run(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)


def test_import_expose_imports_none_of_them():
    found = run("import sys, expose; print(sorted({name.partition('.')[0] for name in sys.modules}))")
    assert found.returncode == 0, found.stderr
    for name in (*LIBRARIES, "joblib", "pandas", "polars", "pyarrow", "scipy", "matplotlib"):
        assert f"'{name}'" not in found.stdout


@pytest.mark.parametrize("name", LIBRARIES)
def test_a_missing_library_is_named(name):
    found = run(f"import sys; sys.modules[{name!r}] = None\nimport expose.{name}")
    assert found.returncode != 0
    last = found.stderr.strip().splitlines()[-1]
    assert last.startswith(f"ImportError: expose.{name} needs {LIBRARIES[name]}") and f"expose[{name}]" in last
