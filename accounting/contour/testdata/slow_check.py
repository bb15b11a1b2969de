"""Writes slow_check.csv: log delta(eps) of sampled Gaussians, both directions, to 18 digits.

A second method for the package's tests, in ball arithmetic (Arb) at 220 bits, brute force.

Rows of many steps: the moment generating function is a trapezoid sum on the real line, the
inversion a midpoint sum on one vertical line, both so fine that every neglected part is
below 1e-28 of the result; each value is computed twice, with other lines and steps, and must
agree to 1e-18. Rows of two or three steps: no transform at all, but the convolution
delta_T(eps) = E delta_{T-1}(eps - l(x)) over the closed form of one step, by double exponential
sums with two steps that must agree to 1e-11 (two) or 1e-8 (three). No bound, cut or series of the package is used.

Run: pip install python-flint; python slow_check.py > slow_check.csv  (half an hour); names of rows as arguments do only those
"""
import math
import platform
import sys

import flint
from flint import acb, arb, ctx

ctx.prec = 220

# (id, eps, [(q, sigma, T), ...]); q = 1 is a plain Gaussian.
ROWS = [
    ("mnist_like", 2.0, [(0.004, 1.1, 15000)]),
    ("classic", 1.0, [(0.01, 2.0, 3000)]),
    ("eps_tiny", 0.003, [(0.001, 20.0, 500)]),
    ("eps_zero", 0.0, [(0.01, 1.5, 400)]),
    ("large_q", 5.0, [(0.9, 6.0, 100)]),
    ("q_half", 6.7, [(0.5, 5.0, 200)]),
    ("small_sigma", 9.0, [(0.004, 0.5, 3000)]),
    ("sigma_0.4", 60.0, [(0.05, 0.4, 300)]),
    ("eps_100", 82.0, [(0.0473, 0.51, 2000)]),
    ("eps_1000", 930.0, [(0.25, 0.5, 3000)]),
    ("delta_1e-12", 3.9, [(0.01, 1.0, 1000)]),
    ("delta_1e-50", 12.0, [(0.01, 1.0, 1000)]),
    ("delta_1e-100", 29.6, [(0.01, 1.0, 1000)]),
    ("million", 2.0, [(0.0003, 0.9, 1000000)]),
    ("billion", 12.0, [(0.0001, 2.0, 1000000000)]),
    ("big_sigma", 4.0, [(0.01, 100.0, 100000000)]),
    ("forty_steps", 1.5, [(0.2, 1.5, 40)]),
    ("two_steps", 1.0, [(0.5, 1.0, 2)]),
    ("two_steps_small_q", 1.8, [(0.01, 0.6, 2)]),
    ("two_steps_tail", 20.0, [(0.001, 0.7, 2)]),
    ("two_different", 1.0, [(0.1, 1.0, 1), (0.02, 0.8, 1)]),
    ("three_steps", 1.0, [(0.3, 1.5, 3)]),
    ("phases", 2.2, [(0.01, 1.5, 1000), (0.02, 2.5, 2000), (0.005, 0.9, 1500)]),
    ("with_gaussian", 3.0, [(0.01, 1.0, 2000), (1.0, 4.0, 5)]),
    ("two_phases", 1.0, [(0.05, 3.0, 400), (0.002, 0.8, 3000)]),
]


class Law:
    """Trapezoid nodes of E_{N(0, sigma^2)} exp(w l(x))."""

    def __init__(self, q, sigma, digits, theta, grow, reach):
        # On |Im x| = theta sigma^2 the integrand is at most grow (a power of e) times larger.
        d = theta * sigma * sigma
        need = digits * math.log(10) + grow + d * d / (2 * sigma * sigma)
        h = 2 * math.pi * d / need
        n0, n1 = math.floor(-reach * sigma / h), math.ceil(max(reach * sigma, 0) / h)
        self.l, self.logw = [], []
        s2 = arb(sigma) ** 2
        qq = arb(q)
        norm = (arb(h) / (arb(sigma) * (2 * arb.pi()).sqrt())).log()
        for j in range(n0, n1 + 1):
            x = arb(h) * j
            v = (2 * x - 1) / (2 * s2)
            self.l.append((1 - qq + qq * v.exp()).log())
            self.logw.append(norm - x * x / (2 * s2))

    def mgf(self, w):
        total = acb(0)
        for l, lw in zip(self.l, self.logw):
            total += (w * l + lw).exp()
        return total


def float_k(direction, a, phases):
    """K(a) in double precision, for choosing lines only."""
    k = 0.0
    for q, s, t in phases:
        if q == 1:
            k += t * a * (a + 1) / (2 * s * s)
            continue
        alpha = a + 1 if direction == "remove" else -a
        n, total = 4000, 0.0
        lo, hi = min(0, alpha) - 14 * s, max(1, alpha) + 14 * s
        h = (hi - lo) / n
        best = []
        for j in range(n + 1):
            x = lo + j * h
            v = (2 * x - 1) / (2 * s * s)
            l = math.log1p(q * math.expm1(v)) if v < 30 else v + math.log(q) + math.log1p((1 - q) / q * math.exp(-v))
            best.append((alpha * l, -x * x / (2 * s * s)))
        top = max(e + w for e, w in best)
        if top < 300:  # E e^{alpha l} - 1 - alpha (E e^l - 1), both sums to rounding
            m = sum((math.exp(e + w) - math.exp(w) - alpha * (math.exp(e / alpha + w) - math.exp(w))) for e, w in best)
            m *= h / (s * math.sqrt(2 * math.pi))
            k += t * math.log1p(m)
        else:
            k += t * (top + math.log(sum(math.exp(e + w - top) for e, w in best) * h / (s * math.sqrt(2 * math.pi))))
    return k


def saddle(direction, eps, phases):
    f = lambda a: float_k(direction, a, phases) - a * eps - math.log(a * (a + 1))
    grid = [0.02 * 1.3 ** i for i in range(75)]
    values = []
    for a in grid:
        values.append(f(a))
        if len(values) > 4 and values[-1] > min(values) + 200:
            break
    i = min(range(len(values)), key=values.__getitem__)
    lo, hi = grid[max(0, i - 1)], grid[min(i + 1, len(grid) - 1)]
    for _ in range(25):
        a, b = lo + (hi - lo) / 3, hi - (hi - lo) / 3
        if f(a) < f(b):
            hi = b
        else:
            lo = a
    return (lo + hi) / 2, f((lo + hi) / 2)


def log_delta(direction, eps, phases, c, omega, theta, digits):
    """log of the midpoint sum on Re z = c with step 2 pi / omega."""
    h = 2 * math.pi / omega
    # t grows until terms vanish; the growth of e^{itl} off the real line is at most e^{t theta}
    tmax = 16 * h
    while True:
        alpha = c + 1 if direction == "remove" else -c
        grow = tmax * theta + (c * 2 if direction == "add" else 0) + 5
        laws = []
        for q, s, t in phases:
            if q == 1:
                laws.append((None, s, t))
                continue
            # nodes to the right of the tilted hump as well
            reach = max(22.0, 22.0 + max(0, alpha) / s)
            if direction == "add":
                reach = 22.0 + c * min(1.0, 40 * q) / s
            laws.append((Law(q, s, digits + math.log10(max(t, 1)), theta, grow, reach), s, t))
        total = arb(0)
        j, small, biggest = 0, 0, arb(0)
        done = False
        while True:
            t = (arb(j) + arb(1) / 2) * arb(h)
            if float(t) > tmax:
                break
            z = acb(arb(c), t)
            log_m = acb(0)
            product = acb(1)
            for law, s, count in laws:
                if law is None:
                    log_m += z * (z + 1) * count / (2 * arb(s) ** 2)
                else:
                    m = law.mgf(z + 1) if direction == "remove" else law.mgf(-z)
                    product *= m ** count if count < 2000 else (m.log() * count).exp()
            term = (product * (log_m - z * arb(eps)).exp() / (z * (z + 1))).real
            size = abs(product * (log_m - z * arb(eps)).exp() / (z * (z + 1)))
            total += term
            biggest = size if j == 0 else biggest
            small = small + 1 if float((size / biggest).mid()) < 10.0 ** (-digits) else 0
            if small > 12:
                done = True
                break
            j += 1
        if done:
            break
        tmax *= 4
    value = total * arb(h) / arb.pi()
    return value.log(), j


def one_step(direction, eps, q, s):
    """delta(eps) of one step, every real eps."""
    one = arb(1)
    if direction == "remove":
        head = eps.exp() - 1 + q
        if not head > 0:
            return one - eps.exp()
        x = s * s * (head / q).log() + one / 2
        return (1 - q) * tail(x / s) + q * tail((x - 1) / s) - eps.exp() * tail(x / s)
    head = (-eps).exp() - 1 + q
    if not head > 0:
        return arb(0)
    x = s * s * (head / q).log() + one / 2
    return tail(-x / s) - eps.exp() * ((1 - q) * tail(-x / s) + q * tail((1 - x) / s))


def tail(x):
    return (x / arb(2).sqrt()).erfc() / 2


def convolve(direction, eps, steps, h):
    """delta of a few steps: E over the first step's x of the rest's delta, by recursion.

    delta of the rest has a flat but singular point where eps - loss(x) is the least loss it can
    have; both sides of it are integrated by x = x0 +- e^(t - e^-t) with step h in t.
    """
    (q, s), rest = steps[0], steps[1:]
    q, s = arb(q), arb(s)
    if not rest:
        return one_step(direction, eps, q, s)
    if direction == "remove":  # losses l(x) > log(1-q)
        edge = eps - sum((1 - arb(r[0])).log() for r in rest)
    else:  # losses -l(x) < -log(1-q): delta of the rest is 0 from there on
        edge = -(eps + sum((1 - arb(r[0])).log() for r in rest))
    head = (edge.exp() - 1 + q) / q
    x0 = s * s * head.log() + arb(1) / 2 if head > 0 else arb(0)
    total = arb(0)
    for side in (-1, 1):
        t = arb(-5)
        while t < 4.5:
            y = (t - (-t).exp()).exp()
            x = x0 + side * y
            v = (2 * x - 1) / (2 * s * s)
            ratio = 1 - q + q * v.exp()
            w = (-(x * x) / (2 * s * s)).exp() / (2 * arb.pi()).sqrt() / s
            w *= y * (1 + (-t).exp()) * arb(h)
            if direction == "remove":
                w *= ratio
            if float(w) > 1e-120:
                l = ratio.log()
                total += w * convolve(direction, eps - (l if direction == "remove" else -l), rest, h)
            t += arb(h)
    return total


def few(direction, eps, phases, name):
    steps = [(q, s) for q, s, t in phases for _ in range(t)]
    fine, tolerance = (0.004, 1e-11) if len(steps) == 2 else (0.03, 1e-8)
    values = [convolve(direction, arb(eps), steps, h).log() for h in (fine, fine * 0.7)]
    diff = abs(float((values[0] - values[1]).mid()))
    print(f"{name} {direction} log delta {float(values[1].mid()):.12g} two grids differ by {diff:.1e}", file=sys.stderr, flush=True)
    if not diff < tolerance:
        raise SystemExit(f"{name} {direction}: not converged")
    return values[1]


def main():
    print(f"# log delta(eps) of compositions of Poisson-sampled Gaussians, add-or-remove-one, by direction; 18 digits, 11 for two steps, 8 for three.")
    print(f"# Made by slow_check.py with python {platform.python_version()}, python-flint {flint.__version__}: Arb at {ctx.prec} bits, two lines each.")
    print("id,eps,phases (q:sigma:T),log_delta_remove,log_delta_add")
    for name, eps, phases in ROWS:
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        cells = []
        for direction in ("remove", "add"):
            if direction == "add" and all(q < 1 for q, _, _ in phases) and eps > -sum(t * math.log1p(-q) for q, _, t in phases):
                cells.append("-inf")  # the loss of add is at most -log(1-q) a step
                continue
            if sum(t for _, _, t in phases) <= 3:
                cells.append(few(direction, eps, phases, name).mid().str(18, radius=False))
                continue
            c, peak = saddle(direction, eps, phases)
            got = []
            for scale, wide, theta in ((1.0, 1.0, 2.0), (0.85, 1.25, 1.6)):
                # aliasing below: e^{-c omega}; above: Chernoff at another a, in double precision
                cc = c * scale
                at = float_k(direction, cc, phases) - cc * eps
                need = 26 * math.log(10)
                above = math.inf
                for f in (1.2, 1.5, 2, 3, 5):
                    v = float_k(direction, cc * f, phases) - cc * f * eps
                    above = min(above, (v - at + need + 10) / (cc * (f - 1)))
                below = (need + 10 + max(0, -at)) / cc
                for f in (0.8, 0.6, 0.4, 0.2):
                    v = float_k(direction, cc * f, phases) - cc * f * eps
                    below = min(below, (v - at + need + 10) / (cc * (1 - f)))
                omega = max(above, below) * wide
                value, n = log_delta(direction, eps, phases, cc, omega, theta, 28)
                got.append(value)
            diff = abs(float((got[0] - got[1]).mid()))
            print(f"{name} {direction} c={c:.4g} n={n} log delta {float(got[0].mid()):.12g} two lines differ by {diff:.1e}", file=sys.stderr, flush=True)
            if not diff < 1e-18 * max(1.0, abs(float(got[0].mid()))):
                raise SystemExit(f"{name} {direction}: not converged")
            cells.append(got[0].mid().str(18, radius=False))
        print(",".join([name, repr(eps), " ".join(f"{q!r}:{s!r}:{t}" for q, s, t in phases), *cells]), flush=True)


if __name__ == "__main__":
    main()
