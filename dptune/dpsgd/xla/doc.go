// Package xla registers the backends "xla:cpu" and "xla:cuda". Import it for that effect, and build
// with cgo on Linux:
//
//	import _ "github.com/dplab/dplab/dptune/dpsgd/xla"
//	...
//	perf := engine.Performance{Backend: "xla:cpu"}
//
// Without cgo or on another system the package compiles, and opening a backend returns an error
// that names the reason.
//
// # Plugin
//
// XLA is a shared library, a PJRT plugin. This module does not ship it and never downloads it by
// itself. A backend uses the first of
//
//   - the absolute path in the environment variable DPLAB_PJRT (for "xla:cpu") or
//     DPLAB_PJRT_CUDA (for "xla:cuda");
//   - the plugin of go-xla's installer in ~/.local/lib/go-xla or /usr/local/lib/go-xla.
//
// There are two ways to get a plugin for the CPU, both pinned:
//
//	go run github.com/dplab/dplab/dptune/dpsgd/xla/install
//
//	pip install --no-deps --only-binary=:all: --require-hashes --target DIR -r requirements.txt
//	export DPLAB_PJRT=DIR/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so
//
// The first is go-xla's installer at the version that go-xla is tested with. The second uses
// requirements.txt of this folder.
//
// For a GPU, the pip package jax-cuda13-pjrt (0.11.2 was tested) has the library, as
// site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so. Leave it there: it finds CUDA's
// libraries only in ../../nvidia, where pip installs the nvidia-* packages.
// docker/requirements-cuda.txt has all of them by version and hash. The driver provides
// libcuda.so.1.
//
// That plugin was tested on an NVIDIA H100 (driver 580.159.04) on 22 November 2026:
// TestTrainingOnCUDA, tests of sensitivity, noise and canaries, the benchmarks, and trainings of
// notebooks/train. The README of package dpsgd has the numbers. Folder gpucheck runs the same on
// another machine. No other GPU has been tested.
//
// A GPU has its own memory. The defaults of [engine.Performance] depend on its size, which the
// driver reports. A GPU also makes the words of the noise itself, by [dpsgd.ChaCha20], from keys
// that it receives.
//
// A library runs inside the process and can do whatever the process can. Use only one that you
// trust. With its SHA-256 in DPLAB_PJRT_SHA256 (DPLAB_PJRT_CUDA_SHA256) no other file is loaded.
//
// # Checks
//
// A library that is truncated or not a plugin kills the process that loads it. So a backend first
// reads the file's headers. Then a child process loads it, asks for its version and runs tiny
// programs, including the test vectors of ChaCha20. Only then does the process itself load it. The
// child is the same executable with DPLAB_XLA_PROBE set. It ends inside this package's
// initialization, before main. Every failure is an error of engine.NewTrainer.
//
// # Compiled programs
//
// XLA compiles a program for each shape of its inputs, such as each number of models that train
// together. That takes about a second on the processor. Compiled programs are kept in folder
// dplab/xla of the user's cache folder, or in the folder named by DPLAB_XLA_CACHE ("off" for none).
// Other processes, such as the next cell of a notebook, load them: see package programs. If others
// may write into the folder, nothing is kept, and a line on standard error reports it. Programs for
// a GPU are reused with the same plugin, driver and kind of device. This was tested with the CPU's
// plugin only. If a plugin dies of it in the child process, it is used without it.
//
// A few small programs take XLA much longer. For example, a 3 by 3 convolution of 4 channels and a
// 4 by 4 one with stride 2, on images of 6 by 7 by 4, took 34 processor-seconds. With 2 by 2
// instead of 4 by 4 it took 6.
//
// # Memory
//
// XLA allocates and frees large blocks in every call, which glibc maps and unmaps each time. With
// this package the C heap keeps its memory: it has one arena and no mapped blocks, and is trimmed
// only once, when the programs have been compiled. The Go heap is not changed. DPLAB_MALLOC=system,
// or any MALLOC_ variable of glibc, turns this off.
//
// # Precision
//
// Products of float32 are computed in float32 on a GPU too (TensorFloat-32 is off).
// Results agree with those of the go backend up to rounding, not to the bit.
//
// It promises nothing to other modules.
package xla
