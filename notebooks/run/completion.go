package main

import (
	"context"
	"os"
	"strings"
	"time"

	"github.com/dplab/dplab/notebooks/run/progress"
	"github.com/dplab/dplab/notebooks/run/toolchain"
)

// makeCompletion builds gopls, which completes names in JupyterLab, into the cache. If that fails,
// names are not completed, and everything else works.
func (r *runner) makeCompletion(ctx context.Context) {
	building := r.waiting("building gopls")
	defer r.display.End(building)
	tools, err := toolchain.Ensure(ctx, toolchain.Completion, r.root, r.cache, r.goTool, func(text string) { r.display.Line("%s", text) })
	switch {
	case ctx.Err() != nil:
	case err != nil:
		r.display.Line("no completion of names: %v", err)
	default:
		r.gopls = tools.Dir
		if tools.Built {
			r.display.Line("gopls built after %s", progress.Short(time.Since(r.begin)))
		}
	}
}

// firstLab reports whether the kernel or gopls must still be built, which takes minutes.
func (r *runner) firstLab() bool {
	sets := []toolchain.Set{toolchain.Kernel}
	if r.options.Completion {
		sets = append(sets, toolchain.Completion)
	}
	for _, set := range sets {
		if _, ok, err := toolchain.Find(set, r.root, r.cache, r.goTool); err == nil && !ok {
			return true
		}
	}
	return false
}

// completionNote describes what Tab does and how much memory that takes.
func (r *runner) completionNote() string {
	switch {
	case !r.options.Completion:
		return "Tab completes no names: -completion=false"
	case r.gopls == "":
		return "Tab completes no names: gopls could not be built, see above"
	}
	return "Tab completes names. gopls needs up to 1 GB of memory for each open notebook while it reads the packages, then a quarter of that; -completion=false turns it off"
}

// withGopls puts the folder of gopls, if there is one, at the end of PATH. GoNB starts the gopls
// that it finds there.
func withGopls(env []string, dir string) []string {
	for i, entry := range env {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok && dir != "" {
			env[i] = "PATH=" + value + string(os.PathListSeparator) + dir
		}
	}
	return env
}
