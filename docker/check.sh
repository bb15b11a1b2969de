#!/usr/bin/env bash
# check.sh URL TOKEN: does JupyterLab answer, ask for its token, and start our kernel?
set -euo pipefail
url="${1:?URL of JupyterLab}" token="${2:?its token}"
ask() { curl --silent --show-error --fail --max-time 20 -H "Authorization: token $token" "$@"; }

for try in $(seq 150); do
	if ask "$url/api/status" >/dev/null 2>&1; then break; fi
	[ "$try" -lt 150 ] || { echo "check: no answer from $url" >&2; exit 1; }
	sleep 2
done
[ "$(curl --silent --output /dev/null --write-out '%{http_code}' "$url/api/kernelspecs")" = 403 ] ||
	{ echo "check: $url answers without the token" >&2; exit 1; }
ask "$url/api/kernelspecs" | grep -q '"Go (gonb)"' || { echo 'check: no kernel "Go (gonb)"' >&2; exit 1; }
kernel="$(ask -X POST -d '{"name": "gonb"}' "$url/api/kernels" | sed 's/.*"id": *"\([^"]*\)".*/\1/')"
trap 'ask -X DELETE "$url/api/kernels/$kernel" >/dev/null' EXIT
sleep 5
ask "$url/api/kernels/$kernel" | grep -q '"name": *"gonb"' || { echo 'check: the kernel did not stay' >&2; exit 1; }
echo "check: ok"
