#!/usr/bin/env bash
# Builds the image, starts it, and checks that JupyterLab, its kernel and a notebook work. Needs docker with compose, and curl.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
command -v docker >/dev/null || { echo "test: docker is not installed" >&2; exit 2; }
export DPLAB_TOKEN="test-$RANDOM$RANDOM"
compose() { docker compose -f compose.yaml -p dplab-test "$@"; }
trap 'compose down --volumes' EXIT
compose build
compose up --detach
bash check.sh http://127.0.0.1:8888 "$DPLAB_TOKEN"
compose exec -T lab go run ./notebooks/run -check -out /tmp/check koskela2023
echo "test: ok"
