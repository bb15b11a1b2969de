package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
	"github.com/dplab/dplab/notebooks/run/relay"
)

// asKernel is the first argument if JupyterLab starts this program as its kernel. After it come the
// folder of the repository, GoNB's program, and the path of the connection file.
const asKernel = "-as-kernel"

// serveKernel is a kernel of JupyterLab: GoNB, prepared as for a run without JupyterLab, with a
// relay in front.
func serveKernel(ctx context.Context, args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("%s %q: must be followed by the repository, GoNB's program and a connection file, as JupyterLab does", asKernel, args)
	}
	root, gonb, file := args[0], args[1], args[2]
	conn, err := jupyter.ReadConnection(file)
	if err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	temp, end, err := newTemp() // below that of -lab; it also removes what a killed kernel has left
	if err != nil {
		return err
	}
	defer end()
	id := strings.TrimPrefix(strings.TrimSuffix(filepath.Base(file), ".json"), "kernel-")
	k, err := kernel.Start(ctx, kernel.Config{Command: kernelCommand(gonb), Dir: dir, Env: os.Environ(), Temp: temp, ID: id, Join: true})
	if err != nil {
		return err
	}
	defer k.Stop()
	if err := k.MakeWorkspace(ctx, root, os.Environ()); err != nil {
		return err
	}
	return relay.Serve(ctx, conn, k, relay.Notebook{Root: root, Path: os.Getenv("JPY_SESSION_NAME")})
}

// runKernel runs serveKernel until it gets a signal to end, and returns the exit code. JupyterLab
// interrupts by message, so it ignores SIGINT.
func runKernel(args []string) int {
	signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := serveKernel(ctx, args); err != nil && ctx.Err() == nil {
		fmt.Fprintf(os.Stderr, "notebook kernel: %v (JupyterLab starts a new one: run the cells again)\n", err)
		return exitFailed
	}
	return exitOK
}
