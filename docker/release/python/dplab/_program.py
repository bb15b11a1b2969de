"""Finds and runs the programs of this package, and reads their answers."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import numbers
import os
import subprocess
from typing import Any, Dict, Sequence


def ask(program: str, arguments: Sequence[str], stdin: str = "") -> Dict[str, Any]:
    """Run a program and return its JSON answer.

    Raises ValueError with the program's message if it reports an error.
    """
    place = path(program)
    try:
        done = subprocess.run(
            [place, *arguments], input=stdin.encode("utf-8"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except ValueError as e:  # a character of number 0
        raise ValueError(f"a text for {program}: {e}") from None
    except OSError as e:  # such as a file that lost its mode
        raise RuntimeError(f"the program {program} cannot be run: {e}: install the wheel of dplab again") from e
    try:
        answer = json.loads(done.stdout.decode("utf-8"))
    except ValueError:
        answer = {}
    if "error" in answer:
        raise ValueError(answer["error"])
    if done.returncode != 0 or not answer:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise RuntimeError(f"{program} ended with exit code {done.returncode} and without an answer: {said}")
    finite: Dict[str, Any] = _with_infinities(answer)
    return finite


@functools.lru_cache(maxsize=None)
def path(program: str) -> str:
    """Return the path of a program of this package.

    pip lists the programs among the package's files. After that, pip install --target moves them
    into the folder bin next to this package.
    """
    names = (program, program + ".exe")
    listed = [str(f.locate()) for f in importlib.metadata.files("dplab") or () if f.name in names]
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
    for place in [*listed, *(os.path.join(folder, name) for name in names)]:
        if os.path.isfile(place):
            return os.path.realpath(place)
    raise RuntimeError(f"the program {program} is missing: install the wheel of dplab again")


def flag(keyword: str, value: Any) -> str:
    """Return the flag of a keyword and its value: target_epsilon=2 gives -target-epsilon=2.

    A list gives its values with commas between them.
    """
    return "-" + keyword.replace("_", "-") + "=" + _text(keyword, value)


def _text(keyword: str, value: Any) -> str:
    value = plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        try:
            return repr(float(value))
        except OverflowError:
            raise ValueError(f"{keyword}: is too large for a float: must be a finite number") from None
    if isinstance(value, (list, tuple)):
        return ",".join(_text(keyword, item) for item in value)
    raise TypeError(f"{keyword} is of type {type(value).__name__}: must be a number, a text, a bool, or a list of them")


def plain(value: Any) -> Any:
    """Return a value of NumPy, PyTorch or pandas as a value of Python, and any other as it is."""
    return value.tolist() if hasattr(value, "tolist") else value


def file_text(file: Any) -> str:
    """Return the contents of a JSON file, a dict, as text. Values of NumPy become Python's."""

    def default(value: Any) -> Any:
        if plain(value) is value:
            raise TypeError(f"file: {value!r} is of type {type(value).__name__}: must be a value of JSON")
        return plain(value)

    try:
        return json.dumps(file, allow_nan=False, default=default)
    except (TypeError, ValueError) as e:
        text = str(e)
        raise type(e)(text if text.startswith("file: ") else "file: " + text) from None


def _with_infinities(value: Any, key: str = "") -> Any:
    """Return an answer with float("inf") for "Infinity", which is the programs' text for it."""
    if isinstance(value, dict):
        return {k: _with_infinities(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_infinities(v, key) for v in value]
    if value in ("Infinity", "-Infinity") and key != "name":  # a name is the user's own
        return float(value)
    return value
