#!/usr/bin/env python3
"""Recomputes the numbers marked Recomputed in papernot2022.go from the formulas that
Papernot and Steinke (ICLR 2022) print, with Python's standard library alone. It shares
no code with this repository. Run: python3 papernot2022.py

Formulas: Definition 1 (law, mean), equation (7) (generating function), equation (8)
(expected quantile), Corollary 4 (zCDP), Theorem 6 (Poisson), Lemma 14 (conversion),
appendix A.2.1 (success probability), appendix D.2 (conditional sampling).
"""
from math import log, log1p, exp, expm1, sqrt

RHO, DELTA = 0.1, 1e-6


def mean_tnb(eta, g):
    if eta == 0:
        return (1 / g - 1) / log(1 / g)
    return eta * (1 - g) / (g * (1 - g**eta))


def gamma_of(eta, mean):
    lo, hi = -200.0, -1e-12  # of log gamma; the mean falls with gamma
    for _ in range(300):
        mid = (lo + hi) / 2
        if mean_tnb(eta, exp(mid)) > mean:
            lo = mid
        else:
            hi = mid
    return exp((lo + hi) / 2)


def corollary4(eta, g, lam, rho=RHO):
    m = mean_tnb(eta, g)
    tail = 2 * (1 + eta) * sqrt(rho * log(1 / g)) - eta * rho
    assert rho <= log(1 / g)
    if lam <= 1 + sqrt(log(m) / rho):
        return 2 * sqrt(rho * log(m)) + tail
    return rho * (lam - 1) + log(m) / (lam - 1) + tail


def minimize(f, lo=1e-3, hi=1e3, n=600):
    """Least f(1+x) over log x in a range: a grid, then golden section."""
    xs = [log(lo) + (log(hi) - log(lo)) * i / n for i in range(n + 1)]
    k = min(range(n + 1), key=lambda i: f(1 + exp(xs[i])))
    a, b = xs[max(k - 1, 0)], xs[min(k + 1, n)]
    r = (sqrt(5) - 1) / 2
    for _ in range(60):
        c, d = b - r * (b - a), a + r * (b - a)
        if f(1 + exp(c)) < f(1 + exp(d)):
            b = d
        else:
            a = c
    return f(1 + exp((a + b) / 2))


def log_delta14(lam, rdp, eps):  # Lemma 14
    return (lam - 1) * (rdp - eps) + lam * log1p(-1 / lam) - log(lam - 1)


def eps14(curve, delta=DELTA):
    return max(0.0, minimize(lambda l: curve(l) + log1p(-1 / l) - log(l * delta) / (l - 1)))


def theorem6(mean, lam, rho=RHO):
    eps_hat = log1p(1 / (lam - 1))
    delta_hat = exp(min(0.0, minimize(lambda l: log_delta14(l, rho * l, eps_hat))))
    return rho * lam + mean * delta_hat + log(mean) / (lam - 1)


def poisson_rdp(mean, lam):
    """Theorem 6 with monotonicity (Remark 5): the least over orders >= lam."""
    return minimize(lambda l: theorem6(mean, lam + l - 1), 1e-9, 1e2, 200)


def eps_poisson(mean):
    return minimize(lambda l: theorem6(mean, l) + log1p(-1 / l) - log(l * DELTA) / (l - 1), 0.1, 50, 200)


def pgf(eta, g, x):
    if eta == 0:
        return log1p(-(1 - g) * x) / log(g)
    return ((1 - (1 - g) * x) ** (-eta) - 1) / (g ** (-eta) - 1)


def quantile(f, n=200000):
    """1 - integral of f over [0, 1], Simpson on u = (1-x)^(1/4): f bends at x = 1."""
    def h(u):
        return f(1 - u**4) * 4 * u**3
    s = h(0) + h(1) + sum((4 if i % 2 else 2) * h(i / n) for i in range(1, n))
    return 1 - s / (3 * n)


def conditional(lam, a, rho=RHO):
    """Appendix D.2: s, t with D_lam(Q||Q') = D_lam(Q'||Q) = rho lam; then the exact
    divergence after conditioning, and Corollary 16's second bound."""
    def div(p, q, o):
        terms = [o * log(x) + (1 - o) * log(y) for x, y in zip(p, q)]
        top = max(terms)
        return (top + log(sum(exp(x - top) for x in terms))) / (o - 1)

    def pair(s, t):
        q = (a * exp(-s), a * exp(-s), 1 - 2 * a * exp(-s))
        r = (a * exp(-s - t), a, 1 - a - a * exp(-s - t))
        return q, r

    def solve(f, lo, hi):  # f grows
        for _ in range(200):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if f(mid) < 0 else (lo, mid)
        return (lo + hi) / 2

    def t_of(s):  # D(Q||Q') grows with t
        return solve(lambda t: div(*pair(s, t), lam) - rho * lam, 0.0, 100.0)

    def gap(s):
        q, r = pair(s, t_of(s))
        return div(r, q, lam) - rho * lam

    s = solve(gap, 1e-9, 60.0)
    t = t_of(s)
    q, r = pair(s, t)
    qs = [x / (q[0] + q[1]) for x in q[:2]]
    rs = [x / (r[0] + r[1]) for x in r[:2]]
    mass = q[0] + q[1]
    upper = rho * lam + (lam - 2) / (lam - 1) * rho * (lam - 1) + 2 / (lam - 1) * log(1 / mass)
    return s, t, mass, div(qs, rs, lam), upper


if __name__ == "__main__":
    print("Figure 2: Corollary 4, eta = 0, order 2 and 30")
    for mean in (10, 1000, 1e6):
        g = gamma_of(0, mean)
        print(f"  mean {mean:g} gamma {g:.15g}: {corollary4(0, g, 2):.12g} {corollary4(0, g, 30):.12g}")
    print("Figure 3: mean 10, order 2 and 50")
    for eta in (0, 1, 5):
        g = gamma_of(eta, 10)
        print(f"  eta {eta} gamma {g:.15g}: {corollary4(eta, g, 2):.12g} {corollary4(eta, g, 50):.12g}")
    print(f"  poisson: {poisson_rdp(10, 2):.12g} {poisson_rdp(10, 50):.12g}")
    print("Figure 4: epsilon at 1e-6, mean 10, 100, 1000")
    for eta in (0, 1, 5):
        row = []
        for mean in (10, 100, 1000):
            g = gamma_of(eta, mean)
            row.append(eps14(lambda l: corollary4(eta, g, l)))
        print(f"  eta {eta}:", *(f"{x:.12g}" for x in row))
    print("  poisson:", *(f"{eps_poisson(m):.12g}" for m in (10, 100)))
    print("  fixed 1, 10:", *(f"{eps14(lambda l: k * RHO * l):.12g}" for k in (1, 10)))
    print("Figure 5 and 6: mean 10: expected quantile, success probability at 1/100")
    for eta in (-0.5, 0, 0.5, 1, 2):
        g = gamma_of(eta, 10)
        print(f"  eta {eta}: {quantile(lambda x: pgf(eta, g, x)):.9g} {1 - pgf(eta, g, 0.99):.12g}")
    print(f"  poisson: {quantile(lambda x: exp(10 * (x - 1))):.9g} {-expm1(-0.1):.12g}")
    print("Figure 8: a, order: s, t, Q(S), exact, bound")
    for a in (0.25, 0.01):
        for lam in (3, 5, 10, 20):
            print(f"  {a} {lam}:", *(f"{x:.10g}" for x in conditional(lam, a)))
