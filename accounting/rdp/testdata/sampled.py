"""Writes sampled.csv: the Renyi divergence of the Poisson-sampled Gaussian, by mpmath.

A - 1 = E[(1+u)^alpha - 1 - alpha u], u = q (exp((2x-1)/(2 sigma^2)) - 1), x ~ N(0, sigma^2):
integer orders by the binomial sum of A, others by the trapezoid rule on the real line, whose
error falls like exp(-2 pi^2 sigma^2 min(sigma, 1)^2 / h^2) or faster: below 1e-35 with the h
below. The remove direction is the column rdp, the add direction the column rdp_add (0: not computed).

python3 sampled.py > sampled.csv
"""
import math
import random
import mpmath as mp

mp.mp.dps = 60


def trapezoid(g, sigma, lo, hi):
    h = min(sigma * mp.mpf("0.4"), sigma**2 * mp.mpf("0.2"))
    n = int((hi - lo) / h) + 1
    total = mp.fsum(g(lo + i * h) for i in range(n))
    return total * h / (sigma * mp.sqrt(2 * mp.pi))


def excess(q, sigma, power):
    """E[(1+u)^power] - 1; power is alpha for remove, 1 - alpha for add."""
    if power > 0 and power == int(power):
        n = int(power)
        return mp.fsum(mp.binomial(n, k) * (1 - q) ** (n - k) * q**k * mp.expm1((mp.mpf(k) * k - k) / (2 * sigma**2))
                       for k in range(2, n + 1))

    def g(x):
        u = q * mp.expm1((2 * x - 1) / (2 * sigma**2))
        return (mp.power(1 + u, power) - 1 - power * u) * mp.exp(-x * x / (2 * sigma**2))

    m = max(power, mp.mpf(2))
    return trapezoid(g, sigma, -15 * sigma - 1, m + mp.sqrt(m) * sigma + 15 * sigma + 1)


def main():
    rng = random.Random(1)
    qs = [1e-8, 1e-6, 0.001, 256 / 60000, 0.01, 0.1, 0.4, 0.5, 0.9, 0.999]
    sigmas = [0.1, 0.2, 0.5, 0.7, 1.0, 1.1, 2.5, 12.0, 100.0, 1e4]
    orders = [1.000001, 1.01, 1.1, 1.25, 1.5, 1.9, 2, 2.5, 3, 3.8, 8.1, 16, 27, 58.75, 100, 255.5, 256, 300, 1000.5]
    cases = [(q, s, a) for q in qs for s in sigmas for a in orders if a / s < 600 and (a - int(a) == 0 or a / s**2 < 500)]
    cases = rng.sample(cases, 240) + [(1e-7, 0.1, 1.01), (1e-6, 0.1, 256), (0.1, 100.0, 20.5), (0.999, 100.0, 256.1)]
    # Huge logarithms that cancel: q^a e^{a(a-1)/2s^2} is about e^2.5.
    for q in [1e-300, 1e-100, 1e-30, 1e-12]:
        for a in [63.5, 200.25, 255.5, 400, 1000.5]:
            cases.append((q, float(f"{math.sqrt(a * (a - 1) / 2 / (2.5 - a * math.log(q))):.6g}"), a))
    print(f"# sampled.py, mpmath {mp.__version__}, 60 digits")
    print("rate,noise_multiplier,order,rdp,rdp_add")
    for q, s, a in cases:
        Q, S, A = mp.mpf(q), mp.mpf(s), mp.mpf(a)
        remove = mp.log1p(excess(Q, S, A)) / (A - 1)
        add = mp.log1p(excess(Q, S, 1 - A)) / (A - 1) if a < 30 and s >= 0.2 else mp.mpf(0)
        print(f"{q!r},{s!r},{a!r},{mp.nstr(remove, 17)},{mp.nstr(add, 17)}")


main()
