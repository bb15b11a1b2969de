#!/usr/bin/env bash
# gpucheck.sh build DIR: compiles the programs of the checks into DIR, on Linux with Go and a C compiler.
# gpucheck.sh build DIR variants: the same, with the patch that adds variants of the programs.
# gpucheck.sh run DIR [device tests table training variants]: checks and measures a machine with a GPU,
# without Go. See README.md.
set -euo pipefail

say() { printf 'gpucheck: %s\n' "$*"; }
die() { say "$*" >&2; exit 1; }

build() {
	local root
	root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../../../.." && pwd)"
	command -v go >/dev/null || die "go: not found; build on a machine with Go, and copy the folder"
	command -v cc >/dev/null || die "cc: not found; XLA needs cgo, which needs a C compiler"
	cp "${BASH_SOURCE[0]}" "$dir/gpucheck.sh"
	cp -r "$root/dptune/models/testdata" "$root/docker/requirements-cuda.txt" "$root/dptune/dpsgd/xla/gpucheck/peers_jax.py" "$dir/"
	rm -f "$dir/variants-are-here"
	cd "$root"
	if [ "${1:-}" = variants ]; then
		# The patch goes into a copy of what is committed, so the checkout stays as it is.
		copy="$(mktemp -d)"
		trap 'rm -rf "$copy"' EXIT
		git archive HEAD | tar -x -C "$copy"
		(cd "$copy" && GIT_CEILING_DIRECTORIES="$copy/.." git apply "$root/dptune/dpsgd/xla/gpucheck/variants.patch") ||
			die "variants.patch does not fit this commit"
		touch "$dir/variants-are-here"
		cd "$copy"
	fi
	export CGO_ENABLED=1
	go build -trimpath -ldflags='-s -w' -o "$dir/dpbench" ./dptune/dpsgd/dpbench
	go build -trimpath -ldflags="-s -w -X main.commit=$(git -C "$root" rev-parse HEAD)" -o "$dir/train" ./notebooks/train
	go test -c -trimpath -ldflags='-s -w' -o "$dir/xla.test" ./dptune/dpsgd/xla
	go test -c -trimpath -ldflags='-s -w' -tags xla -o "$dir/dpsgd.test" ./dptune/dpsgd
	go test -c -trimpath -ldflags='-s -w' -tags xla -o "$dir/models.test" ./dptune/models
	say "built: copy $(basename "$dir") to the machine with the GPU, and there: bash $(basename "$dir")/gpucheck.sh run $(basename "$dir")"
}

# environment finds the device and the plugin, and prints them.
environment() {
	nvidia-smi -L 2>/dev/null | grep -q '^GPU ' || compgen -G '/dev/nvidia[0-9]*' >/dev/null || [ -e /dev/dxg ] ||
		die "no device: nvidia-smi lists no GPU, and there is neither /dev/nvidia0 nor /dev/dxg. Nothing was run."
	if [ -z "${DPLAB_PJRT_CUDA:-}" ]; then
		DPLAB_PJRT_CUDA="$(python3 -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/jax_plugins/xla_cuda13/xla_cuda_plugin.so" ||
			die "python3: not found; set DPLAB_PJRT_CUDA to the plugin's absolute path"
	fi
	[ -r "$DPLAB_PJRT_CUDA" ] || die "no plugin: DPLAB_PJRT_CUDA=$DPLAB_PJRT_CUDA is not there (python3 -m pip install --no-deps --require-hashes -r $dir/requirements-cuda.txt)"
	export DPLAB_PJRT_CUDA
	case "${XLA_FLAGS:-}" in *autotune_cache_dir*) ;; *)
		mkdir -p "$dir/autotune"
		export XLA_FLAGS="${XLA_FLAGS:-} --xla_gpu_per_fusion_autotune_cache_dir=$dir/autotune" ;;
	esac
	{
		nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader || true
		nproc
		sha256sum "$DPLAB_PJRT_CUDA"
	} | tee "$out/machine.txt"
}

# device trains on the device and on the processor, in double precision. A skipped test is a failure.
device() {
	"$dir/xla.test" -test.v -test.run '^TestTrainingOnCUDA$' >"$out/device.txt" 2>&1 || true
	grep -q '^--- PASS: TestTrainingOnCUDA' "$out/device.txt" || { tail -n 20 "$out/device.txt" >&2; die "training on the device failed, see $out/device.txt"; }
	say "works: training agrees with the processor's to 1e-12"
}

# tests checks noise, sensitivity, canaries and PyTorch's values.
tests() {
	export DPLAB_TEST_BACKEND=xla:cuda
	passes dpsgd 'Noise|Sensitivity|Canary|Clipped|Twins|HugeClip'
	(cd "$dir" && passes models 'PyTorch|Agree')
}

passes() { # PACKAGE TESTS
	"$dir/$1.test" -test.short -test.v -test.run "$2" >"$out/$1.txt" 2>&1 ||
		{ grep -E '^(--- FAIL|panic|SIG|F[0-9]{4} )' "$out/$1.txt" >&2; die "tests of $1 failed, see $out/$1.txt"; }
	say "$1: $(grep -c '^--- PASS' "$out/$1.txt") tests passed, $(grep -c '^--- SKIP' "$out/$1.txt" || true) skipped"
}

# table measures the rows of "On a GPU" in the README of package dpsgd.
table() {
	: >"$out/table.jsonl"
	while read -r row; do
		# shellcheck disable=SC2086 # words of a row are arguments
		"$dir/dpbench" -backend xla:cuda -seconds 2 $row >>"$out/table.jsonl" || die "dpbench $row failed"
	done <<-ROWS
		-model mlp -batch 256 -steps 512
		-model convnet -batch 128 -steps 256
		-model mnist-cnn -batch 256 -replicas 32 -steps 32
		-model mlp -batch 64 -replicas 64 -steps 64
		-model mlp -batch 64 -replicas 64 -steps 64 -mode nonprivate
		-model convnet -batch 128 -batches shared -replicas 512 -steps 16
		-model fcnn -batch 400 -batches shared -replicas 5000 -steps 128
	ROWS
}

# training makes one small figure on embedded data, or what is left of all with the data in DPLAB_DATA.
training() {
	if [ -z "${DPLAB_DATA:-}" ]; then
		"$dir/train" cebere2024/fcnn -profile quick -backend xla:cuda -out "$out/shards" -budget "${BUDGET:-8m}" ||
			die "the training failed, or its budget ended before its shards: run it again with 'training' alone"
		return
	fi
	local code=0
	"$dir/train" -all -backend xla:cuda -out "$out/shards" -budget "${BUDGET:-8m}" || code=$?
	mkdir -p "$out/shards"
	tar -C "$out" -czf "$out/shards.tar.gz" shards
	[ "$code" = 0 ] || die "a training failed, or the budget was too short for one shard (exit code $code): finished shards are in $out/shards.tar.gz"
}

# variants measures five rows as they are, with each variant that concerns them, and in JAX. A variant
# that is wrong, or slower in a short run, is not measured further. The time is limited.
variants() {
	[ -e "$dir/variants-are-here" ] || die "variants: not in these programs; build them with: gpucheck.sh build DIR variants"
	local end=$((SECONDS + 540)) list row
	rm -f "$out"/variant-*.txt
	: >"$out/variants.jsonl"
	printf '| row | variant | ms a step | compile s | times as fast |\n|---|---|---|---|---|\n' >"$out/variants.md"
	while IFS=: read -r list row; do
		[ $SECONDS -lt $end ] || { say "variants: the time is over before: $row"; continue; }
		compared "$list" "$row"
	done <<-ROWS
		chacha-turns chacha-unrolled unrolled-steps:-model mlp -batch 64 -replicas 64 -steps 64
		unrolled-steps:-model mlp -batch 64 -replicas 64 -steps 64 -mode nonprivate
		chacha-turns one-product contracted-phases one-product,contracted-phases:-model convnet -batch 128 -batches shared -replicas 512 -steps 16
		chacha-turns tiny-products chacha-turns,tiny-products:-model fcnn -batch 400 -batches shared -replicas 5000 -steps 128
		chacha-turns one-product:-model mnist-cnn -batch 256 -replicas 32 -steps 32
	ROWS
	# JAX has what is left of the time, and at least half a minute.
	local left=$((end - SECONDS))
	python3 -c 'import jax' 2>/dev/null || { say "variants: no JAX here (python3 -m pip install 'jax[cuda13]')" | tee -a "$out/variants.md"; cat "$out/variants.md"; return; }
	timeout "$((left > 30 ? left : 30))" python3 "$dir/peers_jax.py" >"$out/jax.jsonl" || say "variants: JAX did not finish all rows"
	cat "$out/variants.md" "$out/jax.jsonl"
}

# compared measures one row as it is, and with each variant of a list.
compared() { # LIST ROW
	local variant base result quick
	base="$(measured "" "$2" 2)" || { noted "$2" "-" "failed, or over 90 s" ""; return; }
	noted "$2" "-" "$base" "$base"
	for variant in $1; do
		right "$variant" || { noted "$2" "$variant" "fails TestTrainingOnCUDA" ""; continue; }
		local row="$2" of="$base"
		if [ "$variant" = unrolled-steps ]; then # the same number of steps in a loop
			row="$2 -steps-per-call 4"
			of="$(measured "" "$row" 2)" || continue
			noted "$row" "-" "$of" "$base"
		fi
		quick="$(measured "$variant" "$row" 0.3)" || { noted "$row" "$variant" "failed, or over 90 s" ""; continue; }
		if slower "$quick" "$of"; then noted "$row" "$variant" "$quick" "$of"; continue; fi
		result="$(measured "$variant" "$row" 2)" || continue
		noted "$row" "$variant" "$result" "$of"
	done
}

# measured prints the milliseconds of a step and the seconds of compiling.
measured() { # VARIANT ROW SECONDS
	local line
	# shellcheck disable=SC2086 # words of a row are arguments
	line="$(DPLAB_GPU_VARIANTS="$1" timeout 90 "$dir/dpbench" -backend xla:cuda -seconds "$3" $2)" || return 1
	printf '{"variant":"%s","report":%s}\n' "$1" "$line" >>"$out/variants.jsonl"
	sed -E 's/.*"ms_per_step_median":([0-9.e+-]+).*"compile_s":([0-9.e+-]+).*/\1 \2/' <<<"$line"
}

# slower succeeds if the first of two measurements takes over 5 % longer.
slower() { awk -v a="$1" -v b="$2" 'BEGIN { split(a, x, " "); split(b, y, " "); exit !(x[1] > 1.05 * y[1]) }'; }

noted() { # ROW VARIANT MEASUREMENT BASE
	awk -v row="$1" -v variant="$2" -v a="$3" -v b="$4" 'BEGIN {
		split(a, x, " "); split(b, y, " ")
		if (b == "") printf "| %s | %s | %s | | |\n", row, variant, a
		else printf "| %s | %s | %s | %s | %.2f |\n", row, variant, x[1], x[2], y[1] / x[1]
	}' | tee -a "$out/variants.md"
}

# right trains in double precision with a variant, once for each.
right() { # VARIANT
	local log="$out/variant-$1.txt"
	[ -e "$log" ] || DPLAB_GPU_VARIANTS="$1" timeout 90 "$dir/xla.test" -test.v -test.run '^TestTrainingOnCUDA$' >"$log" 2>&1 || true
	grep -q '^--- PASS: TestTrainingOnCUDA' "$log"
}

verb="${1:-}"
case "$verb" in build | run) ;; *) die "\"$verb\": must be build or run" ;; esac
mkdir -p "${2:?folder for binaries and results}"
dir="$(cd "$2" && pwd)"
if [ "$verb" = build ]; then build "${3:-}"; exit; fi
out="$dir/out"
mkdir -p "$out"
ulimit -c 0
shift 2
[ $# -gt 0 ] || set -- device tests table training
for part in "$@"; do
	case "$part" in device | tests | table | training | variants) ;; *) die "\"$part\": must be device, tests, table, training or variants" ;; esac
done
environment
for part in "$@"; do "$part"; done
say "done: results are in $out"
