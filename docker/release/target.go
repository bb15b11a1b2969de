package main

import (
	"fmt"
	"strings"
)

// target is a system to build programs for, with its tags in wheels.
type target struct {
	goos, goarch string
	platforms    []string // platform tags of Python's packages, sorted
}

// targets are the supported systems. A program without cgo does not use the C library, so on Linux
// it fits the oldest tags of glibc and musl. Go 1.26 needs macOS 12 or later.
//
// Reference: Python's PEP 600 (manylinux), PEP 656 (musllinux) and PEP 425 (tags).
var targets = []target{
	{"linux", "amd64", []string{"manylinux2014_x86_64", "manylinux_2_17_x86_64", "musllinux_1_1_x86_64"}},
	{"linux", "arm64", []string{"manylinux2014_aarch64", "manylinux_2_17_aarch64", "musllinux_1_1_aarch64"}},
	{"darwin", "amd64", []string{"macosx_12_0_x86_64"}},
	{"darwin", "arm64", []string{"macosx_12_0_arm64"}},
	{"windows", "amd64", []string{"win_amd64"}},
}

// suffix ends the name of a program.
func (t target) suffix() string {
	if t.goos == "windows" {
		return ".exe"
	}
	return ""
}

func names() []string {
	var list []string
	for _, t := range targets {
		list = append(list, t.goos+"/"+t.goarch)
	}
	return list
}

// targetsOf returns the targets of a list such as linux/amd64,darwin/arm64, or all.
func targetsOf(list string) ([]target, error) {
	if list == "all" {
		return targets, nil
	}
	var chosen []target
next:
	for name := range strings.SplitSeq(list, ",") {
		for _, t := range targets {
			if name == t.goos+"/"+t.goarch {
				chosen = append(chosen, t)
				continue next
			}
		}
		return nil, fmt.Errorf("-targets %q: must be all, or some of %s", name, strings.Join(names(), ", "))
	}
	return chosen, nil
}
