"""Finds and runs the programs of this package, and reads their answers."""

from __future__ import annotations

import functools
import importlib.metadata
import json
import numbers
import os
import platform
import re
import subprocess
import warnings
from typing import Any, Dict, Sequence, Set

KEYWORDS: Set[str] = set()
"""The keywords of all functions."""


def ask(program: str, arguments: Sequence[str], stdin: str = "") -> Dict[str, Any]:
    """Run a program and return its JSON answer.

    Raises ValueError with the program's message if it reports an error. Flags in the message become
    keywords. A note next to an answer becomes a warning.
    """
    place = path(program)
    try:
        done = subprocess.run(
            [place, *arguments], input=stdin.encode("utf-8"), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except ValueError as e:  # a character of number 0
        raise ValueError(f"a text for {program}: {e}") from None
    except OSError as e:  # such as a file that lost its mode, or a program for another system
        raise RuntimeError(
            f"the program {program} cannot be run: {e}: this package is for {_tags()}, and this system is"
            f" {platform.system()} on {platform.machine()}: install the wheel of dpcost for this system again"
        ) from e
    try:
        answer = json.loads(done.stdout.decode("utf-8"))
    except ValueError:
        answer = {}
    if "error" in answer:
        raise ValueError(_as_keywords(answer["error"]))
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode != 0 or not answer:
        raise RuntimeError(f"{program} ended with exit code {done.returncode} and without an answer: {said}")
    if said.startswith(f"{program}: note: "):
        warnings.warn(said, stacklevel=5)  # the caller of the function that asks
    finite: Dict[str, Any] = _with_infinities(answer)
    return finite


@functools.lru_cache(maxsize=None)
def path(program: str) -> str:
    """Return the path of a program of this package.

    pip lists the programs among the package's files. After that, pip install --target moves them
    into the folder bin next to this package.
    """
    names = (program, program + ".exe")
    try:
        listed = [str(f.locate()) for f in importlib.metadata.files("dpcost") or () if f.name in names]
    except importlib.metadata.PackageNotFoundError:  # a copy of the folder, without the rest of the wheel
        listed = []
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bin")
    for place in [*listed, *(os.path.join(folder, name) for name in names)]:
        if os.path.isfile(place):
            return os.path.realpath(place)
    raise RuntimeError(f"the program {program} is missing: install the wheel of dpcost again")


def _tags() -> str:
    """Return the systems that the wheel was built for, as its tags name them."""
    try:
        text = importlib.metadata.distribution("dpcost").read_text("WHEEL") or ""
    except importlib.metadata.PackageNotFoundError:
        text = ""
    return ", ".join(re.findall(r"(?m)^Tag: py3-none-(\S+)", text)) or "an unknown system"


def flag(keyword: str, value: Any) -> str:
    """Return the flag of a keyword and its value: target_epsilon=2 gives -target-epsilon=2.

    A list gives its values with commas between them.
    """
    return "-" + keyword.replace("_", "-") + "=" + text(keyword, value)


def text(keyword: str, value: Any) -> str:
    """Return a value as the text of a flag."""
    value = plain(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if hasattr(value, "__float__"):
        try:
            return repr(float(value))
        except OverflowError:
            raise ValueError(f"{keyword}: is too large for a float: must be a finite number") from None
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return ",".join(text(keyword, item) for item in value)
    raise TypeError(f"{keyword} is of type {type(value).__name__}: must be a number, a text, a bool, or a list of them")


def plain(value: Any) -> Any:
    """Return a value of NumPy, PyTorch or pandas as a value of Python, and any other as it is."""
    if not hasattr(value, "tolist") and hasattr(value, "to_numpy"):  # a table of pandas
        value = value.to_numpy()
    return value.tolist() if hasattr(value, "tolist") else value


def file_path(name: str, value: Any, otherwise: str = ", or a dict") -> str:
    """Return the path of a file that a keyword names."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} is of type {type(value).__name__}: must be the path of a file{otherwise}")
    return os.path.abspath(os.fspath(value))


def file_text(file: Any) -> str:
    """Return the contents of a JSON file, a dict, as text. Values of NumPy become Python's."""

    def default(value: Any) -> Any:
        if plain(value) is value:
            raise TypeError(f"file: {value!r} is of type {type(value).__name__}: must be a value of JSON")
        return plain(value)

    try:
        return json.dumps(file, allow_nan=False, default=default)
    except (TypeError, ValueError) as e:
        said = str(e)
        raise type(e)(said if said.startswith("file: ") else "file: " + said) from None


def _as_keywords(message: str) -> str:
    """Return a message with keywords for flags: "noise 0: must be > 0" for "-noise 0: must be > 0"."""
    def keyword(found: "re.Match[str]") -> str:
        name = found.group(1).replace("-", "_")
        return name if name in KEYWORDS else found.group(0)

    return re.sub(r"(?<![\w-])-([a-z][a-z-]*[a-z]|p)(?![\w-])", keyword, message)


def _with_infinities(value: Any, key: str = "") -> Any:
    """Return an answer with float("inf") for "Infinity", which is the programs' text for it."""
    if isinstance(value, dict):
        return {k: _with_infinities(v, k) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_infinities(v, key) for v in value]
    if value in ("Infinity", "-Infinity") and key != "name":  # a name is the user's own
        return float(value)
    return value
