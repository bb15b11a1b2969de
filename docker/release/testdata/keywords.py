"""Compares the keywords of the functions with the flags of the programs."""

import inspect
import re
import subprocess

import dpcost
from dpcost import _program, _question


def flags(*command):
    said = subprocess.run([*command, "-nonsense"], stderr=subprocess.PIPE, encoding="utf-8").stderr
    names = re.search(r"must be among (.*)", said).group(1)
    return {name.lstrip("-").replace("-", "_") for name in names.split(", ")} - {"json"}


def keywords(name):
    return set(inspect.signature(getattr(dpcost, name)).parameters)


def known(name):
    return keywords(name) - set(_question.ALIASES)


listed = subprocess.run([_program.path("dpcost"), "nonsense"], stderr=subprocess.PIPE, encoding="utf-8").stderr
commands = set(re.search(r"must be (.*)", listed).group(1).replace(" or ", ", ").split(", "))
OWN = {"plan": {"events", "neighboring"}, "expost": {"candidates"}, "verify": {"answer"}}  # files, by position
assert commands == set(dpcost.__all__) - {"Result", "audit", "audit_plan", "calibrate", "event"}, commands
for command in commands - {"ledger"}:
    assert known(command) - OWN.get(command, set()) == flags(_program.path("dpcost"), command), command
verbs = set.union(*(flags(_program.path("dpcost"), "ledger", "file", verb, "gaussian") for verb in ("new", "add", "left", "fits", "show")))
assert known("ledger") - {"path", "verb", "release"} == verbs, verbs
assert known("audit") - {"scores", "members", "outside"} == flags(_program.path("dpaudit"))
assert known("audit_plan") == flags(_program.path("dpaudit"), "plan")
assert known("calibrate") - {"base"} == (known("sgd") | {"count"}) - {"at_epsilon", "at_fpr", "target_tpr", "records_per_person", "statement", "unit"}
for function in dpcost.__all__:
    for alias, name in _question.ALIASES.items():
        assert function == "event" or (name in keywords(function)) == (alias in keywords(function)) or (
            function == "advise" and name == "batch"), (function, alias)
