# Writes laws.csv: E[K], P[K=0], f', f'' and 1-f at 1-p of laws of K, to 50 digits. The formulas are sums over k, or the law's
# generating function, at 1000 digits.
from mpmath import mp, mpf, log, exp, expm1, gamma as G, nstr
import mpmath
mp.dps = 1000

def tnb(eta, g):
    eta, g = mpf(eta), mpf(g)
    def f(x):
        s = 1 - (1 - g) * x
        return log(s) / log(g) if eta == 0 else (s ** -eta - 1) / (g ** -eta - 1)
    mean = (1 / g - 1) / log(1 / g) if eta == 0 else eta * (1 - g) / (g * (1 - g ** eta))
    first = lambda x: mean * (g / (1 - (1 - g) * x)) ** (eta + 1)
    second = lambda x: mean * (eta + 1) * (1 - g) * g ** (eta + 1) / (1 - (1 - g) * x) ** (eta + 2)
    def chances(n):
        out, c = [mpf(0)], first(mpf(0))
        for k in range(1, n + 1):
            out.append(c)
            c = c * (1 - g) * (k + eta) / (k + 1)
        return out
    return mean, f, first, second, chances

def poisson(m, _):
    m = mpf(m)
    chances = lambda n: [exp(-m) * m ** k / mpmath.factorial(k) for k in range(n + 1)]
    return m, (lambda x: exp(m * (x - 1))), (lambda x: m * exp(m * (x - 1))), (lambda x: m * m * exp(m * (x - 1))), chances

def binomial(n, p):
    n, p = int(n), mpf(p)
    def chances(most):
        out, c = [], (1 - p) ** n
        for k in range(most + 1):
            out.append(c)
            c = c * (n - k) * p / ((k + 1) * (1 - p))
        return out
    return n * p, (lambda x: (1 - p + p * x) ** n), (lambda x: n * p * (1 - p + p * x) ** (n - 1)), \
        (lambda x: n * (n - 1) * p * p * (1 - p + p * x) ** (n - 2) if n > 1 else mpf(0)), chances

def twopoint(n, s):
    n, s = int(n), mpf(s)
    def chances(most):
        out = [mpf(0)] * (most + 1)
        if most >= 1: out[1] += s
        if most >= n: out[n] += 1 - s
        return out
    return s + (1 - s) * n, (lambda x: s * x + (1 - s) * x ** n), (lambda x: s + (1 - s) * n * x ** (n - 1)), \
        (lambda x: (1 - s) * n * (n - 1) * x ** (n - 2) if n > 1 else mpf(0)), chances

def of_list(w):
    horner = lambda c: (lambda x: mpmath.polyval(c[::-1], x) if c else mpf(0))
    first = [k * w[k] for k in range(1, len(w))]
    second = [k * (k - 1) * w[k] for k in range(2, len(w))]
    mean = sum(first)
    return mean, horner(w), horner(first), horner(second), lambda n: (w + [mpf(0)] * (n + 1))[:n + 1]

def limited(law, kind, most):
    w = law[4](most)
    if kind == "truncated":
        s = sum(w); w = [x / s for x in w]
    elif kind == "withheld":
        w[0] = 1 - sum(w[1:])
    else:
        w[most] = 1 - sum(w[:most])
    return of_list(w)

kinds = {"tnb": tnb, "poisson": poisson, "binomial": binomial, "twopoint": twopoint, "fixed": twopoint}
rows = [("tnb", e, g, "", 0) for e, g in [(-.9, .2), (-.5, .05), (-.5, 1e-12), (0., .03), (0., 1e-300), (0., .999999), (1e-300, .5), (-1e-200, .1), (2.3e-308, .25), (1e-9, .5),
        (3e-4, .03), (-1e-3, .01), (.5, .06), (1., .1), (1., 1e-100), (5., .33), (40., .7), (2., .999), (1e12, .9999999999)]]
rows += [("poisson", m, 0., "", 0) for m in [1e-300, .3, 10., 60., 3e4]]
rows += [("binomial", float(n), p, "", 0) for n, p in [(1, .3), (20, .5), (300, .02), (16777216, 1e-6), (7, .999999)]]
rows += [("twopoint", float(n), s, "", 0) for n, s in [(2, .3), (100, .01), (1000000, 1e-9)]]
rows += [("fixed", float(n), 0., "", 0) for n in [1, 2, 7, 100000]]
rows += [("tnb", 0., .03, "truncated", 20), ("tnb", -.5, 1e-3, "truncated", 300), ("tnb", 40., .2, "truncated", 10), ("poisson", 3., 0., "truncated", 4), ("poisson", 3000., 0., "truncated", 5),
         ("binomial", 9., .4, "truncated", 5), ("tnb", 0., .03, "withheld", 20), ("poisson", 3., 0., "withheld", 4), ("poisson", 1000., 0., "withheld", 900), ("tnb", 1., .1, "capped", 12),
         ("poisson", 10., 0., "capped", 10), ("poisson", 10., 0., "capped", 90), ("twopoint", 30., .2, "capped", 7), ("poisson", 1000., 0., "truncated", 1500), ("binomial", 9., .4, "capped", 20)]
ps = [0., 1e-300, 1e-9, .001, .3, .9, 1.]
print("# laws.py with mpmath %s, 1000 digits" % mpmath.__version__)
print("kind,a,b,limit,max,p,mean,none,first,second,some")
for kind, a, b, limit, most in rows:
    law = kinds[kind](a, b)
    if limit:
        law = limited(law, limit, most)
    mean, f, first, second, _ = law
    for p in ps:
        x = 1 - mpf(p)
        print(",".join([kind, repr(a), repr(b), limit, str(most), repr(p)] + [nstr(v, 50) for v in (mean, f(mpf(0)), first(x), second(x), 1 - f(x))]))
