"""Laplace noise of a small scale b, and a Gaussian of noise multiplier sigma next to it: the exact epsilon at delta.

The loss of Laplace noise is 1/b - 2u, with density e^-u/2 in u in [0, 1/b], 1/b with mass 1/2 and -1/b with mass e^(-1/b)/2. So

    delta(e) = d(e-1/b)/2 + int_0^(1/b) e^-u/2 d(e-1/b+2u) du + e^(-1/b)/2 d(e+1/b)

with d(e) = Phi(mu/2 - e/mu) - e^e Phi(-mu/2 - e/mu) of the Gaussian, mu = 1/sigma, for every real e. Alone (sigma = 0)
it is 1/b + 2 ln(1-delta).

    python3 laplace_small.py > laplace_small.csv
"""
import mpmath
from mpmath import mp, mpf, ncdf, exp, quad, log

mp.dps = 40


def gaussian(e, mu):
    return ncdf(mu / 2 - e / mu) - exp(e) * ncdf(-mu / 2 - e / mu)


def delta_at(e, b, sigma):
    mu, far = 1 / sigma, 1 / b
    cuts = [u for u in [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 150, 250] if u < far] + [min(far, mpf(250))]
    rest = quad(lambda u: exp(-u) / 2 * gaussian(e - far + 2 * u, mu), cuts)
    return gaussian(e - far, mu) / 2 + rest + exp(-far) / 2 * gaussian(e + far, mu)


def epsilon(b, sigma, delta):
    if sigma == 0:
        return 1 / b + 2 * log(1 - delta)
    f = lambda e: log(delta_at(e, b, sigma)) - log(delta)
    low, high = 1 / b - 10, 1 / b + 10 + 30 / sigma
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return low


print(f"# laplace_small.py, mpmath {mpmath.__version__}, 40 digits")
print("scale,sigma,delta,epsilon")
cases = [(b, s, d) for b in "0.00134 0.00135 0.00136 0.00137 0.00138 0.00139 0.0014 0.00141 0.00142 0.0015 0.002".split() for s, d in [("1", "1e-5")]]
cases += [("0.001", "1", "1e-5"), ("0.001", "2", "0.1"), ("0.0012", "2", "1e-100")]
cases += [("0.0014", "0", "0.4"), ("0.0014", "0", "1e-5"), ("0.001", "0", "0.4"), ("0.001", "0", "1e-200"), ("0.00107", "0", "0.3")]
for b, s, d in cases:
    print(f"{b},{s},{d},{mpmath.nstr(epsilon(mpf(float(b)), mpf(float(s)), mpf(float(d))), 14)}")
