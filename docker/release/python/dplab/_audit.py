"""The function audit."""

from __future__ import annotations

import math
import os
from typing import Any, Dict, Iterable, List, Optional, Sequence, Union

from ._program import ask, flag, plain


def audit(
    scores: Iterable[float],
    members: Iterable[Union[bool, int]],
    *,
    delta: float = 1e-5,
    confidence: float = 0.95,
    threshold: Optional[float] = None,
    rank: Optional[int] = None,
    expected_mu: Optional[float] = None,
    one_run: bool = False,
    guesses: Optional[int] = None,
    seed: Optional[int] = None,
    claim: Union[None, str, Sequence[str]] = None,
    figure: Union[None, str, "os.PathLike[str]"] = None,
) -> Dict[str, Any]:
    """Return a lower bound on ε from the scores of an attack, as dpaudit prints it.

        >>> scores = [0.01 * i for i in range(200)] + [1.005 + 0.01 * i for i in range(200)]
        >>> report = audit(scores, [0] * 200 + [1] * 200, delta=1e-5)
        >>> report["method"], report["confidence"], report["assumption"]
        ('rank-two-tail', 0.95, 'none')
        >>> report["epsilon"]
        2.970...

    scores and members are lists, or arrays of NumPy or PyTorch. A score must grow with the evidence
    for membership. A member is 1 or True for a game with the canary, and 0 or False for a game
    without it.

        delta        δ of the bounds, in [0, 1)
        confidence   chance that a bound is true, each by itself
        threshold    score above which a game is called a member
        rank         rank of the rank tests
        expected_mu  µ of the leak that the audit was planned for: sets the rank or the guesses
        one_run      the scores are the canaries of one training run, each included by a fair coin
        guesses      with one_run: number of canaries guessed, half at each end, or by
                     their value if all scores have one of two
        seed         of broken ties and random splits, from 1: the same seed gives the same report
        claim        a claim to test, or a list: "mu=1", "epsilon=3,delta=1e-5" or
                     "noise=2,rate=0.01,steps=5000"
        figure       draw the ROC into this file, .png, .svg or .pdf

    threshold, rank, expected_mu and guesses must be chosen before the scores are seen.

    The dict begins with the answer: the bound that was chosen before the scores were seen.

        epsilon      lower bound on ε, at delta
        delta        δ
        confidence   chance that this bound is true
        method       name of the bound
        assumption   what it assumes besides independent games: "none" of the mechanism
        answer       the same in words
        headline     the same bound, with all its fields
        bounds       bounds that hold with their confidence, each by itself. The largest of them
                     does not
        without_confidence
                     numbers that prove nothing and may exceed the true ε: their threshold is the
                     best on the same scores, as in papers
        warnings     doubts; an empty list if there are none

    The other fields are those of dpaudit -json. Raises ValueError if a value is not allowed.
    """
    options = dict(
        delta=delta,
        confidence=confidence,
        threshold=threshold,
        rank=rank,
        expected_mu=expected_mu,
        one_run=one_run,
        guesses=guesses,
        seed=seed,
        figure=figure,
    )
    arguments = ["-json", *(flag(k, v) for k, v in options.items() if v is not None)]
    claims = [claim] if isinstance(claim, str) else list(claim or ())
    arguments += [flag("claim", c) for c in claims]
    report = ask("dpaudit", [*arguments, "-"], _csv(scores, members))
    headline = report["headline"] or {}  # None if that bound cannot be computed: see the warnings
    first = {
        "epsilon": headline.get("epsilon"),
        "delta": report["delta"],
        "confidence": headline.get("confidence"),
        "method": headline.get("name"),
        "assumption": headline.get("assumption"),
    }
    return {**first, **{k: v for k, v in report.items() if k not in first}}


def _csv(scores: Any, members: Any) -> str:
    """Return the scores as the text of a CSV file."""
    numbers, classes = list(plain(scores)), list(plain(members))
    if len(numbers) != len(classes):
        raise ValueError(f"{len(numbers)} scores and {len(classes)} members: must be as many")
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
