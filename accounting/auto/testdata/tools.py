"""Writes tools.csv: ε of DP-SGD by the accountants of other libraries, with their default settings.

    pip install numpy==2.4.6 scipy==1.17.1 dp-accounting==0.6.0
    pip install --no-deps opacus==1.6.0
    python tools.py > tools.csv

Opacus's accountants need no torch. Here an empty package takes the place of the rest of Opacus.
"""

import importlib.util
import sys
import types
import warnings
from importlib.metadata import version

import dp_accounting
from dp_accounting import pld, rdp

# opacus.accountants imports opacus and opacus.optimizers, which import torch.
opacus = types.ModuleType("opacus")
opacus.__path__ = importlib.util.find_spec("opacus").submodule_search_locations
optimizers = types.ModuleType("opacus.optimizers")
optimizers.DPOptimizer = object
sys.modules.update({"opacus": opacus, "opacus.optimizers": optimizers})
from opacus.accountants import PRVAccountant, RDPAccountant

warnings.simplefilter("ignore")

SETTINGS = [  # q, σ, steps, δ
    (256 / 60000, 1.1, 2344, 1e-5),
    (0.01, 2, 5000, 1e-5),
    (0.004, 0.5, 3000, 1e-5),
    (0.001, 1, 100000, 1e-6),
    (1, 10, 1000, 1e-5),
]


def of_opacus(accountant, q, sigma, steps, delta):
    accountant.history = [(sigma, q, steps)]
    return accountant.get_epsilon(delta)


def of_google(accountant, q, sigma, steps, delta):
    step = dp_accounting.PoissonSampledDpEvent(q, dp_accounting.GaussianDpEvent(sigma))
    return accountant.compose(step, steps).get_epsilon(delta)


TOOLS = {
    "opacus_rdp": lambda *setting: of_opacus(RDPAccountant(), *setting),
    "opacus_prv": lambda *setting: of_opacus(PRVAccountant(), *setting),
    "dp_accounting_rdp": lambda *setting: of_google(rdp.RdpAccountant(), *setting),
    "dp_accounting_pld": lambda *setting: of_google(pld.PLDAccountant(), *setting),
}

print(f"# By tools.py, with opacus {version('opacus')}, dp_accounting {version('dp-accounting')},", end=" ")
print(f"numpy {version('numpy')}, scipy {version('scipy')}, Python {sys.version.split()[0]}.")
print("q,sigma,steps,delta," + ",".join(TOOLS))
for setting in SETTINGS:
    answers = []
    for tool in TOOLS.values():
        try:
            answers.append(repr(float(tool(*setting))))
        except Exception as e:
            answers.append("error: " + str(e).split("\n")[0].replace(",", ";"))
    print(",".join([repr(x) for x in setting] + answers))
