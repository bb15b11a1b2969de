"""Privacy costs and privacy audits, by the programs dpcost and dpaudit of dplab.

    >>> import dplab
    >>> answer = dplab.cost(examples=60000, batch=256, epochs=10, noise=1.1)
    >>> answer["epsilon"]["upper"]
    0.91896...
    >>> scores = [0.01 * i for i in range(200)] + [1.005 + 0.01 * i for i in range(200)]
    >>> report = dplab.audit(scores, members=[0] * 200 + [1] * 200)
    >>> report["answer"]
    'ε >= 2.9702 at δ = 1e-5, confidence 0.95, nothing assumed but independent games'

cost gives upper bounds on ε, and audit gives lower bounds. Both return the program's JSON answer as
a dict. The programs are in this package, which needs no other package.

Errors:

    ValueError    the program refuses the values, or has no answer for them
    TypeError     an unknown keyword, or a value of a wrong type
    RuntimeError  the program is missing, cannot be run, or ended without an answer
"""

from importlib.metadata import version as _version

from ._audit import audit
from ._cost import cost

__all__ = ["audit", "cost"]
__version__ = _version("dplab")
