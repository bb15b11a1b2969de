# JupyterLab with the notebook kernel, for an NVIDIA GPU. Cells train on the GPU if there is one,
# otherwise by XLA on the processor. The host needs a driver for CUDA 13 and the NVIDIA container toolkit. Build it from the repository's root:
#
#	docker build -f docker/cuda.Dockerfile -t dplab-cuda .
FROM golang:1.26.8-bookworm AS go

FROM python:3.11.7-slim-bookworm
COPY --from=go /usr/local/go /usr/local/go

# XLA is linked by cgo, which needs a C compiler.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*

# Python packages by version and hash. requirements-cuda.txt has XLA's plugins and CUDA's libraries. Python does not run them.
COPY docker/requirements.txt docker/requirements-cuda.txt /opt/dplab/
RUN pip install --no-cache-dir --require-hashes -r /opt/dplab/requirements.txt \
    && pip install --no-cache-dir --require-hashes --no-deps -r /opt/dplab/requirements-cuda.txt

# The CUDA plugin stays where pip puts it: it finds the libraries in ../../nvidia. Only these two files are loaded.
# Caches are outside the home folder, because a volume may hide it.
ENV PATH=/usr/local/go/bin:$PATH \
    GOTOOLCHAIN=local \
    GOMODCACHE=/opt/dplab/modules \
    GOCACHE=/opt/dplab/build \
    XDG_CACHE_HOME=/opt/dplab/cache \
    DPLAB_PJRT=/usr/local/lib/python3.11/site-packages/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so \
    DPLAB_PJRT_SHA256=ad1309ac822b1b24d51b7f9947c7c9fa9ef5d67f390584cbc3d1fa2428fed9c2 \
    DPLAB_PJRT_CUDA=/usr/local/lib/python3.11/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so \
    DPLAB_PJRT_CUDA_SHA256=43d3efd6fd43d8a5d9aa67176e830d81e4ad5fc19fda4ad09cdcc4aebd9f3920 \
    DPLAB_BACKEND=auto \
    NVIDIA_VISIBLE_DEVICES=all \
    NVIDIA_DRIVER_CAPABILITIES=compute,utility
RUN useradd --create-home --uid 1000 dplab \
    && mkdir -p /opt/dplab/modules /opt/dplab/build /opt/dplab/cache /opt/dplab/src \
    && chown -R dplab:dplab /opt/dplab
USER dplab
WORKDIR /opt/dplab/src
COPY --chown=dplab:dplab . .
# A new volume takes its owner from the folder that it covers.
RUN mkdir -p notebooks/lab notebooks/out

# Downloads the modules, builds the kernel, compiles the imports of the notebooks with and without XLA, and runs one notebook.
RUN go run ./notebooks/run -backend xla:cpu -out /tmp/first quickstart && rm -rf /tmp/first

# The licenses of all that Go has linked. Those of Python packages are in site-packages.
RUN go build -tags xla -o /tmp/programs/ ./notebooks/run ./notebooks/train ./accounting/dpcost ./audit/dpaudit \
    && go run ./docker/release -notices /opt/dplab/THIRD_PARTY_NOTICES.txt /tmp/programs/* $(find /opt/dplab/cache/dplab/tools -type f -perm -u+x) \
    && rm -rf /tmp/programs

EXPOSE 8888
# The token is JUPYTER_TOKEN. As PID 1 the go command would not pass signals on: docker's --init does.
CMD ["go", "run", "./notebooks/run", "-lab", "--", "--ip=0.0.0.0", "--port=8888", "--no-browser"]
