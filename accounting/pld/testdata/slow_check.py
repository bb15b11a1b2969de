"""Writes slow_check.csv: log delta(eps) of events that only a grid can price, to 25 digits.

A second method for the package's tests: 40-digit arithmetic, no grid, no transform. Finite mechanisms are
summed over all outcomes; every other row is E[delta_1(eps - L)], the closed-form profile delta_1 of
one mechanism averaged over the loss L of the others, by sums and tanh-sinh quadrature between the kinks.
Both directions of add-or-remove-one are computed, the larger is written; replace-one where it says so.

Run: pip install mpmath; python slow_check.py > slow_check.csv  (some minutes)
"""
import json
import platform

import mpmath as mp
from mpmath import mpf, exp, log, quad, ncdf, binomial

mp.mp.dps = 40


def E(**kw):
    return kw


def gaussian(s):
    return E(type="gaussian", noise_multiplier=s)


def laplace(b):
    return E(type="laplace", noise_multiplier=b)


def pure(e):
    return E(type="pure_dp", epsilon=e)


def approx(e, d):
    return E(type="approx_dp", epsilon=e, delta=d)


def sampled(q, e):
    return E(type="poisson_sampled", sampling_rate=q, event=e)


def times(n, e):
    return E(type="self_composed", count=n, event=e)


def composed(*es):
    return E(type="composed", events=list(es))


def fixed(m, n, e):
    return E(type="sampled_without_replacement", sample_size=m, population_size=n, event=e)


# Profiles for every real eps: E_P (1 - e^{eps - L})_+.
def d_gauss(mu, e):
    return ncdf(mu / 2 - e / mu) - exp(e) * ncdf(-mu / 2 - e / mu)


def d_laplace(b, e):
    if e >= 1 / b:
        return mpf(0)
    return 1 - exp(e) if e <= -1 / b else 1 - exp((e - 1 / b) / 2)


def d_sampled(profile, q, e, direction):
    """Of ((1-q) Q + q P, Q), or of (Q, (1-q) Q + q P), for a symmetric pair with a profile."""
    if direction == "remove":
        c = exp(e) - 1 + q
        return 1 - exp(e) if c <= 0 else q * profile(log(c / q))
    c = 1 - exp(e) * (1 - q)
    return mpf(0) if c <= 0 else c * profile(log(exp(e) * q / c))


def d_fixed(profile, q, e):
    if e >= 0:
        return d_sampled(profile, q, e, "remove")
    return 1 - exp(e) + exp(e) * d_fixed(profile, q, -e)


def outcomes(parts):
    """Losses and first masses of a composition of finite mechanisms: [(p list, q list, count)]."""
    law = {(): mpf(1)}
    total = [(mpf(1), mpf(1))]
    for p, q, n in parts:
        assert len(p) == 2
        new = []
        for j in range(n + 1):
            w = binomial(n, j)
            new.append((w * p[0] ** j * p[1] ** (n - j), w * q[0] ** j * q[1] ** (n - j)))
        total = [(a * c, b * d) for a, b in total for c, d in new]
    return total


def rr(e):
    t = 1 / (1 + exp(-mpf(e)))
    return [t, 1 - t], [1 - t, t]


def mixed(rate, pair, direction):
    p, q = pair
    m = [(1 - rate) * b + rate * a for a, b in zip(p, q)]
    return (m, q) if direction == "remove" else (q, m)


def finite(parts, e, rest=None):
    """rest(e) is the profile of what is composed with the finite part; none is that of nothing."""
    out = mpf(0)
    for p, q in outcomes(parts):
        out += p * rest(e - log(p / q)) if rest else max(mpf(0), p - exp(e) * q)
    return out


def laplace_mean(b, f, q=mpf(1), direction="remove", kinks=()):
    """E f(L) over the loss of sampled Laplace noise, in a direction."""
    def loss(l):
        v = log(1 - q + q * exp(l))
        return v if direction == "remove" else -v

    def weight(p0, q0):
        return (1 - q) * q0 + q * p0 if direction == "remove" else q0

    far = exp(-1 / b) / 2
    out = weight(mpf(1) / 2, far) * f(loss(1 / b)) + weight(far, mpf(1) / 2) * f(loss(-1 / b))
    density = lambda x: weight(exp(-(1 - x) / b), exp(-x / b)) / (2 * b) * f(loss((2 * x - 1) / b))
    return out + quad(density, sorted({mpf(0), mpf(1), *[k for k in kinks if 0 < k < 1]}))


def kink(b, q, direction, l):
    """The x where the sampled loss is l, if there is one."""
    l = l if direction == "remove" else -l
    c = (exp(l) - 1 + q) / q
    return (1 + b * log(c)) / 2 if c > 0 else mpf(-1)


def both(f):
    return max(f("remove"), f("add"))


def twice_sampled_laplace(q, b, e):
    def one(direction):
        p1 = lambda u: d_sampled(lambda v: d_laplace(b, v), q, u, direction)
        ends = [log(1 - q + q * exp(s / b)) for s in (1, -1)]
        ends = ends if direction == "remove" else [-x for x in ends]
        return laplace_mean(b, lambda l: p1(e - l), q, direction, [kink(b, q, direction, e - x) for x in ends])
    return both(one)


def laplace_and(b, profile, e, directions=True):
    return both(lambda d: laplace_mean(b, lambda l: profile(e - l, d)))


def twice_fixed(q, mu, e):
    g = lambda v: d_gauss(mu, v)
    d1 = lambda u: d_fixed(g, q, u)
    s = 1 / mu
    phi = lambda x: mp.npdf(x, 0, s)
    loss = lambda x: log(1 - q + q * exp((2 * x - 1) / (2 * s * s)))
    rest = (1 - q) * (ncdf(mu / 2) - ncdf(-mu / 2))
    c = (exp(e) - 1 + q) / q  # where the loss is e and d1 has its kink
    x0 = s * s * log(c) + mpf(1) / 2
    f = lambda x: ((1 - q) * phi(x) + q * phi(x - 1)) * d1(e - loss(x)) + phi(x) * d1(e + loss(x))
    points = sorted({mpf(1) / 2, x0, mpf(1) / 2 + 3 * s, 1 + 12 * s, 1 + 30 * s})
    return quad(f, [x for x in points if x >= mpf(1) / 2]) + rest * d1(e)


def approx_composed(k, e0, d0, e):
    return 1 - (1 - d0) ** k + (1 - d0) ** k * finite([(*rr(e0), k)], e)


M = mpf
ROWS = [
    ("pure_10", "", "2", times(10, pure(0.5)), lambda e: finite([(*rr("0.5"), 10)], e)),
    ("pure_1000", "", "10", times(1000, pure(0.1)), lambda e: finite([(*rr(M(0.1)), 1000)], e)),
    ("pure_tail", "", "60", times(1000, pure(0.1)), lambda e: finite([(*rr(M(0.1)), 1000)], e)),
    ("pure_large", "", "30", times(5, pure(8)), lambda e: finite([(*rr(8), 5)], e)),
    ("pure_two_kinds", "", "3", composed(times(20, pure(0.25)), times(7, pure(0.75))), lambda e: finite([(*rr("0.25"), 20), (*rr("0.75"), 7)], e)),
    ("pure_three_kinds", "", "6", composed(times(10, pure(0.5)), times(5, pure(1)), times(30, pure(0.125))),
     lambda e: finite([(*rr("0.5"), 10), (*rr(1), 5), (*rr("0.125"), 30)], e)),
    ("approx", "", "3", times(8, approx(0.5, 1e-7)), lambda e: approx_composed(8, M(0.5), M(1e-7), e)),
    ("approx_floor", "", "5", times(8, approx(0.5, 1e-7)), lambda e: approx_composed(8, M(0.5), M(1e-7), e)),
    ("sampled_pure", "", "1", times(100, sampled(0.125, pure(1))), lambda e: both(lambda d: finite([(*mixed(M("0.125"), rr(1), d), 100)], e))),
    ("sampled_pure_tail", "", "12", times(100, sampled(0.125, pure(1))), lambda e: both(lambda d: finite([(*mixed(M("0.125"), rr(1), d), 100)], e))),
    ("sampled_pure_two", "", "1.5", composed(times(50, sampled(0.25, pure(0.5))), times(20, sampled(0.0625, pure(2)))),
     lambda e: both(lambda d: finite([(*mixed(M("0.25"), rr("0.5"), d), 50), (*mixed(M("0.0625"), rr(2), d), 20)], e))),
    ("gauss_pure", "", "4", composed(gaussian(1), times(10, pure(0.25))), lambda e: finite([(*rr("0.25"), 10)], e, lambda u: d_gauss(M(1), u))),
    ("gauss_pure_tail", "", "25", composed(gaussian(0.5), times(10, pure(0.25))), lambda e: finite([(*rr("0.25"), 10)], e, lambda u: d_gauss(M(2), u))),
    ("gauss_sampled_pure", "", "2", composed(gaussian(2), times(30, sampled(0.125, pure(1)))),
     lambda e: both(lambda d: finite([(*mixed(M("0.125"), rr(1), d), 30)], e, lambda u: d_gauss(M("0.5"), u)))),
    ("step_pure", "", "2", composed(sampled(0.25, gaussian(1)), times(4, pure(0.5))),
     lambda e: both(lambda d: finite([(*rr("0.5"), 4)], e, lambda u: d_sampled(lambda v: d_gauss(M(1), v), M("0.25"), u, d)))),
    ("laplace", "", "0.3", laplace(2), lambda e: d_laplace(M(2), e)),
    ("laplace_twice", "", "0.75", times(2, laplace(2)),
     lambda e: laplace_mean(M(2), lambda l: d_laplace(M(2), e - l), kinks=[(1 + 2 * (e - s / M(2))) / 2 for s in (1, -1)])),
    ("laplace_gauss", "", "1", composed(laplace(2), gaussian(2)), lambda e: laplace_mean(M(2), lambda l: d_gauss(M("0.5"), e - l))),
    ("laplace_gauss_tail", "", "8", composed(laplace(2), gaussian(1)), lambda e: laplace_mean(M(2), lambda l: d_gauss(M(1), e - l))),
    ("laplace_step", "", "1.5", composed(laplace(1), sampled(0.125, gaussian(0.75))),
     lambda e: both(lambda d: laplace_mean(M(1), lambda l: d_sampled(lambda v: d_gauss(1 / M("0.75"), v), M("0.125"), e - l, d),
                                           kinks=[(1 + (e + s * log(1 - M("0.125")))) / 2 for s in (1, -1)]))),
    ("sampled_laplace", "", "0.2", sampled(0.25, laplace(1)), lambda e: both(lambda d: d_sampled(lambda v: d_laplace(M(1), v), M("0.25"), e, d))),
    ("sampled_laplace_twice", "", "0.4", times(2, sampled(0.25, laplace(1))), lambda e: twice_sampled_laplace(M("0.25"), M(1), e)),
    ("fixed_size_once", "replace-one", "0.5", fixed(1, 8, gaussian(1)), lambda e: d_fixed(lambda v: d_gauss(M(1), v), M("0.125"), e)),
    ("fixed_size_twice", "replace-one", "0.5", times(2, fixed(1, 8, gaussian(1))), lambda e: twice_fixed(M("0.125"), M(1), e)),
    ("fixed_size_twice_zero", "replace-one", "0", times(2, fixed(3, 4, gaussian(2))), lambda e: twice_fixed(M("0.75"), M("0.5"), e)),
    ("fixed_size_twice_tail", "replace-one", "6", times(2, fixed(1, 1024, gaussian(0.5))), lambda e: twice_fixed(M(1) / 1024, M(2), e)),
]

print("# log delta(eps) of events that only a grid can price, 20 digits; add-or-remove-one unless a relation is given.")
print(f"# Made by slow_check.py with python {platform.python_version()}, mpmath {mp.__version__}, 40 digits.")
print("id;relation;eps;log_delta;event")
for name, relation, e, event, delta in ROWS:
    print(f"{name};{relation};{e};{mp.nstr(log(delta(mpf(e))), 20)};{json.dumps(event)}", flush=True)
