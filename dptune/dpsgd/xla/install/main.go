// Command install downloads the CPU plugin that go-xla v0.4.2 is tested with, to where
// package xla looks for it:
//
//	go run github.com/dplab/dplab/dptune/dpsgd/xla/install
//
// It is go-xla's own installer with its version pinned, and the one place of this module
// that asks the network for a program. -version and -dir say which and where.
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
