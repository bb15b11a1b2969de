#!/usr/bin/env bash
# build-without-daemon.sh cpu|cuda: builds the image of a Dockerfile without a docker daemon and
# without an image registry, and checks it. If that passes, it writes the date, the commit and the
# sizes of the parts into verified/.
#
# The two base images are made from Debian's packages and this machine's Go and Python. Their
# versions must be those in the Dockerfile. It does not test the registry's base images, nor
# compose's init, ports and volumes.
# It needs Debian or a derivative, as root, with buildah, mmdebstrap, curl, git, Go and Python, and
# access to PyPI and a mirror of Debian. IMAGES is the folder of images, 25 GB during the run
# (default: ~/.cache/dplab/images). KEEP=1 keeps the built image.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

die() { echo "build-without-daemon: $*" >&2; exit 2; }
say() { echo "build-without-daemon: $*"; }

kind="${1:-}"
case "$kind" in cpu | cuda) ;; *) die "\"$kind\": must be cpu or cuda" ;; esac
dockerfile="docker/$kind.Dockerfile"
[ "$(id -u)" = 0 ] || die "must run as root: it makes file systems"
for program in buildah mmdebstrap curl git go python3; do
	command -v "$program" >/dev/null || die "$program: not found (apt-get install buildah mmdebstrap curl git)"
done

# base NAME: the version of a base image in the Dockerfile.
base() { sed -n "s/^FROM $1:\([0-9.]*\)-.*/\1/p" "$dockerfile"; }
go_root="$(GOTOOLCHAIN=local go env GOROOT)"
[ "$(GOTOOLCHAIN=local go env GOVERSION)" = "go$(base golang)" ] || die "this machine's Go is $(go env GOVERSION): must be go$(base golang), as $dockerfile says"
prefix="$(python3 -c 'import sys; print(sys.base_prefix)')"
python_version="$(python3 -c 'import platform; print(platform.python_version())')"
[ "$python_version" = "$(base python)" ] || die "this machine's Python is $python_version: must be $(base python), as $dockerfile says"
minor="${python_version%.*}"

images="${IMAGES:-$HOME/.cache/dplab/images}"
mkdir -p "$images"
work="$(mktemp -d "$images/work.XXXXXX")"
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
buildah() { command buildah --root "$images/storage" --runroot "$images/run" "$@"; }
server=
finish() {
	if [ -n "$server" ]; then kill -- "-$server" 2>/dev/null || true; fi
	rm -rf "$work"
}
trap finish EXIT

# During the build, certificates and the package index are this machine's. They are not part of the image.
mounts=(-v /etc/ssl/certs:/etc/ssl/certs:ro)
if [ -e /etc/pip.conf ]; then mounts+=(-v /etc/pip.conf:/etc/pip.conf:ro); fi

debian="$images/bookworm.tar"
if [ ! -e "$debian" ]; then
	say "Debian's packages: about a minute"
	mmdebstrap --quiet --variant=minbase \
		--include=ca-certificates,git,bash,libssl3,libffi8,libsqlite3-0,libbz2-1.0,liblzma5,zlib1g,libreadline8,libuuid1 bookworm "$work/base.tar"
	mv "$work/base.tar" "$debian"
fi

# stand_in TAG FOLDER: a Debian image with a folder's content in its root.
stand_in() {
	printf 'FROM scratch\nADD base.tar /\nCOPY root/ /\nRUN ldconfig\n%s\n' "${3:-}" >"$2/Dockerfile"
	ln "$debian" "$2/base.tar" 2>/dev/null || cp "$debian" "$2/base.tar"
	buildah bud --quiet "${mounts[@]}" -t "$1" "$2" >/dev/null
}
say "stand-ins for the base images"
mkdir -p "$work/go/root/usr/local" "$work/python/root/usr/local/bin" "$work/python/root/usr/local/lib"
cp -a "$go_root" "$work/go/root/usr/local/go"
stand_in "docker.io/library/golang:$(base golang)-bookworm" "$work/go"
cp "$prefix/bin/python$minor" "$work/python/root/usr/local/bin/"
for name in python python3; do ln -s "python$minor" "$work/python/root/usr/local/bin/$name"; done
tar -C "$prefix/lib" -c --exclude=__pycache__ --exclude=site-packages --exclude=test --exclude=idlelib --exclude=tkinter --exclude='config-*' \
	"python$minor" | tar -C "$work/python/root/usr/local/lib" -x
cp -P "$prefix"/lib/libpython* "$work/python/root/usr/local/lib/" 2>/dev/null || true
mkdir -p "$work/python/root/usr/local/lib/python$minor/site-packages"
stand_in "docker.io/library/python:$(base python)-slim-bookworm" "$work/python" \
	'RUN python3 -m ensurepip && ln -s pip3 /usr/local/bin/pip
ENV PIP_ROOT_USER_ACTION=ignore'
rm -rf "$work/go" "$work/python"

say "building $dockerfile"
begin=$SECONDS
buildah bud --pull-never --layers=false "${mounts[@]}" --ignorefile "$dockerfile.dockerignore" -f "$dockerfile" -t "dplab-$kind" .
built=$((SECONDS - begin))

say "checking it"
container="$(buildah from --pull-never "localhost/dplab-$kind")"
inside() { buildah run "${mounts[@]}" --user dplab "$container" -- "$@"; }
[ "$(inside id -u)" = 1000 ] || die "the user in the image is $(inside id -u): must be 1000"
if [ "$kind" = cuda ]; then
	inside docker/check-cuda.sh
fi
token="test-$RANDOM$RANDOM" port=$((20000 + RANDOM % 20000))
export -f buildah
images="$images" setsid bash -c 'buildah run "$@"' _ --user dplab --env "JUPYTER_TOKEN=$token" "$container" -- \
	go run ./notebooks/run -lab -- --ip=127.0.0.1 --port="$port" --no-browser >"$work/lab.txt" 2>&1 &
server=$!
docker/check.sh "http://127.0.0.1:$port" "$token" || { tail -n 30 "$work/lab.txt" >&2; exit 1; }
kill -- "-$server" 2>/dev/null || true
server=

root="$(buildah mount "$container")"
mkdir -p docker/verified
{
	echo "$kind image: passed on $(date -u +%Y-%m-%d) at commit $(git rev-parse HEAD)$([ -z "$(git status --porcelain)" ] || echo ", with changes")."
	echo "Built in ${built} s on $(nproc) cores by buildah $(command buildah --version | cut -d' ' -f3), with stand-ins for the base images."
	echo
	echo "MB  what"
	size() { printf '%-5s %s\n' "$(du -xsm "$root$1" | cut -f1)" "$2"; }
	size / "all"
	size /usr/local/go "Go"
	size "/usr/local/lib/python$minor/site-packages" "Python packages"
	size /opt/dplab/modules "Go modules"
	size /opt/dplab/build "what Go compiled"
	size /opt/dplab/cache "kernel and its tools"
	size /opt/dplab/src "the repository"
} >"$work/verified.txt"
cat "$work/verified.txt"
mv "$work/verified.txt" "docker/verified/$kind.txt"
buildah umount "$container" >/dev/null
buildah rm "$container" >/dev/null
if [ -z "${KEEP:-}" ]; then buildah rmi "localhost/dplab-$kind" >/dev/null; fi
say "ok: docker/verified/$kind.txt"
