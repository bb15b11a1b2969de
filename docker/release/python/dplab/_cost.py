"""The function cost."""

from __future__ import annotations

import difflib
import os
from typing import Any, Dict, Mapping, Optional, Sequence, Union

from ._program import ask, file_text, flag

Option = Union[None, bool, int, float, str, "os.PathLike[str]", Sequence[float]]
"""A value of a keyword. NumPy's numbers and arrays are taken too. None means "not given"."""

KEYWORDS = {
    "sgd": "at_epsilon at_fpr batch batches cap delta epochs examples noise rate records_per_person solve statement"
    " steps target_epsilon unit",
    "gaussian": "at_epsilon at_fpr count delta noise records_per_person statement target_epsilon unit",
    "tune": "base base_count batch batches cap count delta epochs eta examples gamma law max mean noise of p rate release"
    " runs single statement steps target_epsilon trials tuning_rate unit variant weights",
    "advise": "batches candidates cost delta examples parts quantile rate score_share seconds steps target_epsilon"
    " tuning_rate",
    "expost": "delta",
    "plan": "delta statement unit",
    "curve": "base batch batches cap count delta epochs examples figure kind max_epsilon noise out over plan points rate"
    " steps",
    "verify": "",
}
"""The keywords of each command of dpcost. They are its flags, with "_" for "-"."""


def cost(
    command: str = "sgd",
    file: Union[None, str, "os.PathLike[str]", Mapping[str, Any]] = None,
    /,
    **options: Option,
) -> Dict[str, Any]:
    """Return the privacy cost of a computation, as dpcost prints it.

        >>> answer = cost(examples=60000, batch=256, epochs=10, noise=1.1, delta=1e-5)
        >>> answer["epsilon"]["upper"]
        0.91896...
        >>> answer["neighboring"], answer["bounds"][1]["name"]
        ('add-or-remove-one', 'RDP')
        >>> cost(examples=60000, batch=256, epochs=10, target_epsilon=2)["noise_multiplier"]
        0.78605...
        >>> [row["epsilon"]["upper"] for row in cost(rate=0.01, steps=5000, noise=[1, 2, 4])["rows"]]
        [4.2..., 1.4..., 0.6...]
        >>> cost("gaussian", noise=1, count=3)["epsilon"]["upper"]
        8.38...
        >>> plan = {"events": [{"type": "laplace", "noise_multiplier": 30, "repeat": 10}]}
        >>> cost("plan", plan)["epsilon"]["upper"]
        0.32...
        >>> cost("verify", answer)["verified"][0]["epsilon"]
        0.91896...

    command is a command of dpcost:

        sgd       DP-SGD (the default)
        gaussian  Gaussian releases
        tune      the best of a random or fixed number of runs
        advise    ways to tune, compared before any data is touched
        expost    a search among candidates of different ε, from a file
        plan      any list of events, from a file
        curve     δ at ε, the trade-off function, or ε along a run
        verify    an answer of cost, checked once more from its proof, without a search

    file is for expost, plan and verify: the path of a JSON file, or its contents as a dict, which
    may hold numbers and arrays of NumPy.

    Keywords are the flags of the command, with "_" for "-". A list gives one row for each value, in
    "rows". In a terminal, dpcost sgd -h explains them. KEYWORDS in this module lists them. For sgd:

        noise                    noise multiplier: noise standard deviation / clipping norm
        rate, steps              chance that an example joins a step, and number of steps
        examples, batch, epochs  or these: rate is batch / examples, steps is epochs / rate
        delta                    δ, by default 1e-5
        target_epsilon           find the least noise for this ε, instead of noise
        solve                    with target_epsilon: find "steps" or "rate" instead of the noise
        batches                  "poisson" (the default), "capped" (with cap), "without-replacement",
                                 "with-replacement", "allocation", "shuffled", "shuffled-once" or
                                 "fixed"
        at_epsilon, at_fpr       δ at this ε too; TPR and µ at this false positive rate too
        records_per_person       the ε of a person with so many records too
        statement, unit          True: a statement for a paper too; unit names one record

    verify raises ValueError if the proof does not hold, or if there is none.

    curve returns its points. figure draws them too, and out writes them into a .csv or .json file.

    The dict has the fields of dpcost -json. Here are those of most commands:

        epsilon      lower, estimate and upper. Quote upper. An end that is not proved is None
        delta        δ
        neighboring  how neighboring data sets differ
        mechanism    what was priced
        bounds       all upper bounds that apply, least first
        warnings     doubts; an empty list if there are none

    Raises ValueError if dpcost refuses the values or has no answer, and TypeError for an unknown
    keyword.
    """
    if command not in KEYWORDS:
        raise ValueError(f"unknown command {command!r}: {_near(command, KEYWORDS)}must be one of {', '.join(KEYWORDS)}")
    known = KEYWORDS[command].split()
    for keyword in options:
        if keyword not in known:
            raise TypeError(
                f"cost() got an unexpected keyword argument {keyword!r} for {command}:"
                f" {_near(keyword, known)}must be one of {', '.join(known)}"
            )
    takes_file = command in ("expost", "plan", "verify")
    if takes_file != (file is not None):
        raise TypeError(f"file: must {'' if takes_file else 'not '}be given for {command}")
    arguments = [command, "-json", *(flag(k, v) for k, v in options.items() if v is not None)]
    stdin = ""
    if isinstance(file, Mapping):
        arguments.append("-")
        stdin = file_text(dict(file))
    elif file is not None:
        arguments.append(os.path.abspath(file))
    answer = ask("dpcost", arguments, stdin)
    answer.setdefault("warnings", [])
    return answer


def _near(word: str, known: Any) -> str:
    near: Optional[str] = next(iter(difflib.get_close_matches(word, list(known), n=1)), None)
    return f"did you mean {near!r}? " if near else ""
