"""Writes replaced.csv: log delta(eps) of sums of clipped vectors on Poisson samples, replace-one.

A second method for the package's tests, in ball arithmetic (Arb) at 220 bits, brute force. The pair is
P = (1-q) N(0, s^2) + q N(1, s^2) against Q = (1-q) N(0, s^2) + q N(-1, s^2).

Rows of many steps: the moment generating function is a trapezoid sum on the real line, the inversion a
midpoint sum on one vertical line, both so fine that every neglected part is below 1e-24 of the result.
Each value is computed twice, with other lines and steps, and must agree to 1e-15. Rows of two or three
steps: no transform, but delta_T(eps) = E_P delta_{T-1}(eps - L(x)) over the closed form of one step, by
double exponential sums with two steps that must agree to 1e-12 (two) or 1e-10 (three). No bound, cut or
series of the package is used.

Run: pip install python-flint; python replaced.py > replaced.csv; names of rows as arguments do only those
"""
import math
import platform
import sys

import flint
from flint import acb, arb, ctx

ctx.prec = 220

# (id, eps, [(q, sigma, T), ...]); q = 1 is a plain Gaussian.
ROWS = [
    ("classic", 3.0, [(0.01, 2.0, 5000)]),
    ("mnist_like", 4.0, [(0.004, 1.1, 15000)]),
    ("eps_tiny", 0.005, [(0.001, 20.0, 500)]),
    ("eps_zero", 0.0, [(0.01, 1.5, 400)]),
    ("large_q", 15.0, [(0.9, 6.0, 100)]),
    ("q_half", 16.0, [(0.5, 5.0, 200)]),
    ("small_sigma", 14.0, [(0.004, 0.5, 3000)]),
    ("sigma_0.4", 80.0, [(0.05, 0.4, 100)]),
    ("delta_1e-50", 14.0, [(0.01, 1.0, 1000)]),
    ("few_large", 0.5, [(0.003, 0.9, 1000)]),
    ("million", 4.0, [(0.0003, 0.9, 1000000)]),
    ("big_sigma", 8.0, [(0.01, 100.0, 100000000)]),
    ("forty_steps", 3.0, [(0.2, 1.5, 40)]),
    ("phases", 4.0, [(0.01, 1.5, 1000), (0.02, 2.5, 2000), (0.005, 0.9, 1500)]),
    ("with_gaussian", 5.0, [(0.01, 1.0, 2000), (1.0, 4.0, 5)]),
    ("two_steps", 1.0, [(0.5, 1.0, 2)]),
    ("two_steps_small_q", 2.2, [(0.01, 0.6, 2)]),
    ("two_steps_tail", 20.0, [(0.001, 0.7, 2)]),
    ("two_different", 1.0, [(0.1, 1.0, 1), (0.02, 0.8, 1)]),
    ("three_steps", 1.0, [(0.3, 1.5, 3)]),
]


def log_a(q, s, x):
    """log(1-q + q e^v), v = (2x-1)/(2s^2)."""
    return (1 - arb(q) + arb(q) * ((2 * x - 1) / (2 * arb(s) ** 2)).exp()).log()


class Law:
    """Trapezoid nodes of E_P exp(z L), L(x) = log_a(x) - log_a(-x)."""

    def __init__(self, q, s, h, low, high):
        norm = (arb(h) / (arb(s) * (2 * arb.pi()).sqrt())).log()
        self.loss, self.weight = [], []
        for j in range(math.floor(low / h), math.ceil(high / h) + 1):
            x = arb(h) * j
            a, b = log_a(q, s, x), log_a(q, s, -x)
            self.loss.append(a - b)
            self.weight.append(norm - x * x / (2 * arb(s) ** 2) + a)

    def mgf(self, z):
        total = acb(0)
        for l, w in zip(self.loss, self.weight):
            total += (z * l + w).exp()
        return total


def log_m(a, phases):
    """K(a) in double precision, to choose lines only."""
    k = 0.0
    for q, s, t in phases:
        if q == 1:
            k += t * a * (a + 1) / (2 * s * s)
            continue
        h, terms = s / 12, []
        la = lambda x: (lambda v: math.log1p(q * math.expm1(v)) if v < 30 else v + math.log(q))((2 * x - 1) / (2 * s * s))
        for j in range(math.floor((-14 * s - 1) / h), math.ceil((2 * a + 2 + 14 * s) / h) + 1):
            x = j * h
            p, l = la(x) - x * x / (2 * s * s) + math.log(h / s / math.sqrt(2 * math.pi)), la(x) - la(-x)
            terms.append((p, a * l))
        top = max(p + l for p, l in terms)
        if top < 300:
            k += t * math.log1p(sum(math.exp(p) * math.expm1(l) if l < 1 else math.exp(p + l) - math.exp(p) for p, l in terms))
        else:
            k += t * (top + math.log(sum(math.exp(p + l - top) for p, l in terms)))
    return k


def saddle(eps, phases):
    f = lambda a: log_m(a, phases) - a * eps - math.log(a * (a + 1))
    grid, values = [0.02 * 1.3**i for i in range(60)], []
    for a in grid:
        values.append(f(a))
        if values[-1] > min(values) + 100:
            break
    return grid[min(range(len(values)), key=values.__getitem__)]


def many(eps, phases, c, omega, fine):
    """log of the midpoint sum on Re z = c with step 2 pi / omega."""
    h, top = 2 * math.pi / omega, 32
    while True:
        laws = []
        for q, s, t in phases:
            if q == 1:
                laws.append((None, s, t))
                continue
            theta = min(1.5, 3 / s)  # half the width of the strip over s^2
            b = theta * s * s
            grow = 2 * theta * top * h + c * theta * theta / 4 + b * b / (2 * s * s)
            step = 2 * math.pi * b / (26 * math.log(10) + math.log(t) + grow) / fine
            laws.append((Law(q, s, step, -1 - 15 * s, max(1, c + 1 + c * q) + 15 * s), s, t))
        total, first, done = arb(0), None, False
        for j in range(top):
            z = acb(arb(c), (arb(j) + arb(1) / 2) * arb(h))
            log = -z * arb(eps)
            for law, s, t in laws:
                log += z * (z + 1) * t / (2 * arb(s) ** 2) if law is None else law.mgf(z).log() * t
            term = log.exp() / (z * (z + 1))
            total += term.real
            size = abs(term)
            first = first if first is not None else size
            if float((size / first).mid()) < 1e-26:
                done = True
                break
        if done:
            return (total * arb(h) / arb.pi()).log(), j
        top *= 4


def transformed(name, eps, phases):
    got = []
    for scale, wide, fine in ((1.0, 1.0, 1.0), (0.85, 1.25, 1.2)):
        c = saddle(eps, phases) * scale
        at = log_m(c, phases) - c * eps
        need = 24 * math.log(10) + 10
        above = min((log_m(c * f, phases) - c * f * eps - at + need) / (c * (f - 1)) for f in (1.2, 1.5, 2, 3))
        below = min((log_m(c * f, phases) - c * f * eps - at + need) / (c * (1 - f)) for f in (1e-9, 0.2, 0.4, 0.6, 0.8))
        value, n = many(eps, phases, c, max(above, below) * wide, fine)
        print(f"{name} c={c:.4g} n={n} {value}", file=sys.stderr, flush=True)
        got.append(value)
    return got, 1e-15


def one(eps, q, s):
    """delta of one step at any real eps."""
    s2, root = arb(s) ** 2, arb(s) * arb(2).sqrt()
    k = (1 - arb(q)) / arb(q) * (1 / (2 * s2)).exp()
    tau = s2 * (eps / 2 + ((eps / 2).sinh() * k).asinh())
    tail = lambda m: ((tau - m) / root).erfc() / 2
    return arb(q) * tail(1) - (1 - arb(q)) * eps.expm1() * tail(0) - eps.exp() * arb(q) * tail(-1)


def convolve(eps, steps, h):
    (q, s), rest = steps[0], steps[1:]
    if not rest:
        return one(eps, q, s)
    # The inner delta bends sharply where its argument is 0: double exponential sums on both sides of that x.
    s2 = arb(s) ** 2
    middle = s2 * (eps / 2 + ((eps / 2).sinh() * (1 - arb(q)) / arb(q) * (1 / (2 * s2)).exp()).asinh())
    total, norm = arb(0), arb(h) / (arb(s) * (2 * arb.pi()).sqrt())
    for side in (-1, 1):
        for j in range(math.floor(-4.2 / h), math.ceil(2.6 / h) + 1):
            u = arb(h) * j
            away = arb(s) * (arb.pi() / 2 * u.sinh()).exp()
            x = middle + side * away
            a = log_a(q, s, x)
            size = a - x * x / (2 * s2)
            if float(size.mid()) < -200:
                continue
            weight = norm * away * arb.pi() / 2 * u.cosh() * size.exp()
            total += weight * convolve(eps - a + log_a(q, s, -x), rest, h)
    return total


def few(name, eps, phases):
    steps = [(q, s) for q, s, t in phases for _ in range(t)]
    h = 0.015 if len(steps) == 2 else 0.06
    got = [convolve(arb(eps), steps, h * f).log() for f in (1, 0.7)]
    print(f"{name} {got}", file=sys.stderr, flush=True)
    return got, 1e-12 if len(steps) == 2 else 1e-10


def main():
    print("# log delta(eps) of compositions of clipped sums on Poisson samples, replace-one; q = 1 is a plain Gaussian.")
    print(f"# Made by replaced.py with python {platform.python_version()}, python-flint {flint.__version__}: Arb at {ctx.prec} bits, each value twice.")
    print("id,eps,phases (q:sigma:T),log_delta")
    for name, eps, phases in ROWS:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        got, tolerance = (few if sum(t for _, _, t in phases) <= 3 else transformed)(name, eps, phases)
        if not abs(float((got[0] - got[1]).mid())) < tolerance * max(1.0, abs(float(got[1].mid()))):
            raise SystemExit(f"{name}: not converged: {got}")
        print(",".join([name, repr(eps), " ".join(f"{q!r}:{s!r}:{t}" for q, s, t in phases), got[1].mid().str(17, radius=False)]), flush=True)


if __name__ == "__main__":
    main()
