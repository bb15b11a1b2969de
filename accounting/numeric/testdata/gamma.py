"""Writes gamma.csv: ratios of gamma functions and binomial coefficients by mpmath at 60 digits.

Columns: x, a, log Gamma(x+a)/Gamma(x), n, k, log C(n, k).

python3 gamma.py > gamma.csv
"""
import random
import mpmath

mpmath.mp.dps = 60
random.seed(1)
print("# gamma.py, mpmath %s, 60 digits" % mpmath.__version__)
print("x,a,log_ratio,n,k,log_choose")
for i in range(60):
    x = 10 ** random.uniform(-6, 16) if i % 3 else random.uniform(10, 40)
    a = random.choice([0, 1, random.randint(1, 200), 10 ** random.uniform(-3, 6)])
    n = random.randint(1, 10 ** random.randint(1, 15))
    k = random.randint(0, min(n, 10 ** random.randint(1, 6)))
    x, a = float("%.15g" % x), float("%.15g" % a)
    ratio = mpmath.loggamma(mpmath.mpf(x) + mpmath.mpf(a)) - mpmath.loggamma(x)
    choose = mpmath.loggamma(n + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(n - k + 1)
    print("%r,%r,%s,%d,%d,%s" % (x, a, mpmath.nstr(ratio, 20), n, k, mpmath.nstr(choose, 20)))
