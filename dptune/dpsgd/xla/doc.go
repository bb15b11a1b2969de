// Package xla makes the backends "xla:cpu" and "xla:cuda" known to package dpsgd.
// Import it for that effect, and build with cgo, on Linux:
//
//	import _ "github.com/dplab/dplab/dptune/dpsgd/xla"
//	...
//	perf := engine.Performance{Backend: "xla:cpu"}
//
// Built without cgo or for another system, the package compiles and both backends are
// errors that say so when they are opened.
//
// # Plugin
//
// XLA is a shared library, a PJRT plugin, that this module does not ship and never
// downloads by itself. A backend takes, in this order,
//
//   - the absolute path in the environment variable DPLAB_PJRT (for "xla:cpu") or
//     DPLAB_PJRT_CUDA (for "xla:cuda");
//   - what go-xla's installer leaves in ~/.local/lib/go-xla or /usr/local/lib/go-xla.
//
// Two ways to get one for the CPU, each pinned:
//
//	go run github.com/dplab/dplab/dptune/dpsgd/xla/install
//
//	pip install --no-deps --only-binary=:all: --require-hashes --target DIR -r requirements.txt
//	export DPLAB_PJRT=DIR/lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so
//
// with the requirements.txt beside this file. The first is go-xla's installer at the version
// that go-xla is tested with. For a GPU, pip's package jax-cuda13-pjrt (0.11.2 was tried)
// holds the library, as site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so. Leave it
// there: it finds CUDA's libraries in ../../nvidia, where pip puts the nvidia-* packages, and from
// elsewhere it does not. docker/requirements-cuda.txt has all of them by version and hash. The driver
// gives libcuda.so.1.
//
// On 22 November 2026 an NVIDIA H100 (driver 580.159.04) ran that plugin: TestTrainingOnCUDA, tests of sensitivity, noise and
// canaries of package dpsgd, its benchmarks, and trainings of notebooks/train. The README of package dpsgd has the numbers;
// gpucheck, beside this file, does the same on another machine. No other GPU has been tried.
//
// A GPU has memory of its own. What [engine.Performance] takes by default there follows from how
// much that is, as the driver says. It also makes the words of the noise itself, by
// [dpsgd.ChaCha20], of keys that it is sent.
//
// A library runs inside the process and can do whatever the process can. Take it from a
// place that you trust; with its SHA-256 in DPLAB_PJRT_SHA256 (DPLAB_PJRT_CUDA_SHA256) no
// other file is loaded.
//
// # Checks
//
// A library that is cut short or is no plugin kills the process that loads it. So a
// backend first reads the file's headers, and then loads it, asks for its version and runs
// tiny programs in a child process, the test vectors of ChaCha20 among them, before the process itself loads it. The child is the
// same executable, started with DPLAB_XLA_PROBE set; it ends inside this package's
// initialisation, before main. All that goes wrong is an error of engine.NewTrainer.
//
// # Compiled programs
//
// XLA compiles a program for each shape of its inputs, such as each number of models that train together, for about a second on the
// processor. What was compiled is kept in dplab/xla of the user's cache folder, or the folder that DPLAB_XLA_CACHE names ("off" for
// none), so that other processes, such as the next cell of a notebook, load it: see package programs, beside this file. Where
// the folder is not the user's alone nothing is kept, which a line on standard error says. Programs for a GPU
// are found again with the same plugin, driver and kind of device. On a GPU this was not tried yet, only with the CPU's plugin in its place;
// a plugin that dies of it in the child process is used without it.
//
// A few small programs take much longer, for a reason that is XLA's: a convolution from 4 channels of 3 by 3 and one of 4 by 4 with
// stride 2, on images of 6 by 7 by 4, took 34 processor-seconds, for one model and for two; with 2 by 2 in place of 4 by 4
// it takes 6. The time passes between XLA's last optimization, after one second, and the first compiled kernel; it is there as well with
// ReLU in place of tanh, and without the kernels of YNN (plugin of requirements.txt, 8 examples, by the times of what XLA dumps).
//
// # Memory
//
// XLA takes and frees large blocks in every call, which glibc maps and unmaps each time.
// With this package, the C heap keeps what it has: one arena, no mapped blocks, no
// trimming, but once, when the programs have been compiled. The Go heap is not touched. DPLAB_MALLOC=system, or any MALLOC_ variable of
// glibc, leaves the C heap as it is.
//
// # Precision
//
// Products of float32 are computed in float32 on a GPU too (TensorFloat-32 is off).
// Results agree with those of the go backend up to rounding, not to the bit.
package xla
