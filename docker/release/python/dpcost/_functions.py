"""The functions that price: one for each command of dpcost, and calibrate."""

from __future__ import annotations

import datetime
import functools
from typing import Any, Dict, List, Literal, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

from ._events import plan_of
from ._program import ask, file_path, file_text, flag, plain
from ._question import Array, Number, Path, question
from ._result import Advice, Curve, ExPost, Ledger, Price, Result, Verified

Batches = Literal[
    "poisson", "capped", "without-replacement", "with-replacement", "allocation", "shuffled", "shuffled-once", "fixed"
]
Law = Literal[
    "binomial", "capped", "fixed", "geometric", "logarithmic", "pmf", "poisson", "tnb", "truncated", "two_point", "withheld"
]
Base = Literal["sgd", "gaussian"]
Relation = Literal["add-or-remove-one", "replace-special", "replace-one"]
Numbers = Union[Number, Sequence[Number], Array]
Plan = Any
"""A path, a dict, a list of events, an event, or what event() takes."""

R = TypeVar("R", bound=Result)

_FILES = {"plan": "events", "expost": "candidates", "verify": "answer"}
_NAMES = {"noise_multiplier": "noise", "sampling_rate": "rate", "steps": "steps"}


@question
def sgd(
    *,
    rate: Union[None, Number, str] = None,
    noise: Optional[Numbers] = None,
    steps: Optional[Number] = None,
    examples: Optional[Number] = None,
    batch: Optional[Number] = None,
    epochs: Optional[Number] = None,
    delta: Optional[Number] = None,
    batches: Optional[Batches] = None,
    cap: Optional[Number] = None,
    target_epsilon: Optional[Numbers] = None,
    solve: Optional[Literal["noise", "steps", "rate"]] = None,
    at_epsilon: Optional[Number] = None,
    at_fpr: Optional[Number] = None,
    target_tpr: Optional[Number] = None,
    records_per_person: Optional[Number] = None,
    statement: bool = False,
    unit: Optional[str] = None,
    noise_multiplier: Optional[Numbers] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    batch_size: Optional[Number] = None,
    expected_batch_size: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Price:
    """Return what DP-SGD costs: ε at δ.

        >>> answer = sgd(examples=60000, batch=256, epochs=10, noise=1.1, delta=1e-5)
        >>> answer.epsilon.upper
        0.91896...
        >>> answer.neighboring, answer.bounds[1].name
        ('add-or-remove-one', 'RDP')
        >>> [row.epsilon.upper for row in sgd(rate=0.01, steps=5000, noise=[1, 2, 4]).rows]
        [4.2..., 1.4..., 0.6...]

    rate                 chance that an example joins a step, such as 0.01 or "256/60000"
    noise                noise multiplier: noise standard deviation / clipping norm. A list gives one
                         of rows for each value
    steps                number of steps
    examples, batch      instead of rate, which is batch / examples: number of examples, mean batch
    epochs               instead of steps: passes over the data. Steps are epochs / rate, rounded up
    delta                δ, by default 1e-5: choose it well below 1 / number of examples
    batches              how batches are drawn, by default "poisson"; "capped" needs cap
    target_epsilon       instead of noise: find the least noise for this ε (or a list)
    solve                with target_epsilon: find "steps" or "rate" instead of the noise
    at_epsilon, at_fpr   δ at this ε too; TPR and µ at this false positive rate too
    target_tpr           with at_fpr, instead of noise: find the least noise with at most this TPR
    records_per_person   the ε of a person with so many records too
    statement, unit      True: a statement for a paper too; unit names one record

    The names of Opacus and dp_accounting are taken too: noise_multiplier is noise; sample_rate and
    sampling_probability are rate; batch_size and expected_batch_size are batch; target_delta is
    delta. The clipping norm has no influence on ε.
    """
    return _ask("sgd", Price, locals())


@question
def gaussian(
    *,
    noise: Optional[Numbers] = None,
    count: Optional[Number] = None,
    delta: Optional[Number] = None,
    target_epsilon: Optional[Numbers] = None,
    at_epsilon: Optional[Number] = None,
    at_fpr: Optional[Number] = None,
    target_tpr: Optional[Number] = None,
    records_per_person: Optional[Number] = None,
    statement: bool = False,
    unit: Optional[str] = None,
    noise_multiplier: Optional[Numbers] = None,
    target_delta: Optional[Number] = None,
) -> Price:
    """Return what Gaussian releases cost.

        >>> gaussian(noise=1, count=3).epsilon.upper
        8.38...

    noise is the noise standard deviation / L2 sensitivity, or a list of them, and count the number
    of releases, by default 1. The other keywords are those of sgd.
    """
    return _ask("gaussian", Price, locals())


@question
def tune(
    *,
    law: Optional[Law] = None,
    base: Optional[Base] = None,
    mean: Optional[Number] = None,
    eta: Optional[Number] = None,
    gamma: Optional[Number] = None,
    trials: Optional[Number] = None,
    p: Optional[Number] = None,
    runs: Optional[Number] = None,
    single: Optional[Number] = None,
    count: Optional[Number] = None,
    max: Optional[Number] = None,
    of: Optional[Law] = None,
    weights: Union[None, Sequence[Number], Array] = None,
    base_count: Optional[Number] = None,
    release: Optional[Literal["best", "first"]] = None,
    densities: Union[None, Sequence[Number], Array] = None,
    tuning_rate: Optional[Number] = None,
    variant: Optional[Literal["rest", "all"]] = None,
    rate: Union[None, Number, str] = None,
    noise: Optional[Numbers] = None,
    steps: Optional[Number] = None,
    examples: Optional[Number] = None,
    batch: Optional[Number] = None,
    epochs: Optional[Number] = None,
    delta: Optional[Number] = None,
    batches: Optional[Batches] = None,
    cap: Optional[Number] = None,
    target_epsilon: Optional[Numbers] = None,
    statement: bool = False,
    unit: Optional[str] = None,
    noise_multiplier: Optional[Numbers] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    batch_size: Optional[Number] = None,
    expected_batch_size: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Price:
    """Return what the best of a random or fixed number of runs costs (hyper-parameter tuning).

        >>> tune(law="logarithmic", mean=10, base="sgd", rate=0.01, noise=2, steps=50).epsilon.upper
        0.2070...

    law                the law of the number of runs, with its own keywords: binomial (trials, p),
                       capped, truncated and withheld (of, max), fixed (count), geometric,
                       logarithmic and poisson (mean), pmf (weights: chances of 0, 1, 2, ... runs),
                       tnb (eta, and gamma or mean), two_point (runs, single)
    base               one run: "sgd" or "gaussian", with its keywords; base_count is the number of
                       releases of one gaussian run
    release            "best" (the default), or "first": the first run whose score is at least a
                       public threshold
    densities          [c, C]: the candidate of each run is drawn by a law that may depend on
                       earlier runs, with a density from c to C relative to a public prior
    tuning_rate        tune on a random sample that an example joins with this chance, and then
                       train once more: on the "rest" (the default of variant) or on "all" data
    statement, unit    as in sgd
    """
    return _ask("tune", Price, locals())


@question
def calibrate(
    target_epsilon: Numbers,
    *,
    base: Base = "sgd",
    solve: Optional[Literal["noise", "steps", "rate"]] = None,
    rate: Union[None, Number, str] = None,
    noise: Optional[Number] = None,
    steps: Optional[Number] = None,
    examples: Optional[Number] = None,
    batch: Optional[Number] = None,
    epochs: Optional[Number] = None,
    count: Optional[Number] = None,
    delta: Optional[Number] = None,
    batches: Optional[Batches] = None,
    cap: Optional[Number] = None,
    noise_multiplier: Optional[Number] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    batch_size: Optional[Number] = None,
    expected_batch_size: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Price:
    """Return the least noise that costs at most an ε, or the most steps, or the largest rate.

        >>> calibrate(2, examples=60000, batch=256, epochs=10).noise_multiplier
        0.78605...
        >>> calibrate(1, base="gaussian", delta=1e-6).noise_multiplier
        4.22...
        >>> calibrate(1, solve="steps", rate=0.01, noise=2).steps
        2433

    The keywords are those of sgd, and count for the base gaussian. A tuning is calibrated by
    tune(target_epsilon=...).
    """
    options = locals()
    if options.pop("base") not in ("sgd", "gaussian"):
        raise ValueError(f"base {base!r}: must be sgd or gaussian")
    return _ask(base, Price, options)


@question
def plan(
    events: Plan,
    *,
    delta: Optional[Number] = None,
    neighboring: Optional[Relation] = None,
    statement: bool = False,
    unit: Optional[str] = None,
    target_delta: Optional[Number] = None,
) -> Price:
    """Return what a list of events costs.

        >>> plan([{"type": "laplace", "noise_multiplier": 30, "repeat": 10}]).epsilon.upper
        0.32...

    events is the path of a JSON file, its contents as a dict, a list of events, or anything that
    event() takes: the engine or accountant of Opacus, or an event of dp_accounting. dpcost plan -h
    lists the types of events. neighboring is by default "add-or-remove-one". statement and unit are
    as in sgd.
    """
    options = locals()
    return _ask("plan", Price, options, plan_of(options.pop("events"), options.pop("neighboring")))


@question
def curve(
    *,
    base: Optional[Base] = None,
    plan: Optional[Plan] = None,
    kind: Optional[Literal["profile", "tradeoff"]] = None,
    over: Optional[Literal["steps", "epochs"]] = None,
    points: Optional[Number] = None,
    max_epsilon: Optional[Number] = None,
    figure: Optional[Path] = None,
    out: Optional[Path] = None,
    rate: Union[None, Number, str] = None,
    noise: Optional[Number] = None,
    steps: Optional[Number] = None,
    examples: Optional[Number] = None,
    batch: Optional[Number] = None,
    epochs: Optional[Number] = None,
    count: Optional[Number] = None,
    delta: Optional[Number] = None,
    batches: Optional[Batches] = None,
    cap: Optional[Number] = None,
    noise_multiplier: Optional[Number] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    batch_size: Optional[Number] = None,
    expected_batch_size: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Curve:
    """Return points of a curve.

        >>> curve(base="gaussian", noise=1, kind="tradeoff", points=3).points[1].y.estimate
        0.158...

    base or plan       the mechanism: "sgd" or "gaussian" with its keywords, or a plan as for plan()
    kind               "profile" (δ at ε, the default) or "tradeoff" (type II at type I error)
    over               "steps" or "epochs": instead, ε at delta along a run of sgd
    points             number of points, by default 101
    max_epsilon        of a profile: its largest ε, by default the ε at delta
    figure             draw the curve into this file too: .png, .svg or .pdf
    out                write the points into this file too: .csv or .json
    """
    options = locals()
    if plan is not None:
        file = plan_of(plan)
        options["plan"] = "-" if isinstance(file, dict) else file_path("plan", file)
        return _ask("curve", Curve, options, stdin=file_text(file) if isinstance(file, dict) else "")
    return _ask("curve", Curve, options)


@question
def verify(answer: Union[Path, Mapping[str, Any]]) -> Verified:
    """Return the proofs of an answer, or of its JSON file, after a check without a search.

        >>> verify(gaussian(noise=2)).verified[0].epsilon
        1.99309...

    Raises ValueError if a proof does not hold, or if there is none.
    """
    return _ask("verify", Verified, {}, dict(answer) if isinstance(answer, Mapping) else answer)


@question
def advise(
    *,
    target_epsilon: Optional[Number] = None,
    examples: Optional[Number] = None,
    rate: Union[None, Number, str] = None,
    steps: Optional[Number] = None,
    candidates: Optional[Number] = None,
    cost: Optional[Number] = None,
    delta: Optional[Number] = None,
    batches: Optional[Literal["poisson", "fixed"]] = None,
    quantile: Optional[Number] = None,
    tuning_rate: Optional[Number] = None,
    parts: Optional[Number] = None,
    score_share: Optional[Number] = None,
    seconds: Optional[Number] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Advice:
    """Return ways to tune, compared before any data is touched.

    target_epsilon     ε of tuning and training together
    examples           number of examples
    rate, steps        of each training, as in sgd
    candidates         points of the grid
    cost               largest mean cost, in trainings on all data
    quantile           wanted expected quantile of the winner, by default 0.9
    tuning_rate        chance that an example joins the sample of a tuning, by default 0.1
    parts, score_share of noisy scores: parts of the data, and their share of ε
    seconds            time of one training on all data
    """
    return _ask("advise", Advice, locals())


@question
def expost(
    candidates: Union[Path, Mapping[str, Any]], *, delta: Optional[Number] = None, target_delta: Optional[Number] = None
) -> ExPost:
    """Return the ε of each candidate of a search, if that one is released.

        >>> two = [{"type": "gaussian", "noise_multiplier": 4}, {"type": "gaussian", "noise_multiplier": 1}]
        >>> expost({"law": {"type": "tnb", "eta": 1, "mean": 10}, "candidates": two}).candidates[1].epsilon
        6.43...

    candidates is the path of a JSON file, or its contents as a dict. dpcost expost -h describes it.
    """
    options = locals()
    return _ask("expost", ExPost, options, options.pop("candidates"))


@question
def ledger(
    path: Path,
    verb: Literal["new", "add", "left", "fits", "show"],
    release: Union[None, Base, Plan] = None,
    *,
    data: Optional[str] = None,
    epsilon: Optional[Number] = None,
    delta: Optional[Number] = None,
    plan: Optional[Literal["fixed", "adaptive"]] = None,
    neighboring: Optional[Relation] = None,
    filter: Optional[Literal["renyi", "gaussian", "zcdp"]] = None,
    order: Optional[Number] = None,
    rate: Union[None, Number, str] = None,
    noise: Optional[Number] = None,
    steps: Optional[Number] = None,
    examples: Optional[Number] = None,
    batch: Optional[Number] = None,
    epochs: Optional[Number] = None,
    batches: Optional[Batches] = None,
    cap: Optional[Number] = None,
    count: Optional[Number] = None,
    solve: Optional[Literal["noise", "steps", "count"]] = None,
    note: Optional[str] = None,
    date: Union[None, str, datetime.date] = None,
    released: bool = False,
    unit: Optional[str] = None,
    noise_multiplier: Optional[Number] = None,
    sample_rate: Optional[Number] = None,
    sampling_probability: Optional[Number] = None,
    batch_size: Optional[Number] = None,
    expected_batch_size: Optional[Number] = None,
    target_delta: Optional[Number] = None,
) -> Ledger:
    """Keep a file of the releases on a data set, and return what they cost or what still fits.

        >>> import os, tempfile
        >>> survey = os.path.join(tempfile.mkdtemp(), "survey.ledger")
        >>> new = ledger(survey, "new", data="survey", epsilon=3, delta=1e-6, plan="adaptive")
        >>> ledger(survey, "add", "gaussian", noise=8, note="table 1").ledger.filter_share
        0.042...
        >>> ledger(survey, "fits", "sgd", rate=0.01, noise=2, solve="steps").steps
        12214

    verb
        new    make the file, with data, epsilon, delta and plan
        add    add a release before it runs. One that does not fit is a ValueError
        left   what is spent and left
        fits   whether a release fits, or with solve what of it: "noise", "steps" or "count"
        show   the releases, and a statement for a paper. verify() takes the answer

    release            of add and fits: "sgd" or "gaussian" with their keywords, or a plan as for
                       plan()
    data               name of the data set. A ledger of other data is refused
    epsilon, delta     new: the budget. add, fits: delta is what a release takes under filter "zcdp"
    plan               new: "fixed", if neither a parameter of a release nor their number depends on
                       an answer; otherwise "adaptive"
    filter, order      new, with plan "adaptive": the filter, by default "renyi", and its order
    neighboring        new: the relation. add, fits: that of a release that is a list or an event
    note, date         add: any text; the day, by default today
    released           add: True: the release is out already, and is kept even if it does not fit
    unit               show: what one record is

    Warns if the file ends with the start of a line that was cut off.
    """
    options = locals()
    words = [file_path("path", options.pop("path"), ""), options.pop("verb")]
    options["date"] = None if date is None else str(date)
    del options["release"]
    stdin = ""
    if release is not None and not (isinstance(release, str) and release in ("sgd", "gaussian")):
        whole = plan_of(release, options.pop("neighboring"))
        words.append("-" if isinstance(whole, dict) else file_path("release", whole))
        stdin = file_text(whole) if isinstance(whole, dict) else ""
    elif release is not None:
        words.append(release)
    return _ask("ledger", Ledger, options, stdin=stdin, words=words)


def _ask(
    command: str, kind: Type[R], options: Dict[str, Any], file: Any = None, stdin: str = "", words: Sequence[str] = ()
) -> R:
    """Return the answer of a command and its words. False and None mean "not given"."""
    given = {k: v for k, v in options.items() if v is not None and v is not False}
    arguments: List[str] = [command, *words, "-json", *(flag(k, v) for k, v in given.items())]
    if isinstance(file, Mapping):
        arguments.append("-")
        stdin = file_text(dict(file))
    elif command in _FILES:
        arguments.append(file_path(_FILES[command], file))
    answer = ask("dpcost", arguments, stdin)
    if kind is not Verified:
        answer.setdefault("warnings", [])
    result = kind(answer)
    asked = {name: plain(options.get(k)) for name, k in _NAMES.items()}
    for part in (result, *getattr(result, "rows", ())):
        part._asked = {k: v for k, v in asked.items() if isinstance(v, (int, float))}
    _drawn(result, arguments, stdin)
    return result


def _drawn(result: Result, arguments: List[str], stdin: str) -> None:
    """Set how the figure of an answer is drawn: a curve anew, and a price by the curve of its event."""
    if isinstance(result, Curve):
        result._draw = functools.partial(_draw, [a for a in arguments if not a.startswith("-out=")], stdin)
    for price in getattr(result, "rows", ()):
        event = ((price.get("certificate") or {}).get("proof") or {}).get("event")
        if event:
            whole = {"neighboring": price["neighboring"], "delta": price["delta"], "events": [event]}
            price._draw = functools.partial(_draw, ["curve", "-json", "-points=33", "-plan=-"], file_text(whole))


def _draw(arguments: Sequence[str], stdin: str, path: str) -> None:
    kept: Tuple[str, ...] = tuple(a for a in arguments if not a.startswith("-figure="))
    ask("dpcost", [*kept, flag("figure", path)], stdin)
