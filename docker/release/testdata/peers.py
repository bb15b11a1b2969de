"""Compares the wheel with a package of other people, if it is installed: peers.py NAME."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings

import dpcost


CHECKS = {}


def with_package(name):
    """Keep a check that needs a package."""

    def decorate(check):
        CHECKS[name] = check

    return decorate


@with_package("opacus")
def _(opacus):
    import torch

    warnings.simplefilter("ignore")
    data = torch.utils.data.TensorDataset(torch.randn(1000, 4), torch.randint(2, (1000,)))
    for accountant in ("rdp", "prv", "gdp"):
        model = torch.nn.Linear(4, 2)
        engine = opacus.PrivacyEngine(accountant=accountant)
        model, optimizer, loader = engine.make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=0.1),
            data_loader=torch.utils.data.DataLoader(data, batch_size=64),
            noise_multiplier=1.1,
            max_grad_norm=1.0,
        )
        for x, y in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(x), y).backward()
            optimizer.step()
        rate = 1 / len(loader)
        wanted = {"type": "dp_sgd", "sampling_rate": rate, "noise_multiplier": 1.1, "steps": len(loader)}
        assert dpcost.event(engine) == dpcost.event(engine.accountant) == wanted, (dpcost.event(engine), wanted)
        assert dpcost.event(optimizer, rate=rate, steps=len(loader)) == wanted
        ours, theirs = dpcost.plan(engine, delta=1e-5).epsilon, engine.get_epsilon(1e-5)
        assert ours == dpcost.sgd(rate=rate, noise=1.1, steps=len(loader)).epsilon
        if accountant == "rdp":  # an upper bound
            assert ours.upper <= theirs, (ours, theirs)
        if accountant == "prv":  # exact to its error of 0.01
            assert abs(ours.upper - theirs) < 0.02, (ours, theirs)
    accountant = opacus.accountants.RDPAccountant()
    assert dpcost.plan(accountant).epsilon.upper == 0
    for noise, steps in ((2.0, 100), (1.0, 50)):
        for _ in range(steps):
            accountant.step(noise_multiplier=noise, sample_rate=0.01)
    phases = dpcost.plan(accountant, delta=1e-6)
    assert phases.mechanism == "Composed(100 x PoissonSampled(q=0.01, ClippedSum(σ=2)), 50 x PoissonSampled(q=0.01, ClippedSum(σ=1)))"
    assert phases.epsilon.upper <= accountant.get_epsilon(1e-6)
    from opacus.optimizers import AdaClipDPOptimizer

    adaptive = AdaClipDPOptimizer.__new__(AdaClipDPOptimizer)
    adaptive.noise_multiplier, adaptive.max_grad_norm, adaptive.unclipped_num_std = 1.0, 1.0, 1.0
    try:
        raise AssertionError(dpcost.event(adaptive, rate=0.1, steps=5))
    except ValueError as e:
        assert "adaptive clipping" in str(e), e


@with_package("dp_accounting")
def _(d):
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    add, replace, special = d.NeighboringRelation.ADD_OR_REMOVE_ONE, d.NeighboringRelation.REPLACE_ONE, d.NeighboringRelation.REPLACE_SPECIAL
    step = d.PoissonSampledDpEvent(0.01, d.GaussianDpEvent(2.0))
    selection = d.dp_event.RepeatAndSelectDpEvent
    mixture = d.dp_event.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.9, 0.08, 0.02])
    # An accountant, a relation, an event, and how far both may differ as a part of ε (the grids; for
    # capped batches our upper end), or 0 if theirs is a looser upper bound. Theirs is never below the true ε, so not below our lower end.
    for accountant, relation, event, exact in [
        (PLDAccountant, add, d.GaussianDpEvent(1.5), 2e-3),
        (PLDAccountant, add, d.LaplaceDpEvent(3.0), 2e-3),
        (PLDAccountant, add, d.SelfComposedDpEvent(step, 1000), 2e-3),
        (PLDAccountant, add, d.ComposedDpEvent([step, d.NoOpDpEvent(), d.SelfComposedDpEvent(d.GaussianDpEvent(5.0), 3)]), 2e-3),
        (PLDAccountant, add, d.SelfComposedDpEvent(mixture, 10), 2e-3),
        (PLDAccountant, special, d.SelfComposedDpEvent(step, 1000), 2e-3),
        (PLDAccountant, replace, d.RandomizedResponseDpEvent(0.5, 2), 2e-3),
        (PLDAccountant, replace, d.GaussianDpEvent(4.0), 2e-3),
        (PLDAccountant, replace, d.SelfComposedDpEvent(step, 100), 2e-3),
        (PLDAccountant, add, d.SelfComposedDpEvent(d.TruncatedSubsampledGaussianDpEvent(10000, 0.01, 130, 2.0), 10), 2e-2),
        (RdpAccountant, add, d.SelfComposedDpEvent(step, 1000), 0),
        (RdpAccountant, add, d.ZCDpEvent(0.1), 0),
        (RdpAccountant, special, d.SingleEpochTreeAggregationDpEvent(4.0, [7, 8, 3]), 0),
        (RdpAccountant, add, selection(d.SelfComposedDpEvent(step, 100), 10, 1), 0),
        (RdpAccountant, add, selection(d.GaussianDpEvent(4.0), 10, float("inf")), 0),
        (PLDAccountant, add, d.NonPrivateDpEvent(), 2e-3),
        (PLDAccountant, add, d.GaussianDpEvent(0.0), 2e-3),
    ]:
        told = accountant(neighboring_relation=relation)
        told.compose(event)
        theirs, ours = told.get_epsilon(1e-5), dpcost.plan(told).epsilon
        assert dpcost.plan(event, neighboring=relation.name.lower().replace("_", "-")).epsilon == ours, event
        if theirs == float("inf"):
            assert ours.upper == theirs, (event, ours)
        elif exact > 0:
            assert ours.lower <= theirs and abs(ours.upper - theirs) < exact * theirs, (event, ours, theirs)
        else:
            assert 0 < ours.upper <= theirs * (1 + 1e-9), (event, ours, theirs)
    # Noise is relative to the norm of one record, and a replaced record moves a sum by twice that. The RDP accountant, and
    # PLD for Laplace, leave the factor to the caller.
    assert dpcost.event(d.LaplaceDpEvent(4.0), neighboring="replace-one") == dpcost.event(d.LaplaceDpEvent(2.0))
    inner = d.SampledWithoutReplacementDpEvent(60000, 256, d.GaussianDpEvent(4.0))
    told = RdpAccountant(neighboring_relation=replace)
    told.compose(d.SampledWithoutReplacementDpEvent(60000, 256, d.GaussianDpEvent(2.0)))
    assert 0 < dpcost.plan(inner, neighboring="replace-one").epsilon.upper <= told.get_epsilon(1e-5)
    assert dpcost.plan(d.SampledWithReplacementDpEvent(60000, 256, d.GaussianDpEvent(2.0)), delta=1e-5).epsilon.upper > 0
    for refused, relation in [
        (d.UnsupportedDpEvent(), "replace-one"), (d.ZCDpEvent(0.1, 0.1), "replace-one"),
        (d.RandomizedResponseDpEvent(0.5, 2), "add-or-remove-one"), (d.RandomizedResponseDpEvent(0.5, 3), "replace-one"),
        (d.SingleEpochTreeAggregationDpEvent(4.0, 7), "replace-one"),
    ]:
        try:
            raise AssertionError(dpcost.plan(refused, neighboring=relation))
        except ValueError as e:
            assert type(refused).__name__ in str(e), e


@with_package("numpy")
def _(np):
    want = dpcost.sgd(rate=0.25, noise=2, steps=3)
    assert dpcost.sgd(rate=np.float32(0.25), noise=np.float64(2), steps=np.int64(3)) == want
    assert dpcost.sgd(rate=np.array(0.25), noise=np.array([2]), steps=np.uint8(3), statement=np.bool_(False)).epsilon == want.epsilon
    assert [row.noise_multiplier for row in dpcost.gaussian(noise=np.linspace(1, 2, 3)).rows] == [1, 1.5, 2]
    plan = {"events": [{"type": "gaussian", "noise_multiplier": np.float32(1.5), "repeat": np.int64(2)}]}
    assert dpcost.plan(plan).epsilon == dpcost.gaussian(noise=1.5, count=2).epsilon
    assert dpcost.plan([{"type": "discrete_pair", "with": np.array([0.25, 0.75]), "without": np.array([0.5, 0.5])}]).delta == 1e-5
    scores = np.arange(40, dtype=np.float32)
    report = dpcost.audit(scores, scores > 19, seed=np.uint64(3), claim={"mu": np.float32(1)})
    assert report == dpcost.audit(scores.reshape(-1, 1), (scores > 19).astype(np.int8), seed=3, claim="mu=1")
    assert report == dpcost.audit(scores[20:], outside=scores[:20], seed=3, claim="mu=1")
    assert dpcost.tune(law="pmf", weights=np.array([0, 0.5, 0.5]), base="gaussian", noise=2).epsilon.upper > 0


@with_package("pandas")
def _(pd):
    frame = dpcost.gaussian(noise=[1, 2]).to_frame()
    assert list(frame["noise_multiplier"]) == [1, 2] and frame["epsilon_upper"].is_monotonic_decreasing, frame
    points = dpcost.curve(base="gaussian", noise=1, points=3).to_frame()
    assert list(points.columns)[:4] == ["x", "y_lower", "y_estimate", "y_upper"] and len(points) == 3, points
    table = pd.DataFrame({"id": range(40), "score": [float(i) for i in range(40)], "member": pd.array([i > 19 for i in range(40)], dtype="boolean")})
    report = dpcost.audit(table, seed=3)
    assert report == dpcost.audit(table["score"], table["member"], seed=3) == dpcost.audit(table[["score"]], table[["member"]], seed=3)
    bounds = report.to_frame()
    assert "clopper-pearson" not in set(bounds["name"]) and (bounds["confidence"] == 0.95).all(), bounds
    table.loc[3, "member"] = pd.NA
    try:
        raise AssertionError(dpcost.audit(table))
    except ValueError as e:
        assert "members[3] is <NA>: must be 0 or 1" in str(e), e


TYPED = """
from pathlib import Path
import dpcost
answer = dpcost.sgd(rate=0.1, noise_multiplier=1, steps=10, delta=1e-5, batches="poisson", figure_does_not_exist=1)
wrong: str = dpcost.calibrate(2, rate=0.1, steps="ten").epsilon.upper
answer.epsilom
dpcost.sgd(batches="poison")
upper: float = answer.epsilon.upper
rows: list[float] = [row.epsilon.upper for row in dpcost.gaussian(noise=[1, 2.5]).rows]
y: float | None = dpcost.curve(base="gaussian", noise=1, figure=Path("a.svg")).points[0].y.lower
name: str = dpcost.audit([1.5, 2], [True, False], claim={"mu": 1}).bounds[0].name
fits: bool = dpcost.ledger("s.ledger", "fits", "sgd", rate=0.1, noise=2, steps=5).fits
spent: float = dpcost.ledger(Path("s.ledger"), "left").ledger.budget_epsilon
dpcost.verify(answer).verified, dpcost.plan([{"type": "gaussian"}]).figure("a.png").svg
"""


@with_package("mypy")
def _(_):
    from mypy import api as mypy

    said, _, _ = mypy.run(["--strict", "-c", TYPED])
    lines = [line for line in said.splitlines() if " error: " in line]
    at = [int(line.split(":")[1]) for line in lines]
    assert at == [4, 5, 5, 6, 7], said
    said, _, code = mypy.run(["--strict", os.path.dirname(dpcost.__file__)])
    assert code == 0, said
    if importlib.util.find_spec("numpy"):
        arrays = "import dpcost\nimport numpy as np\ndpcost.sgd(rate=np.float32(1), noise=np.linspace(1, 2, 3), steps=np.int64(3))\n"
        said, _, code = mypy.run(["--strict", "-c", arrays + "dpcost.audit(np.zeros(3), np.zeros(3) > 1)\n"])
        assert code == 0, said


@with_package("jedi")
def _(jedi):
    for text, names in [("dpcost.sgd(no", {"noise=", "noise_multiplier="}), ("dpcost.audit(s, m, conf", {"confidence="}),
                        ("dpcost.calibrate(2, sam", {"sample_rate=", "sampling_probability="}), ("dpcost.sgd(rate=1).eps", {"epsilon"}),
                        ("dpcost.gaussian(noise=1).epsilon.up", {"upper", "update"})]:
        found = {c.name for c in jedi.Script("import dpcost\n" + text).complete()}
        assert names <= found, (text, found)


if len(sys.argv) != 2 or sys.argv[1] not in CHECKS:
    sys.exit(f"peers.py {' '.join(sys.argv[1:])}: must be one of {', '.join(CHECKS)}")
try:
    package = importlib.import_module(sys.argv[1])
except ImportError as e:
    print("SKIP", e)
else:
    CHECKS[sys.argv[1]](package)
