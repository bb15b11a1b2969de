"""Rényi divergences of the best of K Gaussian runs by mpmath quadrature, 30 digits: python3 gaussian.py"""
import mpmath as mp

mp.mp.dps = 30


def weight(law, q):
    if law[0] == "two-point":
        runs, single = law[1:]
        return single + (1 - single) * runs * q ** (runs - 1)
    if law[0] == "tnb":  # E[K] (γ/(1-(1-γ)q))^(η+1)
        eta, gamma = law[1:]
        mean = (1 / gamma - 1) / mp.log(1 / gamma) if eta == 0 else eta * (1 - gamma) / (gamma * (1 - gamma**eta))
        return mean * (gamma / (1 - (1 - gamma) * q)) ** (eta + 1)
    if law[0] == "poisson":
        return law[1] * mp.exp(law[1] * (q - 1))


def divergence(law, mu, order, a, b):
    """From N(a µ, 1) to N(b µ, 1)."""
    def f(x):
        return mp.npdf(x - a * mu) ** order * mp.npdf(x - b * mu) ** (1 - order) * (
            weight(law, mp.ncdf(x - a * mu)) ** order * weight(law, mp.ncdf(x - b * mu)) ** (1 - order))
    center = (order * a + (1 - order) * b) * mu
    cuts = sorted([center - 25, center - 9, center - 3, center, center + 3, center + 9, center + 25, -6, -4, -2, 0, 1, 2, 3, 4, 6])
    zero = mp.exp(-law[1]) if law[0] == "poisson" else 0
    return mp.log(zero + mp.quad(f, cuts)) / (order - 1)


m = mp.mpf
for law, mu, order in (
    (("two-point", 100, m("0.01")), m("0.8774181844973472"), 14),
    (("two-point", 10, m("0.1")), m("0.25"), 30),
    (("two-point", 1000, m("0.001")), m("0.25"), m("2.5")),
    (("tnb", 0, m("0.01")), m("1"), 8),
    (("tnb", 1, m("0.1")), m("0.5"), m("1.5")),
    (("poisson", m(10)), m("0.5"), 6),
):
    print(law[0], *(mp.nstr(v, 12) for v in law[1:]), mp.nstr(mu, 17), mp.nstr(order, 5),
          mp.nstr(divergence(law, mu, order, 0, 1), 15), mp.nstr(divergence(law, mu, order, 1, 0), 15))


def epsilon(pmf, mu, delta):
    """ε at delta in both directions. The likelihood ratio grows with x for these, so a threshold is the worst event."""
    pgf = lambda x: sum(p * x**k for k, p in pmf.items())
    slope = lambda x: sum(p * k * x ** (k - 1) for k, p in pmf.items() if k)
    log_ratio = lambda x: mp.log(slope(mp.ncdf(x - mu))) - mp.log(slope(mp.ncdf(x))) + mu * x - mu**2 / 2
    above = lambda x, shift: 1 - pgf(1 - mp.ncdf(shift - x))
    below = lambda x, shift: pgf(mp.ncdf(x - shift)) - pmf.get(0, 0)
    up = lambda x: above(x, mu) - mp.exp(log_ratio(x)) * above(x, 0)
    down = lambda x: below(x, 0) - mp.exp(-log_ratio(x)) * below(x, mu)
    ends = []
    for excess, sign in ((up, 1), (down, -1)):
        low, high = m(-6), mu + 8
        for _ in range(150):
            middle = (low + high) / 2
            if (excess(middle) > delta) == (sign > 0):
                low = middle
            else:
                high = middle
        ends.append(sign * log_ratio(low))
    return max(ends)


mp.mp.dps = 40
for pmf, mu, delta in (
    ({10: m(1)}, m(1), m("1e-5")),
    ({10: m(1)}, m(3), m("1e-5")),
    ({10: m(1)}, m(20), m("1e-5")),
    ({1000: m(1)}, m(2), m("1e-5")),
    ({10**6: m(1)}, m(20), m("1e-3")),
    ({0: m("0.5"), 2: m("0.25"), 3: m("0.25")}, m(3), m("1e-5")),
):
    print("PMF", *pmf, mp.nstr(mu, 5), mp.nstr(delta, 5), mp.nstr(epsilon(pmf, mu, delta), 15))
