"""Answers: dicts whose fields are attributes, too."""

from __future__ import annotations

import difflib
import html
import importlib
import os
import tempfile
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Union

Path = Union[str, "os.PathLike[str]"]


def near(word: str, known: Any) -> str:
    """Return a question for the nearest known word, or nothing."""
    found = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean {found[0]!r}? " if found else ""


class Figure:
    """A figure. Notebooks show it."""

    svg: str

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


class Result(Dict[str, Any]):
    """A dict whose fields are attributes, too: answer.delta is answer["delta"].

    A field that this answer lacks, and others of its kind have, is None. A number that was asked is an
    attribute: sgd(noise=2, ...).noise_multiplier is 2.
    """

    _draw: Optional[Callable[[str], None]] = None
    _asked: Mapping[str, float] = {}  # numbers of the question, which answers do not repeat
    _rounding = ROUND_CEILING

    def __init__(self, fields: Dict[str, Any]) -> None:
        super().__init__({key: _wrapped(key, value) for key, value in fields.items()})

    if not TYPE_CHECKING:  # other attributes are mistakes for a type checker

        def __getattr__(self, name: str) -> Any:
            if name in self:
                return self[name]
            known = {k for kind in type(self).__mro__ for k in vars(kind).get("__annotations__", ())}
            if name not in known or name.startswith("_"):
                known = [k for k in sorted(known | set(self)) if not k.startswith("_")]
                raise AttributeError(f"{type(self).__name__} has no field {name!r}: {near(name, known)}it has {', '.join(known)}")
            if name in self.get("setting", {}):
                return self["setting"][name]
            if name in self._asked:
                return self._asked[name]
            if "rows" in self:
                raise AttributeError(f"{name!r}: this answer has rows, one for each value: see rows[0].{name}, or to_frame()")
            return None

    def __dir__(self) -> List[str]:
        return sorted({*super().__dir__(), *(k for k in self if k.isidentifier())})

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in (_flat(self) or self).items())})"

    def _table(self) -> List["Result"]:
        return [self]

    def records(self) -> List[Dict[str, Any]]:
        """Return the rows of to_frame as dicts."""
        return [_flat(row) for row in self._table()]

    def to_frame(self) -> Any:
        """Return the numbers and texts as a DataFrame of pandas, one row for each row, point or bound.

        Raises ImportError without pandas, which this package does not need otherwise.
        """
        try:
            pandas = importlib.import_module("pandas")
        except ImportError as e:
            raise ImportError("to_frame needs pandas, which is not installed: records() returns the rows as dicts") from e
        return pandas.DataFrame(self.records())

    def _repr_html_(self) -> str:
        rows = self.records()[:200]
        heads = list(dict.fromkeys(key for row in rows for key in row))
        if len(rows) == 1:
            lines = [f"<th>{_escaped(key)}</th><td>{self._shown(key, rows[0][key])}</td>" for key in heads]
        else:
            lines = ["".join(f"<th>{_escaped(key)}</th>" for key in heads)]
            lines += ["".join(f"<td>{self._shown(key, row.get(key, ''))}</td>" for key in heads) for row in rows]
        notes = "".join(f"<p>{_escaped(note)}</p>" for note in self.get("warnings") or ())
        return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>" + notes

    def _shown(self, key: str, value: Any) -> str:
        """Return a value as text: six digits of an end of an interval or a bound, rounded to its safe side."""
        if isinstance(value, float) and any(word in key for word in ("epsilon", "lower", "upper")):
            rounding = ROUND_FLOOR if "lower" in key else self._rounding
            value = f"{Context(prec=6, rounding=rounding).create_decimal_from_float(value):g}"
        return _escaped("" if value is None else str(value)).replace("\n", "<br>")

    def figure(self, path: Optional[Path] = None) -> Figure:
        """Return a figure of this answer, and draw it into a file too: .png, .svg or .pdf.

        A price has the curve of δ at ε of what was priced, an audit its ROC. It is computed anew,
        which takes minutes for some tunings. Raises ValueError if the answer has none.
        """
        draw = self._draw
        if draw is None:
            raise ValueError(
                "this answer has no figure: prices with a certificate, curves and audits have one, and of rows each"
                " has its own, such as rows[0].figure()"
            )
        with tempfile.TemporaryDirectory() as folder:
            svg = asked = os.path.join(folder, "figure.svg") if path is None else os.path.abspath(path)
            draw(asked)
            if not asked.endswith(".svg"):
                svg = os.path.join(folder, "figure.svg")
                draw(svg)
            with open(svg, encoding="utf-8") as file:
                return Figure(file.read())


class Interval(Result):
    """Ends of a number. An end that is not proved is None."""

    lower: Optional[float]
    estimate: Optional[float]
    upper: float


class Bound(Result):
    """A bound on ε: an upper one of a price, a lower one of an audit."""

    name: str
    epsilon: float
    method: str
    assumption: str
    confidence: float


class Price(Result):
    """What a computation costs. Quote epsilon.upper."""

    epsilon: Interval
    delta: float
    neighboring: str
    mechanism: str
    method: str
    noise_multiplier: float
    sampling_rate: float
    steps: int
    bounds: List[Bound]
    warnings: List[str]
    statement: str
    setting: Result
    batches: Result
    delta_at_epsilon: Result
    attack: Result
    rows: List["Price"]

    if not TYPE_CHECKING:

        @property
        def rows(self) -> List["Price"]:
            return self.get("rows", [self])

    def _table(self) -> List[Result]:
        return list(self.rows)


class Ledger(Price):
    """What the releases on a data set cost together, or what still fits."""

    ledger: "Releases"
    fits: bool
    reason: str
    count: int


class Releases(Result):
    """The releases of a ledger, and what is left of its budget."""

    data: str
    plan: str
    filter: str
    theorem: str
    budget_epsilon: float
    filter_share: float
    left_as_noise_multiplier: float
    releases: List[Result]
    last_hash: str

    def _table(self) -> List[Result]:
        return list(self.releases)


class Curve(Result):
    """Points of a curve: x and the ends of y."""

    kind: str
    mechanism: str
    neighboring: str
    points: List["Point"]

    def _table(self) -> List[Result]:
        return list(self.points)


class Point(Result):
    """A point of a curve."""

    x: float
    y: Interval


class Advice(Result):
    """Ways to tune. recommended is the name of one of them."""

    epsilon: float
    delta: float
    recommended: str
    reason: str
    ways: List[Result]

    def _table(self) -> List[Result]:
        return list(self.ways)


class ExPost(Result):
    """Candidates of a search, each with its ε if it is released."""

    epsilon_before: Interval
    delta: float
    neighboring: str
    candidates: List[Result]
    statement: str

    def _table(self) -> List[Result]:
        return list(self.candidates)


class Verified(Result):
    """Proofs that hold. A proof that does not is a ValueError."""

    verified: List[Result]

    def _table(self) -> List[Result]:
        return list(self.verified)


class Audit(Result):
    """A lower bound on ε, and what else the scores show."""

    _rounding = ROUND_FLOOR

    epsilon: Optional[float]
    delta: float
    confidence: Optional[float]
    method: Optional[str]
    assumption: Optional[str]
    answer: str
    headline: Optional[Bound]
    bounds: List[Bound]
    without_confidence: List[Bound]
    claims: List[Result]
    warnings: List[str]

    def _table(self) -> List[Result]:
        return list(self.bounds)


class AuditPlan(Result):
    """Numbers of games that audits need."""

    _rounding = ROUND_FLOOR

    mu: float
    delta: float
    confidence: float
    plans: List[Result]

    def _table(self) -> List[Result]:
        return list(self.plans)


_KINDS = {
    "bounds": Bound,
    "without_confidence": Bound,
    "headline": Bound,
    "rows": Price,
    "points": Point,
    "ledger": Releases,
    "epsilon": Interval,
    "epsilon_before": Interval,
    "y": Interval,
}


def _wrapped(key: str, value: Any) -> Any:
    if isinstance(value, dict) and key not in ("proof", "witness"):
        return _KINDS.get(key, Result)(value)
    if isinstance(value, list):
        return [_wrapped(key, item) for item in value]
    return value


def _flat(fields: Dict[str, Any]) -> Dict[str, Any]:
    """Return the numbers and texts of fields. Those of a dict have its name in front."""
    row: Dict[str, Any] = {}
    for key, value in fields.items():
        if isinstance(value, dict) and key not in ("certificate", "headline"):
            row.update({f"{key}_{k}": v for k, v in _flat(value).items()})
        elif not isinstance(value, (dict, list)):
            row[key] = value
    return row


def _escaped(value: str) -> str:
    return html.escape(value.replace("_", " ") if value.isidentifier() else value)
