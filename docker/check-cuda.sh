#!/usr/bin/env bash
# check-cuda.sh, inside the cuda image: are the plugins the right ones, do CUDA's libraries load, and
# is the GPU used, or reported as missing?
set -euo pipefail
die() { echo "check-cuda: $*" >&2; exit 1; }

echo "$DPLAB_PJRT_CUDA_SHA256  $DPLAB_PJRT_CUDA" | sha256sum --check --quiet || die "another CUDA plugin"
echo "$DPLAB_PJRT_SHA256  $DPLAB_PJRT" | sha256sum --check --quiet || die "another CPU plugin"

# Each library of CUDA that the plugin opens by itself is found in its folder, with its own
# dependencies. The driver's library, libcuda.so.1, comes from the host.
python3 - <<'PY'
import ctypes, glob, os, sys
nvidia = os.path.normpath(os.path.join(os.path.dirname(os.environ["DPLAB_PJRT_CUDA"]), "..", "..", "nvidia"))
wanted = ["libcudart", "libnvrtc.", "libnvJitLink", "libcupti", "libcublas.", "libcublasLt", "libcufft.", "libcusparse", "libcusolver.", "libcudnn.", "libnccl"]
for name in wanted:
    found = sorted(p for p in glob.glob(nvidia + "/**/" + name + "*", recursive=True) if ".so" in os.path.basename(p))
    if not found:
        sys.exit(f"check-cuda: {name}: not below {nvidia}")
    ctypes.CDLL(found[-1], mode=ctypes.RTLD_GLOBAL)
data = os.path.join(nvidia, "cu13")
if not glob.glob(data + "/nvvm/libdevice/libdevice*.bc"):
    sys.exit(f"check-cuda: no libdevice below {data}/nvvm, which XLA compiles with")
PY

export CGO_ENABLED=1 GOWORK=off
if compgen -G '/dev/nvidia[0-9]*' >/dev/null; then
	[ "$(DPLAB_BACKEND=auto go run -tags xla ./notebooks/run/opens)" = xla:cuda ] || die "there is a device, and auto does not take it"
	echo "check-cuda: ok, on the GPU"
	exit
fi
answer="$(DPLAB_BACKEND=xla:cuda go run -tags xla ./notebooks/run/opens 2>&1)" && die "xla:cuda opens without a device"
grep -q 'no NVIDIA device on this machine' <<<"$answer" || die "without a device it says: $answer"
[ "$(DPLAB_BACKEND=auto go run -tags xla ./notebooks/run/opens)" = xla:cpu ] || die "auto does not take XLA on the processor"
echo "check-cuda: ok, but without a GPU: everything else was checked"
