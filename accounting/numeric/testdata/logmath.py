"""Writes logmath.csv: normal tails by mpmath at 60 digits.

Columns: x, log Phi(x), R(x) = (1-Phi(x))/phi(x) (0 where it exceeds 1e300), 1 - x R(x).

python3 logmath.py > logmath.csv
"""
import mpmath as mp

mp.mp.dps = 60
print(f"# logmath.py, mpmath {mp.__version__}, 60 digits")
print("x,log_cdf,mills,slope")
for v in [-1e150, -1e6, -300, -38.5, -38, -20, -10.001, -10, -9.999, -5, -1, -0.3, -1e-9, 0, 1e-9, 0.3, 1, 3, 5, 8, 9.999, 10, 10.001, 12,
          20, 38, 300, 1e6, 1e150]:
    x = mp.mpf(v)
    # erfc of a huge argument: by the continued fraction, at 60 digits.
    def upper(t):
        if t > 100:
            k = mp.mpf(0)
            for level in range(400, 0, -1):
                k = level / (t + k)
            return None, 1 / (t + k), k / (t + k)
        return mp.erfc(t / mp.sqrt(2)) / 2, mp.erfc(t / mp.sqrt(2)) / 2 / mp.npdf(t), None
    tail, mills, slope = upper(x)
    if slope is None:
        slope = 1 - x * mills if x > -100 else mp.mpf(0)
    left, left_mills, _ = upper(-x)
    if x > 0:
        log_cdf = mp.log1p(-tail) if tail is not None else mp.mpf(0)
    else:
        log_cdf = mp.log(left) if left is not None else -x * x / 2 - mp.log(2 * mp.pi) / 2 + mp.log(left_mills)
    if x < -30:
        mills, slope = mp.mpf(0), mp.mpf(0)
    print(f"{v!r},{mp.nstr(log_cdf, 17)},{mp.nstr(mills, 17)},{mp.nstr(slope, 17)}")
