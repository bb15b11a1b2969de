# Writes hard.csv.gz: values of functions with 60 digits at the arguments in hard.txt, which has a
# function and the bits of a float64 on each line. Run: python hard.py < hard.txt
#
# hard.txt is not kept. For each function it had the arguments with the largest errors of package
# math among 400,000 drawn ones (exp, expm1, log, log1p, erfc, sqrt, and sin and cos on [-1, 1]), on
# amd64 and on arm64, further ones at the ends of the ranges, and for sin and cos 500 within 1e-3 of
# multiples of π/2 up to 2.6e7. The arguments are in the file, so it can be checked and made again.
import gzip
import struct
import sys

import mpmath
from mpmath import mp

mp.prec = 1400
functions = {
    "exp": mp.exp, "expm1": mp.expm1, "log": mp.log, "log1p": lambda x: mp.log(1 + x), "erfc": mp.erfc,
    "sqrt": mp.sqrt, "sin": mp.sin, "cos": mp.cos,
}
with gzip.GzipFile("hard.csv.gz", "wb", compresslevel=9, mtime=0) as out:
    out.write(("# hard.py, mpmath %s: function, bits of the argument, value with 60 digits\n" % mpmath.__version__).encode())
    for line in sys.stdin:
        name, bits = line.split()
        x = struct.unpack(">d", bytes.fromhex(bits))[0]
        value = mpmath.nstr(functions[name](mp.mpf(x)), 60, strip_zeros=False, min_fixed=0, max_fixed=0)
        out.write(("%s,%s,%s\n" % (name, bits, value)).encode())
