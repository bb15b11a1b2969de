package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// versionOf returns the version of the checkout, by the rules of Python's packages (PEP 440), and
// the time of its commit. The commit of tag v1.2.3 is 1.2.3, and the fourth commit after it is
// 1.2.3.post4+gHASH. Without any tag, the 500th commit is 0.0.0.dev500+gHASH. If files differ from
// the commit, the version ends in +gHASH.dirty.
func versionOf(ctx context.Context, root string) (version string, made time.Time, err error) {
	git := func(args ...string) string {
		text, failed := output(ctx, root, "git", args...)
		if failed != nil && err == nil {
			err = failed
		}
		return text
	}
	seconds, hash, count := git("log", "-1", "--format=%ct"), git("rev-parse", "--short=12", "HEAD"), git("rev-list", "--count", "HEAD")
	dirty := git("status", "--porcelain") != ""
	if err != nil {
		return "", made, err
	}
	at, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return "", made, fmt.Errorf("time of the last commit %q: %w", seconds, err)
	}
	described, _ := output(ctx, root, "git", "describe", "--tags", "--long", "--match", "v[0-9]*") // fails without a tag
	return pythonVersion(described, hash, count, dirty), time.Unix(at, 0).UTC(), nil
}

var long = regexp.MustCompile(`^v(\d+\.\d+\.\d+)-(\d+)-g[0-9a-f]+$`)

// pythonVersion makes the version from git's output. described is "v1.2.3-4-gHASH", or anything
// else without such a tag.
func pythonVersion(described, hash, count string, dirty bool) string {
	version := "0.0.0.dev" + count
	local := []string{"g" + hash}
	if m := long.FindStringSubmatch(described); m != nil {
		version = m[1]
		if m[2] != "0" {
			version += ".post" + m[2]
		} else {
			local = nil
		}
	}
	if dirty {
		local = []string{"g" + hash, "dirty"}
	}
	if local != nil {
		version += "+" + strings.Join(local, ".")
	}
	return version
}
