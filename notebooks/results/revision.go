package results

import (
	"os/exec"
	"runtime/debug"
	"strings"
)

// Revision names the commit that the program was built from, in twelve letters. It adds "with
// changes" if the sources had changes. If the build does not record it, as for go run and a
// notebook's cell, Revision returns the given commit. If that is empty, it asks git about the
// folder. It returns the empty string if nothing is known.
func Revision(commit, dir string) string {
	changed := false
	if noted := setting("vcs.revision"); noted != "" {
		commit, changed = noted, setting("vcs.modified") == "true"
	}
	if commit == "" {
		head, err := exec.Command("git", "-C", dir, "rev-parse", "HEAD").Output()
		if err != nil {
			return ""
		}
		commit = strings.TrimSpace(string(head))
		changed = exec.Command("git", "-C", dir, "diff", "--quiet", "HEAD", "--", ":/*.go").Run() != nil
	}
	commit = commit[:min(len(commit), 12)]
	if changed {
		commit += " with changes"
	}
	return commit
}

// setting returns what the build recorded under a key, or the empty string.
func setting(key string) string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == key {
			return s.Value
		}
	}
	return ""
}
