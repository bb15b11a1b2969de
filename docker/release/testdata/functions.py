"""Checks the functions of an installed wheel, and prints some of their answers as JSON."""

import doctest
import inspect
import json
import re
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

import dplab
from dplab import _audit, _cost, _program

for module in (dplab, _cost, _audit, _program):
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0, module.__name__

# Keywords are the flags of the programs.
def flags(*command):
    said = subprocess.run([*command, "-nonsense"], stderr=subprocess.PIPE, encoding="utf-8").stderr
    names = re.search(r"must be among (.*)", said).group(1)
    return {name.lstrip("-").replace("-", "_") for name in names.split(", ")} - {"json"}

listed = subprocess.run([_program.path("dpcost"), "nonsense"], stderr=subprocess.PIPE, encoding="utf-8").stderr
commands = re.search(r"must be (.*)", listed).group(1).replace(" or ", ", ").split(", ")
assert set(commands) == set(_cost.KEYWORDS), (commands, set(_cost.KEYWORDS))
for command, keywords in _cost.KEYWORDS.items():
    assert keywords.split() == sorted(flags(_program.path("dpcost"), command)), command
parameters = set(inspect.signature(dplab.audit).parameters) - {"scores", "members"}
assert parameters == flags(_program.path("dpaudit")) - {"score_column", "member_column"}, parameters


class Array:
    """What this package knows of an array of NumPy."""

    def __init__(self, values):
        self.values = values

    def tolist(self):
        return self.values


# Values become texts of flags.
for value, text in [
    (2, "2"), (2.0, "2.0"), (1e-5, "1e-05"), (True, "true"), (False, "false"), ("x y", "x y"), (Path("a"), "a"),
    ([0.5, 1], "0.5,1"), ((1, 2), "1,2"), (Array([0.5, 1]), "0.5,1"), (Array(7), "7"), (Array(True), "true"),
]:
    assert _program.flag("target_epsilon", value) == "-target-epsilon=" + text, (value, text)


def refuses(error, says, call, *args, **options):
    try:
        answer = call(*args, **options)
    except Exception as e:
        assert type(e) is error and says in str(e), (e, says)
    else:
        raise AssertionError((says, answer))


refuses(TypeError, "'nois' for sgd: did you mean 'noise'? must be one of at_epsilon, ", dplab.cost, rate=0.1, nois=1)
refuses(TypeError, "'zzz' for plan: must be one of delta", dplab.cost, "plan", {}, zzz=1)
refuses(ValueError, "unknown command 'gausian': did you mean 'gaussian'? must be one of sgd, ", dplab.cost, "gausian")
refuses(ValueError, "-noise 0: must be > 0", dplab.cost, rate=0.1, noise=0, steps=10)
refuses(ValueError, "-noise is missing", dplab.cost, rate=0.1, steps=10, noise=None)
refuses(ValueError, "decimal digits", dplab.cost, rate=0.1, steps=10, noise=float("nan"))
refuses(TypeError, "noise is of type dict", dplab.cost, rate=0.1, steps=10, noise={})
refuses(TypeError, "file: must be given for plan", dplab.cost, "plan")
refuses(TypeError, "file: must not be given for sgd", dplab.cost, "sgd", {})
refuses(ValueError, "events", dplab.cost, "plan", {"event": []})
refuses(ValueError, "no such file", dplab.cost, "plan", "missing.json")
refuses(ValueError, "3 scores and 2 members: must be as many", dplab.audit, [1, 2, 3], [0, 1])
refuses(ValueError, "scores[1] is nan: must be a finite number", dplab.audit, [1, float("nan")], [0, 1])
refuses(TypeError, "scores[0] is [1]: must be a number", dplab.audit, [[1]], [0])
refuses(ValueError, "members[1] is 2: must be 0 or 1", dplab.audit, [1, 2], [0, 2])
refuses(ValueError, "must be at least", dplab.audit, [1, 2], [0, 1])
refuses(ValueError, "-delta 3: must be in [0, 1)", dplab.audit, [1, 2], [0, 1], delta=3)
refuses(TypeError, "unexpected keyword argument 'deltas'", dplab.audit, [1], [0], deltas=1)
refuses(ValueError, "scores[1] is too large for a float", dplab.audit, [1, 10**400], [0, 1])
refuses(ValueError, "noise: is too large for a float", dplab.cost, rate=0.1, steps=10, noise=Fraction(10**400))
refuses(ValueError, "-noise", dplab.cost, rate=0.1, steps=10, noise=10**400)


class NA:
    """A missing value, as pandas has it in a nullable column: no comparison with it has an answer."""

    def __eq__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    def __repr__(self):
        return "<NA>"


refuses(ValueError, "members[1] is <NA>: must be 0 or 1", dplab.audit, [1, 2], Array([True, NA()]))
refuses(TypeError, "scores[1] is <NA>: must be a number", dplab.audit, Array([1.5, NA()]), [0, 1])

# A plan may hold NumPy's numbers and arrays.
release = {"type": "gaussian", "noise_multiplier": Array(2.0), "repeat": Array(3)}
three = dplab.cost("plan", {"events": [release], "delta": Array(1e-6)})
assert three["epsilon"] == dplab.cost("gaussian", noise=2, count=3, delta=1e-6)["epsilon"], three
refuses(TypeError, "file: {1} is of type set: must be a value of JSON", dplab.cost, "plan", {"events": {1}})
refuses(ValueError, "file: ", dplab.cost, "plan", {"events": [], "delta": float("nan")})
refuses(TypeError, "file: keys must be", dplab.cost, "plan", {(1, 2): 3})
refuses(ValueError, "a text for dpcost: embedded null byte", dplab.cost, rate="0.1\0", steps=10, noise=1)
refuses(ValueError, "events[0].rho", dplab.cost, "plan", {"events": [{"type": "zcdp", "rho": 10**400}]})

# An answer is verified as it is, and refused if it is edited.
four = dplab.cost("tune", law="fixed", count=4, base="gaussian", noise=5)
assert dplab.cost("verify", four)["verified"][0]["epsilon"] == four["epsilon"]["upper"], four
four["epsilon"]["upper"] /= 2
refuses(ValueError, "not verified", dplab.cost, "verify", four)
refuses(TypeError, "file: must be given for verify", dplab.cost, "verify")

# A program whose file lost its mode.
with tempfile.TemporaryDirectory() as folder:
    lost = Path(folder, "dpcost")
    lost.write_text("")
    found, _program.path = _program.path, lambda program: str(lost)
    refuses(RuntimeError, "the program dpcost cannot be run: ", dplab.cost, rate=0.1, steps=10, noise=1)
    _program.path = found
refuses(RuntimeError, "the program nothing is missing", _program.path, "nothing")
refuses(RuntimeError, "without an answer", _program.ask, "dpcost", ["sgd", "-h"])

# A file by its path, and one that a command writes.
with tempfile.TemporaryDirectory() as folder:
    plan = Path(folder, "plan.json")
    plan.write_text('{"events": [{"type": "non_private"}]}')
    endless = dplab.cost("plan", plan)
    assert endless["epsilon"]["upper"] == float("inf"), endless
    figure = Path(folder, "roc.svg")
    scores, members = json.loads(sys.argv[1])
    report = dplab.audit(Array(scores), Array([m == 1 for m in members]), seed=7, claim=["mu=0.1", "mu=9"], figure=figure)
    assert figure.read_text().lstrip().startswith("<?xml")
assert list(report)[:6] == ["epsilon", "delta", "confidence", "method", "assumption", "answer"], list(report)
assert report["answer"].startswith("ε >= ") and len(report["claims"]) == 2, report
assert all(b["confidence"] == 0.95 for b in report["bounds"]) and all(b["confidence"] == 0 for b in report["without_confidence"]), report
assert {b["name"] for b in report["without_confidence"]} == {"clopper-pearson", "gdp-clopper-pearson"}, report

# Every keyword is called at least once, and gives an answer.
with tempfile.TemporaryDirectory() as folder:
    figure, out = Path(folder, "figure.svg"), Path(folder, "points.csv")
    train, training = dict(rate=0.01, steps=5), dict(base="sgd", rate=0.01, steps=5, noise=2)
    calls = {
        "sgd": [
            dict(train, noise=2, delta=1e-6, at_epsilon=1, at_fpr=0.1, records_per_person=2, statement=True, unit="x"),
            dict(examples=1000, batch=10, epochs=0.1, noise=2, batches="capped", cap=30),
            dict(rate=0.01, noise=2, target_epsilon=1, solve="steps"),
        ],
        "gaussian": [
            dict(noise=2, delta=1e-6, count=2, at_epsilon=1, at_fpr=0.1, records_per_person=2, statement=True, unit="x"),
            dict(target_epsilon=1),
        ],
        "tune": [
            dict(law="tnb", eta=0, gamma=0.1, base="gaussian", noise=2, delta=1e-6, release="best", statement=True, unit="x"),
            dict(law="binomial", trials=5, p=0.5, base="gaussian", noise=2),
            dict(law="two_point", runs=5, single=0.5, base="gaussian", noise=2),
            dict(law="capped", of="geometric", mean=3, max=9, base="gaussian", target_epsilon=2),
            dict(law="fixed", count=2, base="gaussian", base_count=2, noise=2),
            dict(law="pmf", weights=[0, 0.5, 0.5], base="sgd", examples=100, batch=1, epochs=0.05, noise=2),
            dict(law="fixed", count=2, base="sgd", examples=100, batch=10, epochs=0.1, noise=2, batches="capped", cap=30),
            dict(training, law="poisson", mean=3, tuning_rate=0.1, variant="all"),
        ],
        "advise": [
            dict(
                train, examples=1000, target_epsilon=2, delta=1e-6, candidates=3, cost=3.5, batches="fixed",
                tuning_rate=0.2, parts=5, quantile=0.8, score_share=0.4, seconds=60,
            ),
        ],
        "expost": [dict(delta=1e-6)],
        "plan": [dict(delta=1e-6, statement=True, unit="x")],
        "verify": [{}],
        "curve": [
            dict(base="gaussian", count=2, noise=1, kind="tradeoff", points=3, figure=figure),
            dict(base="gaussian", noise=1, delta=1e-6, max_epsilon=2, points=3, out=out),
            dict(plan=Path(folder, "plan.json"), points=3, figure=figure, out=out),
            dict(training, over="steps"),
            dict(base="sgd", examples=100, batch=10, epochs=0.2, noise=2, over="steps", batches="capped", cap=30),
        ],
    }
    plan = {"events": [{"type": "zcdp", "rho": 0.1}]}
    calls["curve"][2]["plan"].write_text(json.dumps(plan))
    candidate = {"type": "gaussian", "noise_multiplier": 4}
    files = {"plan": [plan], "expost": [{"law": {"type": "tnb", "eta": 1, "mean": 10}, "candidates": [candidate]}]}
    files["verify"] = [dplab.cost("plan", plan)]
    for command, keywords in _cost.KEYWORDS.items():
        left = set(keywords.split())
        for options in calls[command]:
            answer = dplab.cost(command, *files.get(command, []), **options)
            assert command in ("advise", "verify") or answer["neighboring"] == "add-or-remove-one", (command, options, answer)
            left -= set(options)
            for written in set(options) & {"figure", "out"}:
                assert answer[written] == str(options[written]) and options[written].stat().st_size > 0, (options, answer)
                assert len(answer["points"]) == 3, answer
                options[written].unlink()
        assert not left, (command, left, "no call has these keywords")
    asked = [
        dict(delta=1e-6, confidence=0.9, threshold=1, expected_mu=1, seed=7, claim="mu=9", figure=figure),
        dict(rank=1), dict(one_run=True, guesses=20),
    ]
    for options in asked:
        assert dplab.audit(scores, members, **options)["epsilon"] >= 0, options
        parameters -= set(options)
    assert not parameters, (parameters, "no call has these keywords")
    assert figure.stat().st_size > 0

sgd = dplab.cost(examples=60000, batch=256, epochs=10, noise=1.1)
assert sgd["warnings"] == [] and sgd["neighboring"] == "add-or-remove-one", sgd
assert dplab.cost(rate=0.01, noise=1, steps=10, examples=100, delta=0.1)["warnings"], "δ is above 1/N"
print(json.dumps({
    "version": dplab.__version__,
    "sgd": sgd,
    "tune": dplab.cost("tune", law="logarithmic", mean=10, base="gaussian", noise=2),
    "rows": dplab.cost("gaussian", noise=[1, 2])["rows"],
    "audit": report,
}))
