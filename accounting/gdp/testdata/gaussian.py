"""Writes gaussian.csv: log delta of mu-GDP at epsilon, to 17 digits, by mpmath at 80 + digits.

python3 gaussian.py > gaussian.csv
"""
import itertools
import mpmath as mp

mp.mp.dps = 80


def log_delta(mu, eps):
    mu, eps = mp.mpf(float(mu)), mp.mpf(eps)
    # Enough digits for the cancellation of the two terms.
    upper = lambda t: mp.erfc(t / mp.sqrt(2)) / 2
    return mp.log(upper(eps / mu - mu / 2) - mp.exp(eps) * upper(eps / mu + mu / 2))


print(f"# gaussian.py, mpmath {mp.__version__}, 80 digits: log(Phi(mu/2-eps/mu) - e^eps Phi(-mu/2-eps/mu))")
print("mu,epsilon,log_delta")
mus = ["1e-8", "1e-4", "0.01", "0.2", "0.999", "1", "1.001", "3", "12", "50", "1000"]
ratios = ["0", "1e-6", "0.01", "0.5", "1", "4", "20", "37"]  # epsilon = mu^2/2 + ratio*mu, and ratio*mu
for mu, r in itertools.product(mus, ratios):
    for eps in sorted({float(mu) ** 2 / 2 + float(r) * float(mu), float(r) * float(mu)}):
        print(f"{mu},{eps!r},{mp.nstr(log_delta(mu, eps), 17)}")
