"""The functions that call dpaudit."""

from __future__ import annotations

import functools
import math
import os
from typing import Any, List, Mapping, Optional, Sequence, Tuple, Union

from ._program import ask, flag, plain, text
from ._question import Array, Number, Path, question
from ._result import Audit, AuditPlan

Claim = Union[str, Mapping[str, Number]]
Scores = Union[Sequence[Number], Array]


@question
def audit(
    scores: Union[Scores, Any],
    members: Union[None, Sequence[Union[bool, Number]], Array] = None,
    *,
    outside: Optional[Scores] = None,
    delta: Optional[Number] = None,
    confidence: Optional[Number] = None,
    threshold: Optional[Number] = None,
    rank: Optional[Number] = None,
    expected_mu: Optional[Number] = None,
    one_run: bool = False,
    guesses: Optional[Number] = None,
    seed: Optional[Number] = None,
    claim: Union[None, Claim, Sequence[Claim]] = None,
    score_column: Optional[str] = None,
    member_column: Optional[str] = None,
    figure: Optional[Path] = None,
    target_delta: Optional[Number] = None,
) -> Audit:
    """Return lower bounds on ε from the scores of an attack.

        >>> scores = [0.01 * i for i in range(200)] + [1.005 + 0.01 * i for i in range(200)]
        >>> report = audit(scores, [0] * 200 + [1] * 200, delta=1e-5)
        >>> report.method, report.confidence, report.assumption
        ('rank-two-tail', 0.95, 'none')
        >>> report.epsilon
        2.970...
        >>> report == audit(scores[200:], outside=scores[:200], delta=1e-5, seed=report.seed)
        True

    scores and members are lists, or arrays of NumPy, PyTorch or pandas. A score must grow with the
    evidence for membership. A member is 1 or True for a game with the canary, and 0 or False for a
    game without it. Without members, scores are those of games with the canary, and outside those
    of games without it; or scores is a table of pandas with the columns score and member; or it is
    the path of a file that dpaudit reads: .csv, .npz or .npy.

    delta         δ of the bounds, in [0, 1), by default 1e-5
    confidence    chance that a bound is true, each by itself, by default 0.95
    threshold     score above which a game is called a member
    rank          rank of the rank tests
    expected_mu   µ of the leak that the audit was planned for: sets the rank or the guesses
    one_run       the scores are the canaries of one training run, each included by a fair coin
    guesses       with one_run: number of canaries guessed, half at each end, or by their value if
                  all scores have one of two
    seed          of broken ties and random splits, from 1: the same seed gives the same report
    claim         a claim to test, or a list: "mu=1", "epsilon=3,delta=1e-5", or a dict such as
                  {"noise": 2, "rate": 0.01, "steps": 5000}
    score_column, member_column
                  names of the columns of a table or a file
    figure        draw the ROC into this file too: .png, .svg or .pdf; .csv has its points

    threshold, rank, expected_mu and guesses must be chosen before the scores are seen.

    epsilon, method, confidence and assumption are those of the bound that was chosen before the
    scores were seen, and answer has it in words. bounds hold with their confidence, each by itself;
    the largest of them does not. without_confidence are numbers that prove nothing and may exceed
    the true ε: their threshold is the best on the same scores, as in papers.
    """
    options = dict(
        delta=delta,
        confidence=confidence,
        threshold=threshold,
        rank=rank,
        expected_mu=expected_mu,
        one_run=one_run or None,
        guesses=guesses,
        seed=seed,
    )
    arguments = ["-json", *(flag(k, v) for k, v in options.items() if v is not None)]
    claims: Sequence[Any] = list(claim) if isinstance(claim, (list, tuple)) else [] if claim is None else [claim]
    arguments += [flag("claim", _claim(c)) for c in claims]
    drawn = [] if figure is None else [flag("figure", figure)]
    columns = {k: v for k, v in (("score_column", score_column), ("member_column", member_column)) if v is not None}
    table, source = "", "-"
    if isinstance(scores, (str, os.PathLike)):
        if members is not None or outside is not None:
            raise TypeError(
                "scores is the path of a file: members and outside must not be given with it, as the file has them:"
                " member_column names their column"
            )
        source = os.path.abspath(scores)
        arguments += [flag(k, v) for k, v in columns.items()]
    else:
        table = _csv(*_games(scores, members, outside, **columns))
    report = ask("dpaudit", [*arguments, *drawn, source], table)
    headline = report["headline"] or {}  # None if that bound cannot be computed: see the warnings
    first = {
        "epsilon": headline.get("epsilon"),
        "delta": report["delta"],
        "confidence": headline.get("confidence"),
        "method": headline.get("name"),
        "assumption": headline.get("assumption"),
    }
    result = Audit({**first, **{k: v for k, v in report.items() if k not in first}})
    if seed is None:
        arguments.append(flag("seed", report["seed"]))
    result._draw = functools.partial(_draw, [*arguments, source], table)
    return result


@question
def audit_plan(
    *,
    epsilon: Optional[Number] = None,
    games: Optional[Number] = None,
    mu: Optional[Number] = None,
    delta: Optional[Number] = None,
    confidence: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> AuditPlan:
    """Return how many games an audit needs for a bound of epsilon, or the bound to expect of games.

        >>> audit_plan(mu=1, epsilon=3).plans[0].games_of_each
        51328

    mu is that of the expected leak, by default 1. A DP-SGD step with noise multiplier σ on a canary
    of full norm has 1/σ. With one run, games is half the number of canaries.
    """
    options = dict(epsilon=epsilon, games=games, mu=mu, delta=delta, confidence=confidence)
    arguments = ["plan", "-json", *(flag(k, v) for k, v in options.items() if v is not None)]
    return AuditPlan(ask("dpaudit", arguments))


def _draw(arguments: Sequence[str], table: str, path: str) -> None:
    ask("dpaudit", [*arguments, flag("figure", path)], table)


def _claim(claim: Any) -> str:
    if isinstance(claim, Mapping):
        return ",".join(f"{k}={text('claim', v)}" for k, v in claim.items())
    if not isinstance(claim, str):
        raise TypeError(f"claim is of type {type(claim).__name__}: must be a text or a dict, or a list of them")
    return claim


def _games(
    scores: Any, members: Any, outside: Any, score_column: str = "", member_column: str = ""
) -> Tuple[List[Any], List[Any]]:
    """Return scores and members as lists of the same length."""
    if (score_column or member_column) and (members is not None or outside is not None):
        raise TypeError("score_column and member_column: must be given with a table or a file only")
    if members is not None and outside is not None:
        raise TypeError("members and outside: must not both be given")
    if outside is not None:
        with_canary, without = _column(scores, "scores"), _column(outside, "outside")
        return with_canary + without, [1] * len(with_canary) + [0] * len(without)
    if members is None:
        try:
            scores, members = scores[score_column or "score"], scores[member_column or "member"]
        except (TypeError, KeyError, IndexError, ValueError):
            raise TypeError(
                "members: must be given, or outside, or a file, or a table with the columns"
                f" {score_column or 'score'} and {member_column or 'member'}"
            ) from None
    numbers, classes = _column(scores, "scores"), _column(members, "members")
    if len(numbers) != len(classes):
        raise ValueError(f"{len(numbers)} scores and {len(classes)} members: must be as many")
    return numbers, classes


def _column(values: Any, name: str) -> List[Any]:
    """Return a list, an array, or a table of one column as a list."""
    try:
        if isinstance(values, (str, bytes, os.PathLike)):
            raise TypeError
        column = list(plain(values))
    except TypeError:
        raise TypeError(f"{name} is of type {type(values).__name__}: must be a list or an array") from None
    return [v[0] if isinstance(v, list) and len(v) == 1 else v for v in column]


def _csv(numbers: List[Any], classes: List[Any]) -> str:
    """Return the scores as the text of a CSV file."""
    lines: List[str] = ["score,member"]
    for i, (score, member) in enumerate(zip(numbers, classes)):
        try:
            value = float(score)
        except OverflowError:
            raise ValueError(f"scores[{i}] is too large for a float: must be a finite number") from None
        except (TypeError, ValueError):
            raise TypeError(f"scores[{i}] is {score!r}: must be a number") from None
        if not math.isfinite(value):
            raise ValueError(f"scores[{i}] is {value}: must be a finite number")
        try:
            known = plain(member) in (0, 1)
        except TypeError:  # a missing value of pandas equals nothing, not even False
            known = False
        if not known:
            raise ValueError(f"members[{i}] is {member!r}: must be 0 or 1, or False or True")
        lines.append(f"{value!r},{int(member)}")
    return "\n".join(lines) + "\n"
