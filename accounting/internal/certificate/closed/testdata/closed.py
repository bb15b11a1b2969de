# Writes closed.csv: log δ(ε) of closed forms with 120 digits. Run: python closed.py > closed.csv
import random
import mpmath
from mpmath import mp, mpf

mp.dps = 120
random.seed(33)


def phi(x):
    return mpmath.erfc(-x / mpmath.sqrt(2)) / 2


def gaussian(mu, e):
    return phi(mu / 2 - e / mu) - mpmath.exp(e) * phi(-mu / 2 - e / mu)


def remove(q, mu, e):
    return q * gaussian(mu, mpmath.log(1 + mpmath.expm1(e) / q))


def add(q, mu, e):
    w = 1 + mpmath.expm1(-e) / q
    return q * mpmath.exp(e) * w * gaussian(mu, -mpmath.log(w)) if w > 0 else mpf(0)


def laplace(b, e):
    return -mpmath.expm1((e - 1 / b) / 2)


def response(p, e):
    return p - mpmath.exp(e) * (1 - p)


print("# closed.py, mpmath %s, 120 digits" % mpmath.__version__)
print("kind,q,parameter,epsilon,log_delta")


def row(kind, q, parameter, e, f):
    value = f(mpf(e)) if q is None else f(mpf(q), mpf(e))
    if value > 0 and mpmath.log(value) < 0:
        print("%d,%r,%r,%r,%s" % (kind, q or 1.0, parameter, e, mpmath.nstr(mpmath.log(value), 25)))


for _ in range(260):
    mu = 10 ** random.uniform(-6, 2)
    t = random.choice([0.0, random.uniform(0, 6), random.uniform(0, 38)])
    e = mu * mu / 2 * random.choice([0, 1, random.uniform(0, 2)]) + t * mu
    row(0, None, mu, e, lambda e: gaussian(mpf(mu), e))
for _ in range(240):
    q, mu = 10 ** random.uniform(-9, 0), 10 ** random.uniform(-2, 1)
    inner = mu * mu / 2 + random.uniform(0, 12) * mu
    e = float(mpmath.log(1 + mpf(q) * mpmath.expm1(inner)))
    row(1, q, mu, e, lambda q, e: remove(q, mpf(mu), e))
    e *= random.random()
    row(2, q, mu, e, lambda q, e: add(q, mpf(mu), e))
for _ in range(60):
    b = 10 ** random.uniform(-2, 2)
    row(3, None, b, random.random() / b, lambda e: laplace(mpf(b), e))
    p = random.uniform(0.5, 1)
    row(4, None, p, random.random() * float(mpmath.log(mpf(p) / (1 - mpf(p)))), lambda e: response(mpf(p), e))
