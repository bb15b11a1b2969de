# JupyterLab with the notebook kernel, for processors. Build it from the repository's root:
#
#	docker compose -f docker/compose.yaml build
#
# The steps below were run with these versions in a plain shell; see README.md.
FROM golang:1.26.8-bookworm AS go

FROM python:3.11.7-slim-bookworm
COPY --from=go /usr/local/go /usr/local/go

# Python packages by version and hash; requirements.in describes how the list was made.
COPY docker/requirements.txt /opt/dplab/requirements.txt
RUN pip install --no-cache-dir --require-hashes -r /opt/dplab/requirements.txt

# Caches are outside the home folder, because a volume may hide it.
ENV PATH=/usr/local/go/bin:$PATH \
    GOTOOLCHAIN=local \
    CGO_ENABLED=0 \
    GOMODCACHE=/opt/dplab/modules \
    GOCACHE=/opt/dplab/build \
    XDG_CACHE_HOME=/opt/dplab/cache
RUN useradd --create-home --uid 1000 dplab \
    && mkdir -p /opt/dplab/modules /opt/dplab/build /opt/dplab/cache /opt/dplab/src \
    && chown -R dplab:dplab /opt/dplab
USER dplab
WORKDIR /opt/dplab/src
COPY --chown=dplab:dplab . .
# A new volume takes its owner from the folder that it covers.
RUN mkdir -p notebooks/lab notebooks/out

# Downloads the modules, builds the kernel and gopls, compiles the imports of the notebooks, and runs one notebook.
RUN go run ./notebooks/run -out /tmp/first quickstart && rm -rf /tmp/first \
    && go run ./notebooks/run -lab -in-place -- --version

# The licenses of all that Go has linked. Those of Python packages are in site-packages.
RUN go build -o /tmp/programs/ ./notebooks/run ./notebooks/train ./accounting/dpcost ./audit/dpaudit \
    && go run ./docker/release -notices /opt/dplab/THIRD_PARTY_NOTICES.txt /tmp/programs/* $(find /opt/dplab/cache/dplab/tools -type f -perm -u+x) \
    && rm -rf /tmp/programs

EXPOSE 8888
# The token is compose's JUPYTER_TOKEN. As PID 1 the go command would not pass signals on: docker's --init (compose: init) does.
CMD ["go", "run", "./notebooks/run", "-lab", "--", "--ip=0.0.0.0", "--port=8888", "--no-browser"]
