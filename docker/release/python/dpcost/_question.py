"""Keywords: other names for them, and words for those that are not taken."""

from __future__ import annotations

import functools
import inspect
import os
from typing import Any, Callable, Protocol, SupportsFloat, TypeVar, Union, cast

from ._program import KEYWORDS
from ._result import near

Path = Union[str, "os.PathLike[str]"]
Number = Union[float, SupportsFloat]
"""A number of Python or NumPy."""


class Array(Protocol):
    """An array of NumPy, PyTorch or pandas."""

    def tolist(self) -> Any: ...


ALIASES = {
    "noise_multiplier": "noise",
    "sample_rate": "rate",
    "sampling_probability": "rate",
    "batch_size": "batch",
    "expected_batch_size": "batch",
    "target_delta": "delta",
}
"""The names of Opacus and dp_accounting."""

MEANT = {
    "sigma": "noise",
    "sampling_rate": "rate",
    "q": "rate",
    "iterations": "steps",
    "num_steps": "steps",
    "num_examples": "examples",
    "number_of_examples": "examples",
    "sample_size": "examples",
    "epsilon": "target_epsilon",
    "eps": "target_epsilon",
}

REFUSED = {
    "max_grad_norm": "the clipping norm has no influence on ε, as the noise is relative to it: leave it out",
    "poisson_sampling": 'give batches="poisson", which is the default, or batches="shuffled"',
    "neighboring": "this function answers for add-or-remove-one: plan takes other relations",
    "accountant": "the least of all bounds is returned, and bounds has each: leave it out",
}

F = TypeVar("F", bound=Callable[..., Any])


def question(f: F) -> F:
    """Make a function take the names of Opacus and dp_accounting, and answer others with a hint."""
    parameters = inspect.signature(f).parameters
    known = [name for name in parameters if name not in ALIASES]
    KEYWORDS.update(known)

    @functools.wraps(f)
    def asked(*args: Any, **options: Any) -> Any:
        for name in options:
            if name not in parameters:
                hint = REFUSED.get(name, "")
                if not hint:
                    meant = MEANT.get(name, ALIASES.get(name))
                    hint = f"did you mean {meant!r}? " if meant in known else near(name, known)
                    hint += f"must be one of {', '.join(known)}"
                raise TypeError(f"{f.__name__}() got an unexpected keyword argument {name!r}: {hint}")
        for alias, name in ALIASES.items():
            value = options.pop(alias, None)
            if value is not None:
                if options.get(name) is not None:
                    raise TypeError(f"{f.__name__}() got {alias!r} and another name of {name!r}: must be given once")
                options[name] = value
        return f(*args, **options)

    return cast(F, asked)
