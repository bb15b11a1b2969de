"""Writes slow_check.csv: log delta(eps) of sampled Gaussians, both directions, to 25 digits.

A second method for the package's tests: ball arithmetic (Arb) at 320 bits, brute force. The
moment generating function is a trapezoid sum on the real line, the inversion a midpoint
sum on one vertical line, both so fine that every neglected part is below 1e-35 of the result;
each value is computed twice, with other lines and steps, and must agree to 1e-25.
No bound, cut or series of the package is used.

Run: pip install python-flint mpmath; python slow_check.py > slow_check.csv  (some minutes)
"""
import math
import platform
import sys

import flint
from flint import acb, arb, ctx

ctx.prec = 320

# (id, eps, [(q, sigma, T), ...]); q = 1 is a plain Gaussian.
ROWS = [
    ("mnist_like", 2.0, [(0.004, 1.1, 15000)]),
    ("classic", 1.0, [(0.01, 2.0, 3000)]),
    ("eps_tiny", 0.003, [(0.001, 20.0, 500)]),
    ("eps_zero", 0.0, [(0.01, 1.5, 400)]),
    ("large_q", 5.0, [(0.9, 6.0, 100)]),
    ("q_half", 6.7, [(0.5, 5.0, 200)]),
    ("small_sigma", 9.0, [(0.004, 0.5, 3000)]),
    ("sigma_0.3", 60.0, [(0.05, 0.3, 100)]),
    ("eps_100", 82.0, [(0.0473, 0.51, 2000)]),
    ("eps_1000", 930.0, [(0.25, 0.5, 3000)]),
    ("delta_1e-12", 3.9, [(0.01, 1.0, 1000)]),
    ("delta_1e-50", 12.0, [(0.01, 1.0, 1000)]),
    ("delta_1e-100", 29.6, [(0.01, 1.0, 1000)]),
    ("million", 2.0, [(0.0003, 0.9, 1000000)]),
    ("billion", 12.0, [(0.0001, 2.0, 1000000000)]),
    ("big_sigma", 4.0, [(0.01, 100.0, 100000000)]),
    ("two_steps", 2.0, [(0.5, 1.0, 2)]),
    ("two_steps_small", 3.0, [(0.2, 0.8, 2)]),
    ("three_steps", 1.0, [(0.3, 1.5, 3)]),
    ("ten_steps", 2.5, [(0.1, 0.8, 10)]),
    ("thirty_steps", 0.5, [(0.02, 1.0, 30)]),
    ("phases", 2.2, [(0.01, 1.5, 1000), (0.02, 2.5, 2000), (0.005, 0.9, 1500)]),
    ("with_gaussian", 3.0, [(0.01, 1.0, 2000), (1.0, 4.0, 5)]),
    ("two_phases", 1.0, [(0.05, 3.0, 100), (0.001, 0.6, 300)]),
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
    grid = [0.02 * 1.3 ** i for i in range(60)]
    values = []
    for a in grid:
        values.append(f(a))
        if len(values) > 4 and values[-1] > min(values) + 200:
            break
    i = min(range(len(values)), key=values.__getitem__)
    lo, hi = grid[max(0, i - 1)], grid[i + 1]
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


def main():
    print(f"# log delta(eps) of compositions of Poisson-sampled Gaussians, add-or-remove-one, by direction; 25 digits.")
    print(f"# Made by slow_check.py with python {platform.python_version()}, python-flint {flint.__version__}: Arb at {ctx.prec} bits, two lines each.")
    print("id,eps,phases (q:sigma:T),log_delta_remove,log_delta_add")
    for name, eps, phases in ROWS:
        cells = []
        for direction in ("remove", "add"):
            c, peak = saddle(direction, eps, phases)
            got = []
            for scale, wide, theta in ((1.0, 1.0, 2.0), (0.85, 1.25, 1.6)):
                # aliasing below: e^{-c omega}; above: Chernoff at another a, in double precision
                cc = c * scale
                at = float_k(direction, cc, phases) - cc * eps
                need = 36 * math.log(10)
                above = math.inf
                for f in (1.2, 1.5, 2, 3, 5):
                    v = float_k(direction, cc * f, phases) - cc * f * eps
                    above = min(above, (v - at + need + 10) / (cc * (f - 1)))
                below = (need + 10 + max(0, -at)) / cc
                for f in (0.8, 0.6, 0.4, 0.2):
                    v = float_k(direction, cc * f, phases) - cc * f * eps
                    below = min(below, (v - at + need + 10) / (cc * (1 - f)))
                omega = max(above, below) * wide
                value, n = log_delta(direction, eps, phases, cc, omega, theta, 40)
                got.append(value)
            diff = abs(float((got[0] - got[1]).mid()))
            print(f"{name} {direction} c={c:.4g} n={n} log delta {float(got[0].mid()):.12g} two lines differ by {diff:.1e}", file=sys.stderr, flush=True)
            if not diff < 1e-25 * max(1.0, abs(float(got[0].mid()))):
                raise SystemExit(f"{name} {direction}: not converged")
            cells.append(got[0].mid().str(25, radius=False))
        print(",".join([name, repr(eps), " ".join(f"{q!r}:{s!r}:{t}" for q, s, t in phases), *cells]), flush=True)


main()
