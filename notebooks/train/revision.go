package main

import (
	"os/exec"
	"runtime/debug"
	"strings"
)

// commit names the sources where the build does not note them, as in a worktree of git:
//
//	go build -ldflags "-X main.commit=$(git rev-parse HEAD)" -o train ./notebooks/train
var commit string

// revision names the commit of the sources: by the build, or for go run, which does not note it, by git in a folder.
func revision(dir string) string {
	commit, changed := commit, false
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				changed = s.Value == "true"
			}
		}
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
