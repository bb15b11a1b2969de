package main

import "github.com/dplab/dplab/notebooks/results"

// commit names the sources where the build does not note them, as in a worktree of git:
//
//	go build -ldflags "-X main.commit=$(git rev-parse HEAD)" -o train ./notebooks/train
var commit string

// revision names the commit of the sources.
func revision(dir string) string { return results.Revision(commit, dir) }
