"""log delta of small noise, for participations_test.go. Needs mpmath 1.3: python3 participations.py

A step's output is a draw of N(1, s^2) with probability q (a participation) and of N(0, s^2) else. Where s is small
the loss of a participation is log q + v, v ~ N(1/2s^2, 1/s^2), and of any other step log(1-q). Given the numbers of
participations the total is Gaussian, N(m, w^2), and E(1 - e^(eps-L))_+ = Phi(a) - e^(eps-m+w^2/2) Phi(a-w), a = (m-eps)/w.
"""
from mpmath import mp, mpf, erfc, exp, log, log1p, loggamma, nstr, sqrt

mp.dps = 40


def cdf(x):
    return erfc(-x / sqrt(mpf(2))) / 2


def excess(eps, m, w):
    a = (m - eps) / w
    return cdf(a) - exp(eps - m + w * w / 2) * cdf(a - w)


def chance(steps, q, n):
    choose = loggamma(steps + 1) - loggamma(n + 1) - loggamma(steps - n + 1)
    return exp(choose + n * log(q) + (steps - n) * log1p(-q))


def delta(phases, p, m, var, eps):
    """Sums over the participations of the phases from 12 standard deviations below the mean to 26 above."""
    if not phases:
        return p * (excess(eps, m, sqrt(var)) if var else max(mpf(0), 1 - exp(eps - m)))
    (q, s, steps), rest = phases[0], phases[1:]
    q, s = mpf(q), mpf(s)
    mean, sd = steps * q, sqrt(steps * q * (1 - q))
    low, high = max(0, int(mean - 12 * sd - 5)), min(steps, int(mean + 26 * sd + 40))
    return sum(delta(rest, p * chance(steps, q, n), m + n * (log(q) + 1 / (2 * s * s)) + (steps - n) * log1p(-q),
                     var + n / s**2, eps) for n in range(low, high + 1))


def main():
    for phases, mu, eps in [
        ([(0.0087, 0.05, 74469)], 0, 125000), ([(0.0087, 0.05, 74469)], 0, 160000), ([(1.5e-4, 0.04, 948749)], 0, 90000),
        ([(0.01, 0.03, 1000)], 0, 9000), ([(0.01, 0.03, 1000)], 0, 500), ([(0.9, 0.02, 100000)], 0, 112000000),
        ([(0.01, 0.05, 1000), (0.002, 0.04, 2000)], 3, 4500), ([(0.01, 0.05, 1000), (0.002, 0.04, 2000)], 3, 9000),
        ([(1e-8, 0.03, 1000000000)], 0, 20000),
    ]:
        mu = mpf(mu)
        print(phases, mu, eps, nstr(log(delta(phases, mpf(1), mu * mu / 2, mu * mu, eps)), 14), flush=True)


if __name__ == "__main__":
    main()
