package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
	"github.com/dplab/dplab/notebooks/run/kernel"
)

// cellKernel is the part of a kernel that runs cells.
type cellKernel interface {
	Run(ctx context.Context, code string, count bool, publish func(jupyter.Message)) (jupyter.Reply, error)
	Interrupt()
	Kill()
}

// errTimeout is returned, wrapped, for a cell that took too long.
var errTimeout = errors.New("took longer than -timeout")

// The time that an interrupted cell gets to end. GoNB kills it 5 seconds after the interrupt.
const (
	timeoutGrace = 6 * time.Second
	cancelGrace  = time.Second
)

// runCell runs one cell. After limit, or when ctx is canceled, it interrupts the cell. If that does
// not help, it kills the kernel. The error gives the reason. publish gets what the cell shows.
func runCell(ctx context.Context, k cellKernel, code string, count bool, limit time.Duration, publish func(jupyter.Message)) (jupyter.Reply, error) {
	type answer struct {
		reply jupyter.Reply
		err   error
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	answers := make(chan answer, 1)
	go func() {
		reply, err := k.Run(life, kernel.Shown(code), count, publish)
		answers <- answer{reply, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var cause error
	grace := timeoutGrace
	select {
	case a := <-answers:
		return a.reply, a.err
	case <-timer.C:
		cause = fmt.Errorf("%w %v", errTimeout, limit)
	case <-ctx.Done():
		cause, grace = context.Cause(ctx), cancelGrace
	}
	k.Interrupt()
	select {
	case <-answers:
	case <-time.After(grace):
		k.Kill()
	}
	return jupyter.Reply{}, cause
}
