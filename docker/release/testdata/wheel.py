"""Checks a wheel by Python's own libraries: names, tags, metadata, license, modes, sources, and the hashes of RECORD."""

import base64
import csv
import email
import hashlib
import io
import itertools
import os
import stat
import sys
import zipfile

path = sys.argv[1]
name, version, python, abi, platforms = os.path.basename(path)[: -len(".whl")].split("-")
z = zipfile.ZipFile(path)
assert z.testzip() is None
info = f"{name}-{version}.dist-info/"

wheel = email.message_from_bytes(z.read(info + "WHEEL"))
want = {"-".join(t) for t in itertools.product(python.split("."), abi.split("."), platforms.split("."))}
assert set(wheel.get_all("Tag")) == want, (wheel.get_all("Tag"), want)
assert wheel["Wheel-Version"] == "1.0" and wheel["Root-Is-Purelib"] == "false"

metadata = email.message_from_bytes(z.read(info + "METADATA"))
assert metadata["Name"] == name and metadata["Version"] == version, metadata.items()
terms = metadata["License-Expression"].split(" AND ")
assert terms[0] == "Apache-2.0" and len(terms) > 1 and len(set(terms)) == len(terms), terms
assert metadata.get_all("License-File") == ["LICENSE", "THIRD_PARTY_NOTICES.txt"]
for license in metadata.get_all("License-File"):
    assert z.read(info + "licenses/" + license)

rows = list(csv.reader(io.StringIO(z.read(info + "RECORD").decode())))
assert [row[0] for row in rows] == z.namelist(), (rows, z.namelist())
for entry, digest, size in rows:
    if entry == info + "RECORD":
        assert digest == "" and size == ""
        continue
    content = z.read(entry)
    sha = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    assert digest == "sha256=" + sha and int(size) == len(content), entry

scripts = [e for e in z.infolist() if e.filename.startswith(f"{name}-{version}.data/scripts/")]
assert [os.path.basename(e.filename).replace(".exe", "") for e in scripts] == ["dpcost", "dpaudit"], scripts
for e in scripts:
    assert (e.external_attr >> 16) & stat.S_IXUSR, f"{e.filename} is not executable"

sources = [e for e in z.namelist() if e.startswith("dpcost/")]
assert "dpcost/__init__.py" in sources and "dpcost/py.typed" in sources, sources
for source in sources:
    assert source.endswith((".py", ".typed")), source
    compile(z.read(source), source, "exec")
