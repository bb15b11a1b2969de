package results

import (
	"os/exec"
	"runtime/debug"
	"strings"
)

// Revision names the commit that the program was built from, in twelve letters, and says "with changes" if the sources
// had others. Where the build does not note it, as for go run and a notebook's cell, it is the commit given, or if that is
// empty, what git says of the folder; empty where nobody knows.
func Revision(commit, dir string) string {
	changed := false
	if noted := revision(); noted != "" {
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

func revision() string { return setting("vcs.revision") }

// setting returns what the build notes under a key, or nothing.
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
