// Command install downloads the CPU plugin that go-xla v0.4.3 is tested with, into the folder where
// package xla finds it:
//
//	go run github.com/dplab/dplab/dptune/dpsgd/xla/install
//
// It is go-xla's installer with a pinned version. No other part of this module downloads a program.
// Flags -version and -dir change the version and the folder.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

func main() {
	version := flag.String("version", "v0.114.0", "release of the plugin")
	dir := flag.String("dir", "", "folder to install into (default: go-xla below the user's library folder)")
	flag.Parse()
	if err := install(*version, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "install:", err)
		os.Exit(1)
	}
}

func install(version, dir string) error {
	if dir == "" {
		lib, err := installer.DefaultHomeLibPath()
		if err != nil {
			return err
		}
		dir = filepath.Join(lib, "go-xla")
	}
	return installer.CPUInstall(runtime.GOOS+"_"+runtime.GOARCH, version, dir, true, installer.Normal)
}
