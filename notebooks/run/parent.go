package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// watchParent cancels the run when the go command that started this program (go run) has been killed. The go
// command passes on no signal: a killed go run would leave us running, with nobody to see what we do.
func watchParent(ctx context.Context, cancel context.CancelCauseFunc) {
	parent := os.Getppid()
	if program, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(parent), "exe")); err != nil || strings.TrimSuffix(filepath.Base(program), " (deleted)") != "go" {
		return // started by hand, where outliving the parent is the user's right; or not Linux
	}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if os.Getppid() != parent {
				cancel(errors.New("the go command that started the run has ended"))
				return
			}
		}
	}
}
