"""Checks the functions of an installed wheel, and prints some of their answers as JSON."""

import copy
import datetime
import doctest
import importlib.util
import json
import pickle
import platform
import re
import sys
import tempfile
import warnings
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import dpcost
from dpcost import _audit, _events, _functions, _program, _question, _result
from keywords import keywords

for module in (dpcost, _functions, _audit, _events, _program, _question, _result):
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0, module.__name__

class Array:
    """What this package knows of an array of NumPy."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


# Values become texts of flags.
for value, text in [
    (2, "2"), (2.0, "2.0"), (1e-5, "1e-05"), (True, "true"), (False, "false"), ("x y", "x y"), (Path("a"), "a"),
    ([0.5, 1], "0.5,1"), (range(2), "0,1"), (Decimal("0.5"), "0.5"), (Fraction(1, 2), "0.5"), ((1, 2), "1,2"), (Array([0.5, 1]), "0.5,1"), (Array(7), "7"), (Array(True), "true"),
]:
    assert _program.flag("target_epsilon", value) == "-target-epsilon=" + text, (value, text)


def refuses(error, says, call, *args, **options):
    try:
        answer = call(*args, **options)
    except Exception as e:
        assert type(e) is error and says in str(e), (e, says)
    else:
        raise AssertionError((says, answer))


sgd, plan = dpcost.sgd, dpcost.plan
refuses(TypeError, "keyword argument 'nois': did you mean 'noise'? must be one of rate, ", sgd, rate=0.1, nois=1)
refuses(TypeError, "'zzz': must be one of events, delta", plan, {}, zzz=1)
refuses(TypeError, "'sigma': did you mean 'noise'?", sgd, sigma=1)
refuses(TypeError, "'max_grad_norm': the clipping norm has no influence on ε", sgd, rate=0.1, max_grad_norm=1)
refuses(TypeError, "'neighboring': this function answers for add-or-remove-one: plan", sgd, neighboring="replace-one")
refuses(TypeError, "'noise_multiplier' and another name of 'noise': must be given once", sgd, noise=1, noise_multiplier=1)
refuses(ValueError, "noise 0: must be > 0", sgd, rate=0.1, noise=0, steps=10)
refuses(ValueError, "noise is missing", sgd, rate=0.1, steps=10, noise=None)
refuses(ValueError, "decimal digits", sgd, rate=0.1, steps=10, noise=float("nan"))
refuses(TypeError, "noise is of type dict", sgd, rate=0.1, steps=10, noise={})
refuses(TypeError, "missing 1 required positional argument: 'events'", plan)
refuses(TypeError, "takes 0 positional arguments", sgd, {})
refuses(ValueError, "events", plan, {"event": []})
refuses(ValueError, "no such file", plan, "missing.json")
refuses(TypeError, "neighboring: must not be given with a file", plan, "missing.json", neighboring="replace-one")
refuses(TypeError, "int: must be an accountant", plan, 3)
refuses(TypeError, "noise is of type set: must be", sgd, rate=0.1, noise={1, 2}, steps=2)
refuses(TypeError, "answer is of type int: must be the path of a file, or a dict", dpcost.verify, 3)
refuses(TypeError, "candidates is of type list: must be the path", dpcost.expost, [])
refuses(TypeError, "claim is of type int: must be a text or a dict", dpcost.audit, [1, 2], [0, 1], claim=3)
refuses(ValueError, "base 'laplace': must be sgd or gaussian", dpcost.calibrate, 1, base="laplace")
refuses(ValueError, "rate: must be among at_epsilon, at_fpr, count, ", dpcost.calibrate, 1, base="gaussian", rate=0.1)
refuses(ValueError, "invalid value \"ten\" for flag steps", sgd, rate=0.1, noise=1, steps="ten")
refuses(ValueError, "no figure", dpcost.gaussian(noise=[1, 2]).figure)
refuses(ValueError, "3 scores and 2 members: must be as many", dpcost.audit, [1, 2, 3], [0, 1])
refuses(ValueError, "scores[1] is nan: must be a finite number", dpcost.audit, [1, float("nan")], [0, 1])
refuses(TypeError, "scores[0] is [1, 2]: must be a number", dpcost.audit, [[1, 2]], [0])
refuses(TypeError, "scores is of type int: must be a list", dpcost.audit, 1, [0])
refuses(TypeError, "members: must be given, or outside, or a file, or a table", dpcost.audit, [1, 2])
refuses(TypeError, "with the columns s and member", dpcost.audit, {"score": [1]}, score_column="s")
refuses(TypeError, "score_column and member_column: must be given with a table", dpcost.audit, [1], [1], score_column="s")
refuses(ValueError, "no such file", dpcost.audit, "missing.csv")
refuses(TypeError, "scores is the path of a file: members and outside must not be given with it", dpcost.audit, "games.csv", [0, 1])
refuses(TypeError, "scores is the path of a file", dpcost.audit, Path("games.csv"), outside=[1, 2])
refuses(TypeError, "members is of type str: must be a list or an array", dpcost.audit, [1, 2], "in.csv")
refuses(TypeError, "outside is of type str: must be a list or an array", dpcost.audit, [1, 2], outside="out.csv")
refuses(TypeError, "members and outside: must not both", dpcost.audit, [1, 2], [0, 1], outside=[1])
refuses(ValueError, "members[1] is 2: must be 0 or 1", dpcost.audit, [1, 2], [0, 2])
refuses(ValueError, "must be at least", dpcost.audit, [1, 2], [0, 1])
refuses(ValueError, "delta 3: must be in [0, 1)", dpcost.audit, [1, 2], [0, 1], delta=3)
refuses(TypeError, "unexpected keyword argument 'deltas': did you mean 'delta'?", dpcost.audit, [1], [0], deltas=1)
refuses(ValueError, "scores[1] is too large for a float", dpcost.audit, [1, 10**400], [0, 1])
refuses(ValueError, "noise: is too large for a float", sgd, rate=0.1, steps=10, noise=Fraction(10**400))
refuses(ValueError, "noise", sgd, rate=0.1, steps=10, noise=10**400)


class NA:
    """A missing value, as pandas has it in a nullable column: no comparison with it has an answer."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __repr__(self):
        return "<NA>"


refuses(ValueError, "members[1] is <NA>: must be 0 or 1", dpcost.audit, [1, 2], Array([True, NA()]))
refuses(TypeError, "scores[1] is <NA>: must be a number", dpcost.audit, Array([1.5, NA()]), [0, 1])

# A plan may hold NumPy's numbers and arrays.
release = {"type": "gaussian", "noise_multiplier": Array(2.0), "repeat": Array(3)}
three = plan({"events": [release], "delta": Array(1e-6)})
assert three.epsilon == dpcost.gaussian(noise=2, count=3, delta=1e-6).epsilon == plan(release, delta=1e-6).epsilon, three
refuses(TypeError, "file: {1} is of type set: must be a value of JSON", plan, {"events": {1}})
refuses(ValueError, "file: ", plan, {"events": [], "delta": float("nan")})
refuses(TypeError, "file: keys must be", plan, {(1, 2): 3})
refuses(ValueError, "a text for dpcost: embedded null byte", sgd, rate="0.1\0", steps=10, noise=1)
refuses(ValueError, "events[0].rho", plan, {"events": [{"type": "zcdp", "rho": 10**400}]})

# Events of other libraries, by attributes only. testdata/peers.py has the real ones.
class DPOptimizer:
    noise_multiplier, max_grad_norm = 2.0, 1.0

class AdaClipDPOptimizer(DPOptimizer):
    unclipped_num_std = 1.0

class DiscreteLaplaceDpEvent:
    pass

class PrivacyEngine:  # before the training
    class accountant:
        history = []

trained = {"type": "dp_sgd", "sampling_rate": 0.01, "noise_multiplier": 2.0, "steps": 5}
assert dpcost.event(DPOptimizer(), rate=Array(0.01), steps=5) == trained
refuses(TypeError, "rate, which is 1 / len(data_loader), and steps must be given", dpcost.event, DPOptimizer())
refuses(ValueError, "adaptive clipping", dpcost.event, AdaClipDPOptimizer(), rate=0.01, steps=5)
refuses(TypeError, "rate and steps: must be given for an optimizer", dpcost.event, trained, rate=0.1)
refuses(ValueError, "without steps: must be asked after the training", plan, PrivacyEngine())
refuses(ValueError, "DiscreteLaplaceDpEvent: dpcost has no event for it: must be one of ComposedDpEvent", plan, DiscreteLaplaceDpEvent())

# An answer is verified as it is, and refused if it is edited. It is its JSON, copied and stored.
four = dpcost.tune(law="fixed", count=4, base="gaussian", noise=5)
assert dpcost.verify(four).verified[0].epsilon == four.epsilon.upper, four
assert repr(dpcost.gaussian(noise=[1, 2])).startswith("Price(rows=[Price(epsilon_lower=4.37"), dpcost.gaussian(noise=[1, 2])
assert four == json.loads(json.dumps(four)) == pickle.loads(pickle.dumps(four)) == copy.deepcopy(four)
four["epsilon"]["upper"] /= 2
refuses(ValueError, "not verified", dpcost.verify, four)
refuses(TypeError, "missing 1 required positional argument: 'answer'", dpcost.verify)
refuses(AttributeError, "no field 'epsilom': did you mean 'epsilon'?", getattr, four, "epsilom")
refuses(AttributeError, "this answer has rows, one for each value: see rows[0].epsilon", getattr, dpcost.gaussian(noise=[1, 2]), "epsilon")

# Programs whose file lost its mode, or that are for another system.
with tempfile.TemporaryDirectory() as folder:
    lost = Path(folder, "dpcost")
    lost.write_bytes(b"MZ of another system")
    found, _program.path = _program.path, lambda program: str(lost)
    for mode in (0o644, 0o755):
        lost.chmod(mode)
        refuses(RuntimeError, f"this package is for {_program._tags()}, and this system is {platform.system()} on", sgd, rate=0.1, steps=10, noise=1)
    _program.path = found
assert re.search("manylinux|macosx|win_", _program._tags()), _program._tags()
refuses(RuntimeError, "the program nothing is missing", _program.path, "nothing")
refuses(RuntimeError, "without an answer", _program.ask, "dpcost", ["sgd", "-h"])
assert _program._as_keywords("-noise 1-noise -p x-p -3 -target-epsilon -json") == "noise 1-noise p x-p -3 target_epsilon -json"

# A ledger keeps what each call adds. Its answers are those of plan, and are verified.
with tempfile.TemporaryDirectory() as folder:
    survey = Path(folder, "survey.ledger")
    refuses(ValueError, "no such file", dpcost.ledger, survey, "left")
    refuses(ValueError, "must be a file, and then new, add, left, fits or show", dpcost.ledger, survey, "spend")
    refuses(TypeError, "path is of type int: must be the path of a file", dpcost.ledger, 3, "left")
    refuses(TypeError, "'dates': did you mean 'date'?", dpcost.ledger, survey, "add", dates=1)
    refuses(ValueError, "data is missing", dpcost.ledger, survey, "new", epsilon=3, delta=1e-5, plan="fixed")
    assert dpcost.ledger(survey, "new", data="survey", epsilon=9, delta=1e-5, plan="fixed").epsilon.upper == 0
    refuses(ValueError, "no release", dpcost.ledger, survey, "add")
    refuses(ValueError, "must be \"survey\"", dpcost.ledger, survey, "left", data="other")
    refuses(ValueError, "does not fit into the budget", dpcost.ledger, survey, "add", "gaussian", noise=0.1)
    refuses(ValueError, "must be add-or-remove-one, that of the ledger", dpcost.ledger, survey, "fits", release, neighboring="replace-one")
    refuses(TypeError, "neighboring: must not be given with a file", dpcost.ledger, survey, "add", "plan.json", neighboring="replace-one")
    dpcost.ledger(survey, "add", [release, trained], note="two", date=datetime.date(2026, 11, 1))
    dpcost.ledger(survey, "add", "sgd", sample_rate=0.01, noise_multiplier=2, steps=5)
    shown = dpcost.ledger(survey, "show", unit="household")
    assert shown.epsilon == plan([release, trained, trained]).epsilon and "household" in shown.statement, shown
    assert dpcost.verify(shown).verified[0].epsilon == shown.epsilon.upper, shown
    assert [r.date for r in shown.ledger.releases][0] == "2026-11-01" and [r["note"] for r in shown.ledger.records() if "note" in r] == ["two"]
    most = dpcost.ledger(survey, "fits", "gaussian", noise=20, solve="count").count
    assert dpcost.ledger(survey, "fits", "gaussian", noise=20, count=most).fits and not dpcost.ledger(survey, "fits", "gaussian", noise=20, count=most + 1).fits
    left = dpcost.ledger(survey, "left")
    survey.write_bytes(survey.read_bytes() + b'{"date":"2026')
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert dpcost.ledger(survey, "left") == left
    assert len(caught) == 1 and "a line that was cut off" in str(caught[0].message) and caught[0].filename == __file__, caught

# Every keyword is called at least once, and gives an answer. Every answer has a table, and prices, curves and audits a figure.
with tempfile.TemporaryDirectory() as folder:
    endless_plan, table = Path(folder, "plan.json"), Path(folder, "plan2.json")
    endless_plan.write_text('{"events": [{"type": "non_private"}]}')
    assert plan(endless_plan).epsilon.upper == float("inf")
    figure, out = Path(folder, "figure.svg"), Path(folder, "points.csv")
    small = dict(rate=0.01, steps=5)
    training, epoch = dict(small, base="sgd", noise=2), dict(examples=100, batch=10, epochs=0.1, noise=2)
    zcdp = {"events": [{"type": "zcdp", "rho": 0.1}]}
    table.write_text(json.dumps(zcdp))
    scores, members = json.loads(sys.argv[1])
    survey, mixed = Path(folder, "survey.ledger"), Path(folder, "mixed.ledger")
    canaries = [s for s, m in zip(scores, members) if m], [s for s, m in zip(scores, members) if not m]
    played = Path(folder, "played.csv")
    played.write_text("s,in\n" + "".join(f"{s},{m}\n" for s, m in zip(scores, members)))
    opacus = dict(sample_rate=Array(0.01), noise_multiplier=Array(2.0), target_delta=1e-6)
    advised = dict(steps=5, examples=1000, target_epsilon=2, candidates=3, cost=3.5, batches="fixed")
    solved = dict(base="sgd", steps=5, noise=2)
    calls = {
        "sgd": [
            dict(small, noise=2, delta=1e-6, at_epsilon=1, at_fpr=0.1, records_per_person=2, statement=True, unit="x"),
            dict(examples=1000, batch=10, epochs=0.1, noise=2, batches="capped", cap=30), dict(small, at_fpr=0.1, target_tpr=0.105),
            dict(rate=0.01, noise=2, target_epsilon=1, solve="steps"),
            dict(opacus, steps=5), dict(sampling_probability="1/100", steps=5, noise=[2, 3]),
            dict(examples=1000, batch_size=10, epochs=0.1, noise=2),
            dict(examples=1000, expected_batch_size=10, epochs=0.1, noise=2),
        ],
        "gaussian": [
            dict(noise=2, delta=1e-6, count=2, at_epsilon=1, at_fpr=0.1, records_per_person=2, statement=True, unit="x"),
            dict(target_epsilon=[1, 2], target_delta=1e-6), dict(at_fpr=0.1, target_tpr=0.2), dict(noise_multiplier=Array([1, 2])),
        ],
        "tune": [
            dict(law="tnb", eta=0, gamma=0.1, base="gaussian", noise=2, delta=1e-6, release="best", statement=True, unit="x"),
            dict(law="binomial", trials=5, p=0.5, base="gaussian", noise=2),
            dict(law="two_point", runs=5, single=0.5, base="gaussian", noise=2),
            dict(law="capped", of="geometric", mean=3, max=9, base="gaussian", target_epsilon=2),
            dict(law="fixed", count=2, base="gaussian", base_count=2, noise=2),
            dict(law="pmf", weights=[0, 0.5, 0.5], base="sgd", examples=100, batch=1, epochs=0.05, noise=2),
            dict(epoch, law="fixed", count=2, base="sgd", batches="capped", cap=30),
            dict(training, law="poisson", mean=3, tuning_rate=0.1, variant="all"),
            dict(law="poisson", mean=3, densities=[0.5, 2], base="gaussian", noise=2),
            dict(opacus, law="fixed", count=2, base="sgd", steps=5),
            dict(law="fixed", count=2, base="sgd", sampling_probability=0.1, steps=5, noise=2),
            dict(law="fixed", count=2, base="sgd", examples=100, batch_size=10, epochs=0.1, noise=2),
            dict(law="fixed", count=2, base="sgd", examples=100, expected_batch_size=10, epochs=0.1, noise=2),
        ],
        "calibrate": [
            dict(small, target_epsilon=1, delta=1e-6, base="sgd"), dict(target_epsilon=1, base="gaussian", count=2),
            dict(target_epsilon=1, solve="steps", sample_rate=0.01, noise_multiplier=2, target_delta=1e-6),
            dict(target_epsilon=1, solve="rate", steps=5, noise=2),
            dict(target_epsilon=2, examples=100, batch=10, epochs=0.1, batches="capped", cap=30),
            dict(target_epsilon=[1, 2], sampling_probability=0.1, steps=5),
            dict(target_epsilon=2, examples=100, batch_size=10, epochs=0.1),
            dict(target_epsilon=2, examples=100, expected_batch_size=10, epochs=0.1),
        ],
        "advise": [
            dict(
                small, examples=1000, target_epsilon=2, delta=1e-6, candidates=3, cost=3.5, batches="fixed",
                tuning_rate=0.2, parts=5, quantile=0.8, score_share=0.4, seconds=60,
            ),
            dict(advised, sample_rate=0.01, target_delta=1e-6), dict(advised, sampling_probability=0.01),
        ],
        "expost": [
            dict(candidates={"law": {"type": "tnb", "eta": 1, "mean": 10}, "candidates": [{"type": "gaussian", "noise_multiplier": 4}]}, **more)
            for more in (dict(delta=1e-6), dict(target_delta=1e-6))
        ],
        "plan": [
            dict(events=zcdp, delta=1e-6, statement=True, unit="x"), dict(events=table, target_delta=1e-6),
            dict(events=[release, trained], neighboring="replace-one"),
        ],
        "ledger": [
            dict(path=survey, verb="new", data="s", epsilon=9, delta=1e-5, plan="adaptive", filter="renyi", order=9, neighboring="replace-one"),
            dict(path=survey, verb="add", release="sgd", noise=9, steps=5, rate=0.1, note="n", date="2026-11-01"),
            dict(path=survey, verb="add", release="gaussian", noise=9, count=2, released=True, data="s"),
            dict(path=survey, verb="fits", release="sgd", noise_multiplier=9, steps=5, sampling_probability=0.1, target_delta=1e-6),
            dict(path=mixed, verb="new", data="s", epsilon=9, delta=1e-5, plan="adaptive", filter="zcdp"),
            dict(path=mixed, verb="fits", release="sgd", noise=9, examples=100, batch=10, epochs=0.1, batches="capped", cap=30),
            dict(path=survey, verb="fits", release="sgd", noise=9, examples=100, batch_size=10, epochs=0.1),
            dict(path=survey, verb="fits", release="sgd", examples=100, expected_batch_size=10, epochs=0.1, solve="noise"),
            dict(path=survey, verb="fits", release="sgd", sample_rate=0.1, noise=9, solve="steps"),
            dict(path=survey, verb="fits", release=[release], neighboring="replace-one"),
            dict(path=survey, verb="show", unit="x"),
        ],
        "verify": [dict(answer=plan(zcdp))],
        "curve": [
            dict(base="gaussian", count=2, noise=1, kind="tradeoff", points=3, figure=figure),
            dict(base="gaussian", noise=1, delta=1e-6, max_epsilon=2, points=3, out=out),
            dict(plan=table, points=3, figure=figure, out=out), dict(plan=[release], points=3),
            dict(training, over="steps", points=3), dict(opacus, base="sgd", steps=5, over="steps", points=3),
            dict(epoch, base="sgd", over="steps", points=3, batches="capped", cap=30),
            dict(solved, sampling_probability=0.1, points=3),
            dict(base="sgd", examples=100, batch_size=10, epochs=0.2, noise=2, points=3),
            dict(base="sgd", examples=100, expected_batch_size=10, epochs=0.2, noise=2, points=3),
        ],
        "audit": [
            dict(scores=scores, members=members, confidence=0.9, threshold=1, expected_mu=1, seed=7, claim="mu=9", figure=figure),
            dict(scores=Array(canaries[0]), outside=canaries[1], rank=1, claim={"epsilon": 3, "delta": Array(1e-5)}),
            dict(scores={"s": scores, "member": Array(members)}, one_run=True, guesses=20, delta=1e-6, score_column="s"),
            dict(scores=played, score_column="s", member_column="in", seed=7),
            dict(scores=[[s] for s in scores], members=members, target_delta=1e-6, claim=["mu=0.1", {"mu": 9}]),
        ],
        "audit_plan": [dict(mu=1, epsilon=3, delta=1e-6, confidence=0.9), dict(games=100, target_delta=1e-6)],
        "event": [dict(source=DPOptimizer(), rate=0.01, steps=5, neighboring="replace-one")],
    }
    assert "<svg" in sgd(rate=0.01, noise=2, steps=1000).figure(Path(folder, "profile.png")).svg
    assert Path(folder, "profile.png").read_bytes().startswith(b"\x89PNG")
    assert dpcost.audit(played, score_column="s", member_column="in", seed=7) == dpcost.audit(scores, members, seed=7)
    assert len(dpcost.audit(scores, members, figure=Path(folder, "roc.csv")).figure(Path(folder, "two.csv")).svg) > 1000
    assert Path(folder, "roc.csv").read_text() == Path(folder, "two.csv").read_text() != ""
    count = 0
    assert set(calls) == set(dpcost.__all__) - {"Result"}
    for function, several in calls.items():
        left = keywords(function)
        for options in several:
            answer = getattr(dpcost, function)(**options)
            count, left = count + 1, left - set(options)
            if function == "event":
                continue
            for written in set(options) & {"figure", "out"}:
                assert options[written].stat().st_size > 0, (options, answer)
                options[written].unlink()
            assert answer.records() and answer._repr_html_().startswith("<table><tr><th>"), (options, answer)
            if options is several[0] and function in ("gaussian", "plan", "curve", "audit"):
                assert "<svg" in answer.figure(figure)._repr_svg_() and figure.stat().st_size > 0, (options, answer)
                figure.unlink()
        assert not left, (function, left, "no call has these keywords")

# A table of pandas is not needed, and asked for if it is missing.
if importlib.util.find_spec("pandas") is None:
    refuses(ImportError, "needs pandas", dpcost.gaussian(noise=1).to_frame)

report = dpcost.audit(Array(scores), Array([m == 1 for m in members]), seed=7, claim=["mu=0.1", "mu=9"])
assert list(report)[:6] == ["epsilon", "delta", "confidence", "method", "assumption", "answer"], list(report)
assert report.answer.startswith("ε >= ") and len(report.claims) == 2, report
assert all(b.confidence == 0.95 for b in report.bounds) and all(b.confidence == 0 for b in report.without_confidence), report
assert {b.name for b in report.without_confidence} == {"clopper-pearson", "gdp-clopper-pearson"}, report

# Tables show six digits of a bound, rounded to its safe side.
upper, lower = dpcost.gaussian(noise=1).epsilon.upper, report.epsilon
assert 0 <= float(re.search("epsilon upper</th><td>([^<]+)", dpcost.gaussian(noise=1)._repr_html_()).group(1)) - upper < 1e-5
assert 0 <= lower - float(report._shown("epsilon", lower)) < 1e-5

mnist = sgd(examples=60000, batch=256, epochs=10, noise=1.1)
assert mnist.warnings == [] and mnist.neighboring == "add-or-remove-one" and mnist.steps == 2344, mnist
assert dpcost.gaussian(noise=2).noise_multiplier == 2 and sgd(rate=0.01, noise=[1, 2], steps=7).rows[1].steps == 7 and mnist == sgd(examples=60000, batch_size=256, epochs=10, noise_multiplier=1.1)
assert sgd(rate=0.01, noise=1, steps=10, examples=100, delta=0.1).warnings, "δ is above 1/N"
print(json.dumps({
    "version": dpcost.__version__,
    "calls": count,
    "sgd": mnist,
    "tune": dpcost.tune(law="logarithmic", mean=10, base="gaussian", noise=2),
    "rows": dpcost.gaussian(noise=[1, 2]).rows,
    "audit": report,
}))
