// Command run executes the notebooks of this repository without Jupyter, Python or a browser:
//
//	go run ./notebooks/run                       # all notebooks, quick profile
//	go run ./notebooks/run quickstart            # one, by name
//	go run ./notebooks/run -profile full 'papernot*'
//	go run ./notebooks/run -set seeds=3 quickstart
//	go run ./notebooks/run -check                # compare with what is committed
//	go run ./notebooks/run -lab quickstart       # open a copy in JupyterLab, if that is installed
//
// The first run builds the pinned GoNB kernel and goimports into the user's cache. Each notebook runs in a
// kernel of its own, as many at a time as there are cores. Everything is written below notebooks/out (-out):
// the executed notebooks, a folder of figures (PNG, SVG, PDF) with their data (CSV, JSON) for each, and
// report.html, which sets our figures and tables beside the paper's.
//
// A notebook has parameters if it has a code cell tagged "parameters" that declares them, each on its own with a
// plain value. -profile sets the one named profile, and -set any. The runner puts a cell that declares
// them anew behind that cell; the committed notebook stays as it is.
//
// Tags of cells: "skip-ci" is not run under -check; "nondeterministic" is compared by the kinds of its outputs;
// "tolerance:0.02" is compared with that relative tolerance; "raises-exception" is expected to fail.
//
// A cell that fails or takes longer than -timeout ends its notebook: the others go on, what was done is
// kept, and the exit code is 1. Ctrl-C ends everything and keeps what was done; the exit code is then 130.
// Nothing is written when a flag is refused, and one run at a time writes into a folder.
// A shell command (!cmd) that fails does not fail its cell: that is how GoNB works.
//
// What the packages below hold: jupyter (the messaging protocol), kernel (a kernel process and its workspace), relay (what
// stands between JupyterLab and a kernel), nbformat (notebook files), outputs (from messages to outputs), failure (what a cell's
// error means), params, check, progress, toolchain (what cells are built with), report.
package main
