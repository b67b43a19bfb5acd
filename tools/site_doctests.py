"""An extension of Griffe for tools/make_site.py: the examples of a docstring (>>> lines and what they print, up to an empty line)
are shown as code, wherever they stand."""

import re

import griffe

EXAMPLE = re.compile(r"^( *)(>>> .*(?:\n(?! *$).+)*)", re.MULTILINE)


def fenced(text):
    return EXAMPLE.sub(lambda found: f"{found[1]}```pycon\n{found[0]}\n{found[1]}```", text)


class Doctests(griffe.Extension):
    def on_object(self, *, obj, **_):
        if obj.docstring and "```" not in obj.docstring.value:
            obj.docstring.value = fenced(obj.docstring.value)

    def on_package(self, *, pkg, **_):
        self.on_object(obj=pkg)
