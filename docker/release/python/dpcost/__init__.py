"""Privacy costs and privacy audits, by the programs dpcost and dpaudit.

    >>> import dpcost
    >>> answer = dpcost.sgd(examples=60000, batch=256, epochs=10, noise=1.1)
    >>> answer.epsilon.upper
    0.91896...
    >>> dpcost.calibrate(2, examples=60000, batch=256, epochs=10).noise_multiplier
    0.78605...
    >>> scores = [0.01 * i for i in range(200)] + [1.005 + 0.01 * i for i in range(200)]
    >>> dpcost.audit(scores, members=[0] * 200 + [1] * 200).answer
    'ε >= 2.9702 at δ = 1e-5, confidence 0.95, nothing assumed but independent games'

One function answers one question:

    sgd, gaussian  what DP-SGD costs, and Gaussian releases
    tune, expost   what a search among runs costs
    plan           what any list of events costs, also of Opacus and dp_accounting
    calibrate      the least noise for an ε, or the most steps, or the largest rate
    curve          δ at ε, the trade-off function, or ε along a run
    verify         checks an answer once more from its proof, without a search
    ledger         what the releases on a data set cost, what is left of a budget, what still fits
    advise         ways to tune, compared before any data is touched
    audit          lower bounds on ε from the scores of an attack
    audit_plan     how many games an audit needs
    event          an event of Opacus or dp_accounting as an event of a plan

Keywords are the programs' flags, with "_" for "-". An answer is a dict, the program's JSON, whose
fields are attributes, too. Notebooks show it as a table. It has to_frame(), records() and figure().
Where a number may be given, those of NumPy may; where a list, its arrays.

Errors:

    ValueError    the program refuses the values, or has no answer for them
    TypeError     an unknown keyword, or a value of a wrong type
    RuntimeError  the program is missing, cannot be run here, or ended without an answer
    ImportError   to_frame without pandas

The programs are in this package, which needs no other package.
"""

from importlib.metadata import PackageNotFoundError as _PackageNotFoundError
from importlib.metadata import version as _version

from ._audit import audit, audit_plan
from ._events import event
from ._functions import advise, calibrate, curve, expost, gaussian, ledger, plan, sgd, tune, verify
from ._result import Result

try:
    __version__ = _version("dpcost")
except _PackageNotFoundError:  # a copy of the folder, without the rest of the wheel
    __version__ = "unknown"

__all__ = [
    "Result",
    "advise",
    "audit",
    "audit_plan",
    "calibrate",
    "curve",
    "event",
    "expost",
    "gaussian",
    "ledger",
    "plan",
    "sgd",
    "tune",
    "verify",
]
