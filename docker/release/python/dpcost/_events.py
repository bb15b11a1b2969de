"""Events of Opacus and dp_accounting as events of dpcost. Only attributes are read: neither is imported."""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Mapping, Optional

from ._program import plain
from ._question import Number

Event = Dict[str, Any]


def event(
    source: Any, *, rate: Optional[Number] = None, steps: Optional[Number] = None, neighboring: str = "add-or-remove-one"
) -> Event:
    """Return an event of Opacus or dp_accounting as an event of a plan.

        >>> class Accountant:  # as opacus.accountants.PRVAccountant after 100 steps
        ...     history = [(1.1, 0.01, 100)]
        >>> event(Accountant())
        {'type': 'dp_sgd', 'sampling_rate': 0.01, 'noise_multiplier': 1.1, 'steps': 100}

    source is one of

        an accountant of Opacus, or a PrivacyEngine, which holds one: the steps of its history
        an optimizer of Opacus: with rate, which is 1 / len(data_loader), and steps
        an event of dp_accounting, or an accountant, which holds one: what it was told so far

    A history of Opacus does not show how batches were drawn: the event is of Poisson batches, the
    default of make_private. It does not hold with poisson_sampling=False, nor if several batches
    were added up for one step.

    neighboring matters to dp_accounting only. Its events have noise relative to the norm of one
    record, and a replaced record moves a sum by twice that norm.

    Raises ValueError for an event that dpcost has not and for a history without steps, and TypeError for anything else.
    """
    optimizer = hasattr(source, "noise_multiplier") and hasattr(source, "max_grad_norm")
    if not optimizer and (rate is not None or steps is not None):
        raise TypeError("rate and steps: must be given for an optimizer of Opacus only")
    if isinstance(source, Mapping):
        return dict(source)
    if optimizer:
        if hasattr(source, "unclipped_num_std"):
            raise ValueError(
                "an optimizer with adaptive clipping: versions of Opacus differ in its noise_multiplier:"
                " give the one of make_private to sgd()"
            )
        if rate is None or steps is None:
            raise TypeError("an optimizer of Opacus: rate, which is 1 / len(data_loader), and steps must be given")
        return _dp_sgd(source.noise_multiplier, rate, steps)
    history = getattr(getattr(source, "accountant", source), "history", None)
    if history is not None:
        if not history:
            raise ValueError("an accountant of Opacus without steps: must be asked after the training")
        return _composed([_dp_sgd(*entry) for entry in history])
    source = getattr(source, "ledger", source)
    kind = type(source).__name__
    if kind in _KINDS:
        return _KINDS[kind](source, neighboring)
    if kind.endswith("DpEvent"):
        raise ValueError(f"{kind}: dpcost has no event for it: must be one of {', '.join(sorted(_KINDS))}")
    raise TypeError(
        f"{kind}: must be an accountant, engine or optimizer of Opacus, an event or accountant of dp_accounting,"
        " or a dict"
    )


def plan_of(source: Any, neighboring: Optional[str] = None) -> Any:
    """Return a plan as a path or as a dict."""
    if isinstance(source, (str, os.PathLike)):
        if neighboring is not None:
            raise TypeError("neighboring: must not be given with a file, which has a field for it")
        return source
    if isinstance(source, Mapping) and "type" not in source:
        whole = dict(source)
    else:
        relation = getattr(source, "neighboring_relation", None)  # of an accountant of dp_accounting
        if neighboring is None and relation is not None:
            neighboring = relation.name.lower().replace("_", "-")
        several = source if isinstance(source, (list, tuple)) else [source]
        whole = {"events": [event(one, neighboring=neighboring or "add-or-remove-one") for one in several]}
    if neighboring is not None:
        whole["neighboring"] = neighboring
    return whole


def _dp_sgd(noise: Any, rate: Any, steps: Any) -> Event:
    if not noise > 0:
        return {"type": "non_private"}
    return {"type": "dp_sgd", "sampling_rate": plain(rate), "noise_multiplier": plain(noise), "steps": plain(steps)}


def _composed(events: List[Event]) -> Event:
    if len(events) == 1:
        return events[0]
    return {"type": "composed", "events": events} if events else {"type": "pure_dp", "epsilon": 0}


def _noisy(kind: str, noise: float, **fields: Any) -> Event:
    return {"type": kind, "noise_multiplier": noise, **fields} if noise > 0 else {"type": "non_private"}


def _repeated(inner: Event, count: int) -> Event:
    return {"type": "self_composed", "count": count, "event": inner} if count else _composed([])


def _laplace(e: Any, neighboring: str) -> Event:
    return _noisy("laplace", e.noise_multiplier / (2 if neighboring == "replace-one" else 1))


def _response(e: Any, neighboring: str) -> Event:
    if neighboring != "replace-one" or e.num_buckets != 2:
        raise ValueError(f"RandomizedResponseDpEvent: num_buckets {e.num_buckets}, {neighboring}: must be 2, replace-one")
    return {"type": "randomized_response", "truth": 1 - e.noise_parameter / 2}


def _tree(e: Any, neighboring: str) -> Event:
    # A record is in one leaf of one tree of n leaves, so in at most ⌈log2(n+1)⌉ of the nodes that are
    # released: Kairouz et al. (2021), arXiv:2103.00039, Appendix D. This is n.bit_length().
    if neighboring != "replace-special":
        raise ValueError(f"SingleEpochTreeAggregationDpEvent: {neighboring}: must be replace-special")
    counts = plain(e.step_counts)
    depth = max(int(n).bit_length() for n in (counts if isinstance(counts, (list, tuple)) else [counts]))
    return _repeated(_noisy("clipped_sum", e.noise_multiplier), depth)


def _selection(e: Any, neighboring: str) -> Event:
    law = {"type": "poisson", "mean": e.mean} if e.shape == float("inf") else {"type": "tnb", "eta": e.shape, "mean": e.mean}
    return {"type": "selection", "law": law, "base": event(e.event, neighboring=neighboring)}


def _sized(kind: str) -> Callable[[Any, str], Event]:
    return lambda e, neighboring: {
        "type": kind,
        "sample_size": e.sample_size,
        "population_size": e.source_dataset_size,
        "event": event(e.event, neighboring=neighboring),
    }


def _truncated(e: Any, neighboring: str) -> Event:
    return {
        "type": "truncated_poisson",
        "sampling_rate": e.sampling_probability,
        "cap": e.truncated_batch_size,
        "population_size": e.dataset_size,
        "event": _noisy("clipped_sum", e.noise_multiplier),
    }


def _zcdp(e: Any, neighboring: str) -> Event:
    if e.xi != 0:
        raise ValueError(f"ZCDpEvent: xi {e.xi}: must be 0")
    return {"type": "zcdp", "rho": e.rho}


_KINDS: Dict[str, Callable[[Any, str], Event]] = {
    "NoOpDpEvent": lambda e, neighboring: _composed([]),
    "NonPrivateDpEvent": lambda e, neighboring: {"type": "non_private"},
    "GaussianDpEvent": lambda e, neighboring: _noisy("clipped_sum", e.noise_multiplier),
    "LaplaceDpEvent": _laplace,
    "RandomizedResponseDpEvent": _response,
    "SelfComposedDpEvent": lambda e, neighboring: _repeated(event(e.event, neighboring=neighboring), e.count),
    "ComposedDpEvent": lambda e, neighboring: _composed([event(one, neighboring=neighboring) for one in e.events]),
    "PoissonSampledDpEvent": lambda e, neighboring: {
        "type": "poisson_sampled",
        "sampling_rate": e.sampling_probability,
        "event": event(e.event, neighboring=neighboring),
    },
    "SampledWithReplacementDpEvent": _sized("sampled_with_replacement"),
    "SampledWithoutReplacementDpEvent": _sized("sampled_without_replacement"),
    "SingleEpochTreeAggregationDpEvent": _tree,
    "RepeatAndSelectDpEvent": _selection,
    "MixtureOfGaussiansDpEvent": lambda e, neighboring: _noisy(
        "mixture_of_gaussians", e.standard_deviation, chances=list(e.sampling_probs), distances=list(e.sensitivities)
    ),
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "ZCDpEvent": _zcdp,
}
