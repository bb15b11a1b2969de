"""Writes the images that the tests of this package read. Run it as `python make.py`, with Pillow 13.0.0 and NumPy 2.4.6. No test
runs it.

values.txt has, for each image of colors/, its path and the bytes that Pillow decodes.
resized.txt has rows and columns, and the numbers of 32 bits that Pillow's BILINEAR makes of sizes/cat/wide.png and then of
sizes/dog/tall.png, each number of it divided by 255.
"""

import os
import shutil

import numpy
from PIL import Image

rows, columns = 4, 5
y, x = numpy.mgrid[:rows, :columns]
rgb = numpy.stack([x * 50, y * 70, (x + y) * 30], -1).astype("uint8")
gray = (x * 10 + y * 60).astype("uint8")


def save(path, image, **options):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    image.save(path, **options)


for folder in ["colors", "grays", "bad", "sizes"]:
    shutil.rmtree(folder, ignore_errors=True)
color = Image.fromarray(rgb)
save("colors/cat/b.png", color)
save("colors/cat/a.jpg", color.resize((40, 32)).resize((columns, rows)), quality=95, subsampling=0)
save("colors/cat/C.PNG", Image.fromarray(rgb[::-1].copy()))
save("colors/dog/opaque.png", color.convert("RGBA"))
save("colors/dog/palette.png", color.quantize(16))
save("colors/dog/equal.png", Image.fromarray(gray[..., None].repeat(3, -1)))
with open("values.txt", "w") as out:
    for name in ["cat/C.PNG", "cat/a.jpg", "cat/b.png", "dog/equal.png", "dog/opaque.png", "dog/palette.png"]:
        pixels = numpy.asarray(Image.open("colors/" + name).convert("RGB"))
        print(name, *pixels.ravel(), file=out)

deep = gray.astype("uint16") * 257 + 1
save("grays/even/8.png", Image.fromarray(gray))
save("grays/even/16.png", Image.fromarray(deep))
save("grays/odd/1.png", Image.fromarray(gray > 100))
save("grays/odd/8.jpg", Image.fromarray(numpy.full((rows, columns), 51, "uint8")))

other = Image.fromarray(numpy.zeros((columns, rows, 3), "uint8"))
for name, image, options in [
    ("size.png", other, {}),
    ("gray.png", Image.fromarray(gray), {}),
    ("cmyk.jpg", color.convert("CMYK"), {}),
    ("animated.png", color, {"save_all": True, "append_images": [other.resize((columns, rows))]}),
    ("picture.gif", color, {}),
]:
    save("bad/" + name, image, **options)
clear = color.convert("RGBA")
clear.putpixel((3, 2), (1, 2, 3, 254))
save("bad/clear.png", clear)
with open("bad/cut.png", "wb") as f:
    f.write(open("colors/cat/b.png", "rb").read()[:-30])
with open("bad/cut.jpg", "wb") as f:
    f.write(open("colors/cat/a.jpg", "rb").read()[:200])

random = numpy.random.default_rng(1)
sizes = [("sizes/cat/wide.png", (7, 23)), ("sizes/dog/tall.png", (13, 3))]
for path, shape in sizes:
    save(path, Image.fromarray(random.integers(0, 256, shape + (3,), "uint8")))
with open("resized.txt", "w") as out:
    for height, width in [(4, 5), (9, 8), (1, 1), (7, 23)]:
        numbers = []
        for path, _ in sizes:
            planes = numpy.moveaxis(numpy.asarray(Image.open(path)), -1, 0).astype("float32") / 255
            small = [Image.fromarray(p, "F").resize((width, height), Image.BILINEAR) for p in planes]
            numbers += numpy.stack([numpy.asarray(p) for p in small], -1).ravel().tolist()
        print(height, width, *(f"{v:.9g}" for v in numbers), file=out)
