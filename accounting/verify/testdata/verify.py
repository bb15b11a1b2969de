#!/usr/bin/env python3
"""A second verifier of dplab's answers: python3 verify.py ANSWER.json...

It shares no code with dplab. Of the file it takes the event, the relation, ε and δ as what is to be
shown, and the numbers of the witness as parameters, where any values give a valid bound. It prints
"verified: ..." and exits with 0, or "not verified: ..." with 1. A rule, an event or a number of
steps that it does not know exits with 2.

Rounding. Numbers have 256 bits, so an operation is off by a share of 2^-255, and the functions of
mpmath by a share of 2^-250. Terms of a sum or factors of a product are fewer than 2^45, and no
difference below loses more than 2^100. So results are right to a share of 2^-100, and up() adds
more. Plain floats only choose, or have a margin of 1e-9 that is shown where they are used.
"""
import bisect, json, math, sys
from collections import namedtuple
from fractions import Fraction

from mpmath import mp, mpf, mpc

mp.prec = 256
BITS = 224  # of fixed-point numbers: see Law.moments
RELATIONS = ("add-or-remove-one", "replace-one", "replace-special")


class Refused(Exception):
    """The answer is not shown."""


class Unknown(Exception):
    """What this verifier does not know."""


def need(true, text):
    if not true:
        raise Refused(text)


def up(x):
    return x * (1 + mpf(2) ** -90)


def fixed(z):
    return int(z.real * 2**BITS), int(z.imag * 2**BITS)


def number(fraction):
    return mpf(fraction.numerator) / fraction.denominator


# The event in its simplest form under a relation: a list of runs.


# count releases of a Gaussian with µ² on a Poisson sample. pair: that of a replaced record, of a
# clipped sum on a Poisson sample, with the noise 1/µ.
Run = namedtuple("Run", "rate mu2 count pair", defaults=(False,))


FIELDS = {
    "gaussian": "noise_multiplier", "clipped_sum": "noise_multiplier", "self_composed": "count event", "composed": "events",
    "poisson_sampled": "sampling_rate event", "shuffled": "batches epochs kept event", "selection": "law base", "parallel": "events", "worst_case": "events",
}


def kind(event):
    need(isinstance(event, dict), "an event must be an object")
    name = event.get("type")
    if name not in FIELDS:
        raise Unknown("an event of type %r is" % (name,))
    need(set(event) == set(FIELDS[name].split()) | {"type"}, "the fields of %s" % name)
    return name


def real(values, name, valid):
    x = values.get(name)
    need(isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x) and valid(x), "%s %r: out of its range" % (name, x))
    return Fraction(x)


def whole(values, name):
    return int(real(values, name, lambda x: 1 <= x <= 2**53 and x == int(x)))


def runs(event, relation):
    """The releases of an event. A record moves a sum of clipped vectors by 1, and by 2 if another
    takes its place."""
    name = kind(event)
    moved = 4 if relation == "replace-one" else 1
    if name in ("gaussian", "clipped_sum"):
        sigma = real(event, "noise_multiplier", lambda x: x > 0)
        return [Run(Fraction(1), (moved if name == "clipped_sum" else 1) / sigma**2, 1)]
    if name == "self_composed":
        n = whole(event, "count")
        return [Run(r.rate, r.mu2, n * r.count, r.pair) for r in runs(event["event"], relation)]
    if name == "composed":
        need(isinstance(event["events"], list) and event["events"], "no events")
        return [r for e in event["events"] for r in runs(e, relation)]
    if name == "shuffled":  # In a known order; one record fewer moves two batches, by 1 and 2 at most.
        inner, batches = event["event"], whole(event, "batches")
        if kind(inner) not in ("gaussian", "clipped_sum"):
            raise Unknown("shuffled batches of a %s are" % kind(inner))
        sigma = real(inner, "noise_multiplier", lambda x: x > 0)
        squared = 5 if relation == "add-or-remove-one" and batches > 1 else moved if kind(inner) == "clipped_sum" else 1
        return [Run(Fraction(1), squared / sigma**2, whole(event, "epochs"))]
    if name == "poisson_sampled":
        return sampled(real(event, "sampling_rate", lambda x: 0 < x <= 1), event["event"], relation)
    raise Unknown("%s of these events under %s is" % (name, relation))


def sampled(rate, inner, relation):
    """Samples of samples are one sample of the product of the rates."""
    if rate == 1:
        return runs(inner, relation)
    if kind(inner) == "poisson_sampled":
        return sampled(rate * real(inner, "sampling_rate", lambda x: 0 < x <= 1), inner["event"], relation)
    if relation == "replace-one":
        if kind(inner) != "clipped_sum":
            raise Unknown("a Poisson sample of a %s under replace-one is" % kind(inner))
        return [Run(rate, 1 / real(inner, "noise_multiplier", lambda x: x > 0) ** 2, 1, True)]
    inside = runs(inner, relation)
    if any(r.rate < 1 for r in inside) or "shuffled" in json.dumps(inner):
        raise Unknown("a Poisson sample of samples next to others is")
    return [Run(rate, sum(r.mu2 * r.count for r in inside), 1)]  # µ² of Gaussians adds up


# Closed forms.


def gaussian(mu, e):
    """δ(ε) of the Gaussian mechanism (Balle and Wang 2018, Theorem 8). It falls with ε, so a smaller ε
    is valid. δ over the first term is above µ² / max(1, ε)², or so, which the ranges bound."""
    if not 1e-9 < mu < 1e9:
        raise Unknown("a Gaussian with µ = %s is" % mp.nstr(mu, 3))
    e = min(e, mu * 10**9)
    return mp.ncdf(mu / 2 - e / mu) - mp.exp(e) * mp.ncdf(-mu / 2 - e / mu)


def closed(program, e):
    """δ(ε) of Gaussians, or of one release on a Poisson sample."""
    if all(r.rate == 1 for r in program):
        return up(gaussian(mp.sqrt(number(sum(r.mu2 * r.count for r in program))), e))
    if len(program) > 1 or program[0].count > 1:
        raise Unknown("a closed form of samples and other releases is")
    run = program[0]
    q, mu, x = number(run.rate), mp.sqrt(number(run.mu2)), mp.exp(e)
    if run.pair:
        # P, Q = (1-q) N(0, σ²) + q N(±1, σ²). The loss rises, and is ε at τ: δ = P(x > τ) - e^ε Q(x > τ).
        tau = (e / 2 + mp.asinh(mp.sinh(e / 2) * mp.exp(mu**2 / 2) * (1 - q) / q)) / mu**2
        tail = lambda center: mp.ncdf((center - tau) * mu)
        return up(q * tail(1) - x * q * tail(-1) - (1 - q) * (x - 1) * tail(0))
    # Remove: q δ_G(ln(1 + (e^ε-1)/q)) (Balle, Barthe and Gaboardi 2018, Theorem 8). Add: ∫ (Q - e^ε P)₊
    # with P = (1-q)Q + qN is q e^ε ∫ (wQ - N)₊ with w = 1 - (1-e^-ε)/q, which is w δ_G(-ln w).
    w = 1 + mp.expm1(-e) / q
    add = q * x * w * gaussian(mu, -mp.log(w)) if w > 0 else 0
    return up(max(q * gaussian(mu, mp.log(1 + mp.expm1(e) / q)), add))


# Line integrals. M(z) = E e^{zL} of a phase is ∫ ρ(x) e^{αl(x)} dx, ρ the density of N(0, σ²), l(x) =
# ln A(x), A(x) = 1-q + q e^{(2x-1)/2σ²}. α is z+1 if a record is removed (L = l) and -z if one is
# added (L = -l). For a replaced record it is ∫ ρ(x) A(x)^{z+1} A(-x)^{-z} dx, L = l(x) - l(-x).

LOG_ERROR = 75  # e^-75 is the error of an inner integral, before the number of steps


class Law:
    """The tilted law of one phase at a real a > 0, on the points k·step of a trapezoid sum that
    serves M(a+it) for t up to most."""

    def __init__(self, run, direction, a, most):
        self.q, self.s2, self.count = number(run.rate), 1 / number(run.mu2), run.count
        self.pair, self.direction, self.a = run.pair, direction, a
        need(a < 1e5 and run.count < 2**40, "the line is too far out, or the steps are too many")
        self.step = self.step_for(most)
        step = mpf(self.step)
        # The end points: behind them the logarithm of the integrand falls with a slope of at least
        # (x-high)/σ² above and (|x|-low)/σ² below, as 0 <= l' <= 1/σ². So the terms left out are
        # below a geometric sum.
        low, high = (a, 0) if direction == "add" else (0, a + 1 + (a if run.pair else 0))
        tolerance, self.left, ends = mp.exp(-LOG_ERROR) / self.count, mpf(0), []
        for sign, edge in ((-1, low), (1, high)):
            k, rest = int(edge / self.step) + 1, mp.inf
            while rest >= tolerance:
                k += max(1, int(0.2 * math.sqrt(float(self.s2)) / self.step))
                need(k < 20000, "too many points of an inner integral")
                rest = step * mp.exp(self.tilted(sign * k * step)) / mp.expm1((k * step - edge) * step / self.s2)
            self.left += rest
            ends.append(sign * k)
        self.points = [k * step for k in range(ends[0], ends[1] + 1)]
        self.weights = [step * mp.exp(self.tilted(x)) for x in self.points]
        self.total = mp.fsum(self.weights)
        # |M(a+it) - sum| <= error · total.
        self.error = mp.exp(-LOG_ERROR) / self.count * 2 + self.left / self.total * 2
        self.m = self.total * (1 + self.error)

    def step_for(self, most):
        """A step with which the sum is off by at most e^-LOG_ERROR M(a)/count. The error of the
        trapezoid rule is at most 2N/(e^{2πy/step}-1), N the integral of the size of the integrand on
        Im x = ±y (Trefethen and Weideman 2014, Theorem 5.1). With θ = y/σ² < π, |ρ| grows by
        e^{y²/2σ²}, |A| does not grow and shrinks by at most cos(θ/2), as |A(x+iy)|² = A² (1 - 4r(1-r)
        sin²(θ/2)), and |Im l| <= θ. A margin of 2 covers floats."""
        s2, best = float(self.s2), 0
        for k in range(40):
            theta = 3 * 0.8**k
            log = LOG_ERROR + 3 + math.log(self.count) + most * theta * (2 if self.pair else 1) + theta**2 * s2 / 2
            if self.pair or self.direction == "add":
                log -= self.a * math.log(math.cos(theta / 2))
            best = max(best, 2 * math.pi * theta * s2 / log)
        return min(best, math.sqrt(s2) / 12)

    def l(self, x):
        return mp.log(1 - self.q + self.q * mp.exp((2 * x - 1) / (2 * self.s2)))

    def loss(self, x):
        return self.l(x) - self.l(-x) if self.pair else self.l(x) if self.direction == "remove" else -self.l(x)

    def tilted(self, x):
        """The logarithm of the integrand at a."""
        base = self.l(x) if self.pair or self.direction == "remove" else 0
        return base + self.a * self.loss(x) - x * x / (2 * self.s2) - mp.log(2 * mp.pi * self.s2) / 2

    def layers(self):
        """Uniform laws (mass, width) below the density f of the tilted loss. With f = e^tilted/(M
        |L'|), L' = r/σ² and r = q e^v/A, (ln f)'' in x is (α+1) r(1-r)/σ⁴ - 1/σ². That is at most
        bend, so ln f - bend x²/2 is concave: between points f is at least the lesser end times
        e^{-bend step²/8}. For a replaced record L' = S/σ², S = r(x) + r(-x), and -(ln S)'' <= 9/8σ⁴."""
        s2 = float(self.s2)
        alpha = self.a + 1 + 3.5 if self.pair else self.a + 1 if self.direction == "remove" else self.a
        bend = max(0, (alpha + 1) / (4 * s2) - 1) / s2 * 1.001
        share = lambda x: self.q * mp.exp((2 * x - 1) / (2 * self.s2) - self.l(x))
        front = self.s2 / self.m * math.exp(-bend * self.step**2 / 8) * (1 - 1e-9)
        f = [float(front * mp.exp(self.tilted(x)) / (share(x) + (share(-x) if self.pair else 0))) for x in self.points]
        losses, out, height = [self.loss(x) for x in self.points], [], max(f)
        for _ in range(160):
            below, start = height * 0.92, None
            for i, y in enumerate(f + [0]):
                if y >= height and start is None:
                    start = i
                elif y < height and start is not None:
                    width = float(abs(losses[i - 1] - losses[start])) * (1 - 1e-9)
                    if width > 0:
                        out.append(((height - below) * width * (1 - 1e-9), width))
                    start = None
            height = below
        return out

    def moments(self, h, n):
        """M(a+it)/total at t = (j+1/2)h, j < n. Sums and products of complex fixed-point numbers, of
        sizes up to 1, are off by a few units of 2^-BITS each, a sum by 2^-190, its power by 2^-150."""
        unit, state = mpf(2) ** -BITS, []
        for x, w in zip(self.points, self.weights):
            loss = self.loss(x)
            state.append(fixed(w / self.total * mp.expj(h * loss / 2)) + fixed(mp.expj(h * loss)))
        for _ in range(n):
            yield mpc(sum(s[0] for s in state) * unit, sum(s[1] for s in state) * unit)
            state = [((a * c - b * d) >> BITS, (a * d + b * c) >> BITS, c, d) for a, b, c, d in state]


def deficit(layers, t):
    """1 - |φ| is at least this at t and beyond: a uniform law of width w has |sin u|/u, u = tw/2, which
    is at most 1 - u²/6 (1 - u²/20), falling up to π/2, and at most 1/u."""
    total = 0.0
    for mass, width in layers:
        u = t * width / 2
        total += mass * (u * u / 6 * (1 - u * u / 20) if u < math.pi / 2 else 1 - 1 / u)
    return total * (1 - 1e-9)


def chernoff(mu2, laws, a):
    """ln of κ(a) M(a), κ(a) = sup (1-e^-y) e^-ay = a^a/(1+a)^(1+a): δ(e) <= κ(a) M(a) e^-ae."""
    return a * mp.log(a) - (1 + a) * mp.log(1 + a) + mu2 * a * (a + 1) / 2 + sum(l.count * mp.log(l.m) for l in laws)


def split(program):
    """µ² of the Gaussians, and the phases on samples."""
    return number(sum((r.mu2 * r.count for r in program if r.rate == 1), Fraction(0))), [r for r in program if r.rate < 1]


class Line:
    """δ in one direction, by δ(ε) = 1/2πi ∫ M(z) e^-zε / (z(z+1)) dz over Re z = c (Zhu, Dong and Wang
    2022), as a midpoint sum over t = (j+1/2)h, j < n. M = M1 M2 … of phases, and e^{µ²z(z+1)/2}."""

    def __init__(self, program, direction, line, e, delta):
        c, omega, above = (float(line.get(k, 0)) for k in ("c", "omega", "above"))
        need(1e-6 < c < above < 1e6 and 1e-9 < omega < 1e9, "no line of the integral")
        self.c, self.above, self.h = mpf(c), mpf(above), 2 * mp.pi / mpf(omega)
        need(1 / mp.expm1(self.c * omega) <= delta, "the points of the line are too far apart")
        mu2, phases = split(program)
        laws = [Law(r, direction, c, 0) for r in phases]
        self.log_above = chernoff(mu2, [Law(r, direction, above, 0) for r in phases], self.above)
        self.log_m = mu2 * self.c * (self.c + 1) / 2 + sum(l.count * mp.log(l.total) for l in laws)
        # Behind point n: (h/π) Σ B/t² <= B(t_n)/(π n h), B a falling bound of |M(z)|/M(c), |z(z+1)| >= t².
        h, layers, n = float(self.h), [l.layers() for l in laws], 8
        wanted = float(mp.log(mpf(delta)) - 27 - (self.log_m - self.c * e))
        rest = lambda n: -(float(mu2) * ((n + 0.5) * h) ** 2 / 2 + sum(l.count * deficit(d, (n + 0.5) * h) for l, d in zip(laws, layers))) * (1 - 1e-9) - math.log(math.pi * n * h)
        while rest(n) > wanted:
            n += n // 4
            if n * sum(len(l.points) for l in laws) > 4e6 or n > 20000:
                raise Unknown("a transform that decays as slowly as this one is")
        self.rest, most = mp.exp(mpf(rest(n)) + mpf(1e-6)), (n + 1) * h
        fine = [Law(r, direction, c, most) for r in phases]
        self.log_m = mu2 * self.c * (self.c + 1) / 2 + sum(l.count * mp.log(l.total) for l in fine)
        off = sum((l.count * l.error for l in fine), mpf(0))
        need(off < 1e-6, "an inner integral is off")
        self.values, sums = [], [l.moments(self.h, n) for l in fine]
        for j in range(n):
            z = mpc(self.c, (j + mpf(0.5)) * self.h)
            value = mp.exp(mu2 * (z * (z + 1) - self.c * (self.c + 1)) / 2) / (z * (z + 1))
            for law, s in zip(fine, sums):
                value *= next(s) ** law.count
            self.values.append(fixed(value))
        # Each factor M/total is off by at most error, so the product of all by 2 Σ count · error.
        self.off = n * 2 * off / (self.c * (self.c + 1)) + mpf(2) ** -120

    def delta(self, e):
        """An upper bound of δ at ε = e. By Poisson's formula the sum is Σ_k (-1)^k e^{kcΩ} δ(ε+kΩ), Ω =
        2π/h. The terms k > 0 are bounded by Chernoff's bound, and those of k < 0 by δ <= 1."""
        h, c, a = self.h, self.c, self.above
        (x, y), (p, q), total = fixed(mp.expj(-h * e / 2)), fixed(mp.expj(-h * e)), 0
        for u, v in self.values:
            total += u * x - v * y
            x, y = (x * p - y * q) >> BITS, (x * q + y * p) >> BITS
        main = (h / mp.pi * (mpf(total) / 2 ** (2 * BITS) + self.off) + self.rest) * mp.exp(self.log_m - c * e)
        omega = 2 * mp.pi / h
        return up(max(main, 0) + mp.exp(self.log_above - a * e) / mp.expm1((a - c) * omega) + 1 / mp.expm1(c * omega))


def directions(program):
    return ("remove",) if {r.pair for r in program if r.rate < 1} == {True} else ("remove", "add")


def integral(program, lines, e, delta):
    """δ(ε) by a line for each direction."""
    need(isinstance(lines, list) and len(lines) == 2, "two lines are needed")
    return max(one_direction(program, direction, line, e, delta) for direction, line in zip(directions(program), lines))


def one_direction(program, direction, line, e, delta):
    (mu2, phases), c = split(program), float(line.get("c", 0))
    # In the add direction the loss of a step is at most -ln(1-q).
    if direction == "add" and len(phases) == len(program) and -sum(r.count * mp.log(1 - number(r.rate)) for r in phases) * (1 + mpf(2) ** -90) <= e:
        return mpf(0)
    if c > 0:
        bound = up(mp.exp(chernoff(mu2, [Law(r, direction, c, 0) for r in phases], mpf(c)) - c * e))
        if bound <= delta:
            return bound
    try:
        bound = Line(program, direction, line, e, delta).delta(e)
    except (Refused, Unknown):
        if not line.get("cuts"):
            raise
        bound = mp.inf
    if bound > delta and line.get("cuts"):
        raise Unknown("a law with trimmed outputs is")
    return bound


def anchored(program, anchors):
    """δ at any ε by the lines of the two nearest anchors."""
    need(isinstance(anchors, list) and anchors, "no lines of a profile")
    places, known = [float(a["epsilon"]) for a in anchors], {}
    need(places == sorted(places), "the lines of a profile do not rise")

    def at(i, e):
        if i not in known:
            try:
                a = anchors[i]
                known[i] = [Line(program, d, l, mpf(places[i]), float(a["delta"])) for d, l in zip(directions(program), a["lines"])]
            except (Refused, Unknown):
                known[i] = None
        return max(l.delta(e) for l in known[i]) if known[i] else mpf(1)

    def profile(e):
        i = bisect.bisect_left(places, float(e))
        return min([mpf(1)] + [at(j, e) for j in (i - 1, i) if 0 <= j < len(anchors)])

    return profile


# The best of K runs, by ranks.


def law_of(law):
    """f'(1-p) and f''(1-p) for f(x) = E x^K."""
    name = law.get("type") if isinstance(law, dict) else None
    if name == "tnb":  # E[K] (1+κp)^-(η+1), κ = 1/γ - 1, E[K] = κη/(1-γ^η), κ/ln(1/γ) for η = 0
        eta, gamma = number(real(law, "eta", lambda x: x > -1)), number(real(law, "gamma", lambda x: 0 < x < 1))
        odds = 1 / gamma - 1
        mean = odds * eta / -mp.expm1(eta * mp.log(gamma)) if eta else -odds / mp.log(gamma)
        first = lambda p: mean * (1 + odds * p) ** -(eta + 1)
        return first, lambda p: first(p) * (eta + 1) * odds / (1 + odds * p)
    if name == "poisson":  # f(x) = e^{m(x-1)}
        m = number(real(law, "mean", lambda x: x > 0))
        return (lambda p: m * mp.exp(-m * p)), (lambda p: m * m * mp.exp(-m * p))
    if name == "binomial":  # f(x) = (1-c+cx)^n
        n, c = whole(law, "trials"), number(real(law, "p", lambda x: 0 < x < 1))
        return (lambda p: n * c * (1 - c * p) ** (n - 1)), (lambda p: n * (n - 1) * c * c * (1 - c * p) ** max(0, n - 2))
    if name in ("fixed", "two_point"):  # f(x) = sx + (1-s)x^n
        n, s = (whole(law, "count"), mpf(0)) if name == "fixed" else (whole(law, "runs"), number(real(law, "single", lambda x: 0 <= x < 1)))
        return (lambda p: s + (1 - s) * n * (1 - p) ** (n - 1)), (lambda p: (1 - s) * n * (n - 1) * (1 - p) ** max(0, n - 2))
    raise Unknown("a law of type %r is" % name)


def epsilons(asked):
    """The ε at which a profile is asked. Any are valid."""
    out = [float(x) for x in asked.get("list") or []]
    step, end, far = (asked.get(k, 0) for k in ("step", "end", "far"))
    for i in range(min(int(asked.get("count", 0)), 1 << 14)):
        out.append(step * i if i <= end else step * end * 2.0 ** ((i - end) / far))
    return [x for x in out if 0 <= x < 700]


class Ranks:
    """Shows f'(1-P(p)) >= φ(f'(1-p)) - η for all p in [0, 1]. P(p) is the largest chance under one data
    set of outputs of chance p under the other: below δ + e^ε p and below 1 - (1-δ)e^-ε + e^-ε p. φ is
    convex with φ(0) = 0 and has slope slopes[k] over weights[k]."""

    def __init__(self, law, known, slopes, weights, eta):
        self.first, self.second, self.eta, self.left = *law, eta, 200000
        need(eta > mpf(2) ** -180 * (1 + self.first(mpf(0)) + self.second(mpf(0))), "η is too small for the rounding")
        lines = []
        for e, d in known:
            x = mp.exp(e)
            lines += [(d, x), (1 - (1 - d) / x, 1 / x)]
        self.lines = []  # those that are the lowest somewhere
        for line in sorted(lines, key=lambda l: (-l[1], l[0])):
            if self.lines and self.lines[-1][1] == line[1]:
                continue
            while self.lines and (self.lines[-1][0] >= line[0] or len(self.lines) > 1 and crossing(self.lines[-1], line) <= crossing(self.lines[-2], self.lines[-1])):
                self.lines.pop()
            self.lines.append(line)
        self.crossings = [float(crossing(a, b)) for a, b in zip(self.lines, self.lines[1:])]
        self.slopes, self.sums, self.values = slopes, [mpf(0)], [mpf(0)]
        for s, w in zip(slopes, weights):
            self.sums.append(self.sums[-1] + w)
            self.values.append(self.values[-1] + s * w)

    def over(self, a, b):
        """φ(a) - b, +∞ beyond the end of φ."""
        if a > self.sums[-1]:
            return mp.inf
        k = min(bisect.bisect_right(self.sums, a), len(self.slopes)) - 1
        return self.values[k] + self.slopes[k] * (a - self.sums[k]) - b

    def shown(self):
        places = [mpf(0)] + [mpf(4) ** k for k in range(-30, 1)]
        return all(self.part(p, self.first(p), q, self.first(q), 60) for p, q in zip(places, places[1:]))

    def part(self, p1, a1, p2, a2, depth):
        """f'(1-p) is convex in p, so below its chord; f'(1-line) is above its tangent. φ(a) - b is convex
        on the segment of their pairs, so largest at an end."""
        self.left -= 1
        if self.over(a1, 0) <= self.eta * 0.99:
            return True
        middle = mp.sqrt(p1 * p2) if p1 > 0 and p2 > 2 * p1 else (p1 + p2) / 2
        offset, slope = self.lines[bisect.bisect_left(self.crossings, float(middle))]
        y = offset + slope * middle
        if y >= 1:
            b1 = b2 = self.first(mpf(1))
        else:
            value, fall = self.first(y), self.second(y) * slope
            b1, b2 = value + fall * (middle - p1), value - fall * (p2 - middle)
        if max(self.over(a1, b1), self.over(a2, b2)) <= self.eta * 0.99:  # the rest is for rounding
            return True
        if depth == 0 or self.left < 0:
            return False
        am = self.first(middle)
        return self.part(p1, a1, middle, am, depth - 1) and self.part(middle, am, p2, a2, depth - 1)


def crossing(a, b):
    return (b[0] - a[0]) / (a[1] - b[1])


def best_of(event, relation, step, e, delta):
    """δ_A(ε) <= Σ weights[k] H(e^ε slopes[k]) + e^ε η, with H(t) = ∫ (Q - tQ')₊ of one run (dplab, package
    selection/ranks, pointwise.go)."""
    need(kind(event) == "selection" and relation == "add-or-remove-one", "the theorem is about a selection under add-or-remove-one")
    witness, known = step["witness"], []
    slack, slopes, weights = witness["slack"], [mpf(x) for x in witness["slopes"]], [mpf(x) for x in witness["weights"]]
    need(0 <= slack <= 0.01 and slopes and len(slopes) == len(weights) and slopes == sorted(slopes) and min(slopes + weights) >= 0, "slopes and weights")
    need(len(witness["run"]) == len(step["of"]), "profiles of a run")
    program = runs(event["base"], relation)
    for asked, inner in zip(witness["run"], step["of"]):
        profile = profile_of(program, inner)
        known += [(mpf(x), min(mpf(1), profile(mpf(x)))) for x in sorted(set(epsilons(asked)))]
    known.sort()
    weights = [w * (1 + mpf(slack) / 8) for w in weights]  # so that lines that touch do not any more
    eta = mpf(slack) / 2 * delta * mp.exp(-e)
    need(Ranks(law_of(event["law"]), known, slopes, weights, eta).shown(), "the ranks are not above the claim")
    # H(t) = δ(ln t) from t = 1 on, H(t) <= 1 - t + t δ(-ln t) below. It is convex and falls.
    places, heights = [mpf(0)], [mpf(1)]
    for t, h in [(mp.exp(-x), 1 - mp.exp(-x) * (1 - d)) for x, d in reversed(known)] + [(mp.exp(x), d) for x, d in known]:
        if t > places[-1]:
            places.append(t)
            heights.append(max(mpf(0), min(h, heights[-1])))

    def height(t):
        i = bisect.bisect_right(places, t)
        if i == len(places):
            return heights[-1]
        share = (t - places[i - 1]) / (places[i] - places[i - 1])
        return heights[i - 1] + share * (heights[i] - heights[i - 1])

    return up(mp.fsum(w * height(mp.exp(e) * s) for s, w in zip(slopes, weights)) + mp.exp(e) * eta)


# The steps of a proof.


def profile_of(program, step):
    while step["rule"] == "simplest form":  # runs() has done it
        step = step["of"][0]
    if step["rule"] == "closed form":
        return lambda e: closed(program, e)
    if step["rule"] == "line integrals of a profile":
        return anchored(program, step["witness"])
    raise Unknown("the rule %r is" % step["rule"])


def shows(event, relation, step, e, delta):
    """An upper bound of δ of an event at ε = e."""
    rule = step["rule"]
    if rule == "simplest form":  # runs() does it again
        return shows(event, relation, step["of"][0], e, delta)
    if rule == "reserve":
        kept = number(real(step["witness"], "delta", lambda x: 0 < x < delta))
        return kept + shows(event, relation, step["of"][0], e, delta - kept)
    if rule == "best of K by ranks":
        return best_of(event, relation, step, e, delta)
    if rule not in ("closed form", "line integral", "worst of several"):
        raise Unknown("the rule %r is" % rule)
    if kind(event) in ("parallel", "worst_case"):  # a record is in one part, so the worst counts
        need(relation != "replace-one" or kind(event) == "worst_case", "parts under replace-one")
        parts = event["events"]
        steps = step["of"] if rule == "worst of several" else [step] * len(parts)
        need(parts and len(parts) == len(steps), "steps of the parts")
        return max(shows(p, relation, s, e, delta) for p, s in zip(parts, steps))
    program = runs(event, relation)
    return closed(program, e) if rule == "closed form" else integral(program, step["witness"], e, delta)


def once(pairs):
    out = dict(pairs)
    need(len(out) == len(pairs), "a field is given twice")
    return out


def verify(text):
    answer = json.loads(text, object_pairs_hook=once)
    answer = answer.get("Guarantee") or answer.get("guarantee") or answer
    need(answer.get("certificate") and answer["certificate"].get("proof"), "the answer has no proof")
    proof, relation = answer["certificate"]["proof"], answer["neighboring"]
    if proof.get("version") != 1:
        raise Unknown("a proof of version %r is" % proof.get("version"))
    need(relation in RELATIONS, "the relation")
    e, delta = real(answer["epsilon"], "upper", lambda x: x >= 0), real(answer, "delta", lambda x: 0 < x < 1)
    shown = shows(proof["event"], relation, proof, number(e), number(delta))
    need(shown <= number(delta), "the steps show δ <= %s at ε = %s: must be at most %s" % (mp.nstr(shown, 12), float(e), float(delta)))
    return "ε <= %s at δ = %s, %s" % (float(e), float(delta), relation)


def main(path):
    try:
        with open(path, encoding="utf-8") as file:
            print("verified: " + verify(file.read()))
        return 0
    except Unknown as unknown:
        print("%s not known to this verifier" % unknown)
        return 2
    except Refused as fault:
        print("not verified: %s" % fault)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, ZeroDivisionError, RecursionError) as fault:
        print("not verified: the form of the answer: %r" % fault)
    return 1


if __name__ == "__main__":
    sys.exit(max(map(main, sys.argv[1:]), default=1))
