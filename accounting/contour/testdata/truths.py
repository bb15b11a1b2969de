"""Writes truths.csv: log delta(eps) of drawn compositions of sampled Gaussians, both directions.

Three methods, none of which is the package's:

  few    two steps, by the convolution of slow_check.py over the closed form of one (Arb at 220 bits, two
         grids that must agree to 1e-9): tiny rates and small delta, where a few large losses decide;
  line   10 to 1e5 steps, by a midpoint sum of brute-force trapezoid sums in 80-bit numbers, with two lines
         that must agree to 1e-10: what a user asks;
  hits   small noise, by the sum over the number of hits of many_hits.py at 40 digits (remove only; outputs that
         it leaves out have probability below 1e-8): there the integral has too many nodes.

Each row says how far the value may be off. Rows that do not come out are left out.

Run: pip install numpy python-flint mpmath; python truths.py > truths.csv
"""
import math
import platform
import random
import sys

import flint
import mpmath
import numpy as np

import many_hits
import slow_check
from flint import arb

LD, CLD = np.longdouble, np.clongdouble
assert np.finfo(LD).nmant >= 63, "needs 80-bit numbers"


def losses(q, s, lo, hi, h):
    j = np.arange(math.floor(lo / h), math.ceil(hi / h) + 1).astype(LD)
    x = j * LD(h)
    v = (2 * x - 1) / (2 * LD(s) ** 2)
    big = v > 30
    l = np.where(big, v + np.log(LD(q)) + np.log1p((1 - LD(q)) / LD(q) * np.exp(-np.where(big, v, 30))),
                 np.log1p(LD(q) * np.expm1(np.where(big, 0, v))))
    return l, np.log(LD(h) / LD(s)) - np.log(2 * LD(np.pi)) / 2 - x * x / (2 * LD(s) ** 2)


def log_mgf(direction, a, phases):
    """K(a), to rounding."""
    k = 0.0
    for q, s, t in phases:
        alpha = a + 1 if direction == "remove" else -a
        lo, hi = min(0, alpha) - 14 * s, max(1, alpha) + 14 * s
        l, w = losses(q, s, lo, hi, (hi - lo) / 3000)
        e = alpha * l + w
        top = e.max()
        if top < 300:
            m = np.exp(e) - np.exp(w) - alpha * (np.exp(l + w) - np.exp(w))
            k += t * float(np.log1p(m.sum()))
        else:
            k += t * float(top + np.log(np.exp(e - top).sum()))
    return k


slow_check.float_k = log_mgf


def line(direction, eps, phases, c, omega, theta):
    """log of the midpoint sum on Re z = c with step 2 pi / omega; None where it takes too long."""
    h = 2 * math.pi / omega
    k = log_mgf(direction, c, phases)
    top = 400.0 * h
    while True:
        n = int(top / h)
        if n > 20000:
            return None
        t = ((np.arange(n) + LD(0.5)) * LD(h))
        z = LD(c) + 1j * t.astype(CLD)
        total = np.zeros(n, CLD)
        for q, s, count in phases:
            alpha = c + 1 if direction == "remove" else -c
            d = theta * s * s
            step = 2 * math.pi * d / (48 + math.log(count) + top * theta + 2 * c * (direction == "add") + d * d / (2 * s * s))
            l, w = losses(q, s, min(0, alpha) - 15 * s, max(1, alpha) + 15 * s, step)
            if len(l) * n > 2e7:
                return None
            e = alpha * l + w
            p = np.exp(e - e.max())
            keep = p > 1e-24
            l, p = l[keep], p[keep] / p.sum()
            sign = 1 if direction == "remove" else -1
            mean = (p * l).sum()
            phi = np.concatenate([np.exp(1j * np.outer(part, sign * (l - mean)).astype(CLD)) @ p.astype(CLD)
                                  for part in np.array_split(t, max(1, n // 200))])
            total += count * (np.log(phi) + 1j * t * sign * mean)
        terms = np.exp(total - 1j * t * LD(eps)) / (z * (z + 1))
        if abs(terms[-1]) < 1e-22 * abs(terms[0]) or abs(terms[-12:]).max() < 1e-21 * abs(terms[0]):
            return k - c * eps + float(np.log((terms.real.sum() * LD(h) / LD(np.pi))))
        top *= 3


def lines(direction, eps, phases):
    c, _ = slow_check.saddle(direction, eps, phases)
    got = []
    for scale, wide, theta in ((1.0, 1.0, 2.0), (0.85, 1.25, 1.6)):
        cc = c * scale
        at = log_mgf(direction, cc, phases) - cc * eps
        need = 16 * math.log(10)
        cost = lambda f: log_mgf(direction, cc * f, phases) - cc * f * eps - at + need + 10
        above = min(cost(f) / (cc * (f - 1)) for f in (1.2, 1.5, 2, 3, 5))
        below = min([(need + 10 + max(0, -at)) / cc] + [cost(f) / (cc * (1 - f)) for f in (0.8, 0.6, 0.4, 0.2)])
        value = line(direction, eps, phases, cc, max(above, below) * wide, theta)
        if value is None:
            return None
        got.append(value)
    return got[0] if abs(got[0] - got[1]) < 1e-10 * max(1, abs(got[0])) else None


def few(direction, eps, phases):
    steps = [(q, s) for q, s, t in phases for _ in range(t)]
    got = [slow_check.convolve(direction, arb(eps), steps, h) for h in (0.012, 0.0085)]
    if not all(v > 0 for v in got):
        return None
    got = [float(v.log().mid()) for v in got]
    return got[1] if abs(got[0] - got[1]) < 1e-9 else None


def directions(method, eps, phases, accuracy):
    """Both values; add costs nothing above its largest loss."""
    most = -sum(t * math.log1p(-q) for q, _, t in phases)
    remove = method("remove", eps, phases)
    add = -math.inf if eps >= most else method("add", eps, phases)
    return None if remove is None or add is None or remove < -250 else (remove, add, accuracy)


def main():
    print("# log delta(eps) of compositions of Poisson-sampled Gaussians, add-or-remove-one; nan: not computed. Made by truths.py")
    print(f"# (seed 2026, three methods) with python {platform.python_version()}, numpy {np.__version__}, python-flint {flint.__version__}, mpmath {mpmath.__version__}.")
    print("id,eps,phases (q:sigma:T),log_delta_remove,log_delta_add,accuracy")

    def row(name, eps, phases, got):
        if got:
            remove, add, accuracy = got
            print(f"{name},{eps!r},{' '.join(f'{q!r}:{s!r}:{t}' for q, s, t in phases)},{remove:.15g},{add:.15g},{accuracy:g}", flush=True)

    short = lambda x: float(f"{x:.3g}")
    kinds = {"few": 24, "line": 40, "hits": 15}
    for kind in sys.argv[1:] or kinds:
        rng = random.Random(2026)
        for i in range(kinds[kind]):
            if kind == "few":
                q, s = short(10 ** rng.uniform(-7, -0.3)), short(math.exp(rng.uniform(-1.2, 1.5)))
                phases = [(q, s, 2)]
                # a loss that an output some deviations out has
                x = 1 + rng.uniform(0, 9) * s
                eps = short(math.log1p(q * math.expm1(min(300, (2 * x - 1) / (2 * s * s)))))
                got = directions(few, eps, phases, 2e-9)
            elif kind == "line":
                q, s, t = short(10 ** rng.uniform(-2.5, -0.2)), short(math.exp(rng.uniform(-0.4, 1.5))), int(10 ** rng.uniform(1, 5))
                phases = [(q, s, t)] if rng.random() < 0.7 else [(q, s, t), (short(q / 3), short(s * 0.8), max(1, t // 4))]
                mu = q * math.sqrt(t * math.expm1(min(4, 1 / s**2)))
                eps = short(mu * mu / 2 + mu * rng.uniform(0.3, 7))
                got = directions(lines, eps, phases, 1e-9)
            else:
                q, s, t = short(10 ** rng.uniform(-5, -1)), short(rng.uniform(0.01, 0.05)), int(10 ** rng.uniform(2, 5))
                phases = [(q, s, t)]
                mean = t * q
                n = max(1, mean + rng.uniform(-2, 8) * math.sqrt(mean))
                eps = short(n * (1 / (2 * s * s) + math.log(q)) - t * q)
                mpf = mpmath.mpf
                got = (float(mpmath.log(many_hits.delta(phases, mpf(1), mpf(0), mpf(0), eps))), math.nan, 1e-6)
            row(f"{kind}{i}", eps, phases, got)


main()
