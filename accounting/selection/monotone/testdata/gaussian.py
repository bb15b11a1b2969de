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
