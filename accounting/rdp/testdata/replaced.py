"""Writes replaced.csv: the Renyi divergence of a clipped sum on a Poisson sample under replace-one, in ball arithmetic.

M - 1 = E_P[exp(a L)] - 1 for P = (1-q) N(0, s^2) + q N(1, s^2), L = log A(x) - log A(-x), A = 1-q + q exp((2x-1)/(2s^2)), a = alpha-1:
the trapezoid rule on the real line at 700 bits, with two steps that must agree to 1e-17 of M - 1.

pip install python-flint; python3 replaced.py > replaced.csv
"""
import math
import random

import flint
from flint import arb, ctx

ctx.prec = 700


def excess(q, s, alpha, fine):
    q, s, a = arb(q), arb(s), arb(alpha) - 1
    h = arb(min(float(s) * 0.2, float(s) ** 2 * 0.12) / fine)
    low, high = -1 - 22 * float(s), alpha + float(a * q) + 22 * float(s)
    total = arb(0)
    for j in range(math.floor(low / float(h)), math.ceil(high / float(h)) + 1):
        x = h * j
        up, down = (1 - q + q * ((t * 2 * x - 1) / (2 * s * s)).exp() for t in (1, -1))
        loss = (up / down).log()
        total += ((a * loss).exp() - 1) * up * (-x * x / (2 * s * s)).exp()
    return total * h / (s * (2 * arb.pi()).sqrt())


def main():
    rng = random.Random(7)
    qs = [1e-8, 1e-4, 0.001, 256 / 60000, 0.01, 0.1, 0.4, 0.5, 0.9, 0.999]
    sigmas = [0.3, 0.5, 0.7, 1.0, 1.1, 2.5, 12.0, 100.0, 1e4]
    orders = [1.000001, 1.01, 1.1, 1.25, 1.5, 2, 2.5, 3, 3.8, 8.1, 16, 27, 58.75, 100, 255.5]
    cases = [(q, s, a) for q in qs for s in sigmas for a in orders if a / s**2 < 400]
    print(f"# replaced.py, python-flint {flint.__version__}, 700 bits")
    print("rate,noise_multiplier,order,rdp")
    for q, s, a in rng.sample(cases, 160):
        one, two = excess(q, s, a, 1), excess(q, s, a, 1.3)
        if not abs(float((one / two - 1).mid())) < 1e-17:
            raise SystemExit(f"{q} {s} {a}: {one} {two}")
        value = (1 + two).log() / (arb(a) - 1)
        print(f"{q!r},{s!r},{a!r},{value.mid().str(18, radius=False)}", flush=True)


main()
