package main

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dplab/dplab/notebooks/run/jupyter"
)

// fakeCell is a kernel with one cell that ends by itself after takes, or obeys an interrupt after
// obeys.
type fakeCell struct {
	takes, obeys      time.Duration
	interrupted       chan struct{}
	interrupts, kills atomic.Int32
	killed            chan struct{}
}

func newFakeCell(takes, obeys time.Duration) *fakeCell {
	return &fakeCell{takes: takes, obeys: obeys, interrupted: make(chan struct{}), killed: make(chan struct{})}
}

func (f *fakeCell) Interrupt() {
	f.interrupts.Add(1)
	time.AfterFunc(f.obeys, func() { close(f.interrupted) })
}

func (f *fakeCell) Kill() {
	f.kills.Add(1)
	close(f.killed)
}

func (f *fakeCell) Run(ctx context.Context, code string, count bool, publish func(jupyter.Message)) (jupyter.Reply, error) {
	select {
	case <-time.After(f.takes):
		return jupyter.Reply{Status: "ok"}, nil
	case <-f.interrupted:
		return jupyter.Reply{Status: "error"}, nil
	case <-f.killed:
		return jupyter.Reply{}, errors.New("killed")
	case <-ctx.Done():
		return jupyter.Reply{}, ctx.Err()
	}
}

func TestRunCell(t *testing.T) {
	const hour = time.Hour
	stopped := errors.New("Ctrl-C")
	tests := []struct {
		name              string
		takes, obeys      time.Duration
		limit, cancel     time.Duration
		wait              time.Duration // until runCell returns
		interrupts, kills int32
		err               error
	}{
		{name: "in time", takes: time.Second, limit: 2 * time.Second, cancel: hour, wait: time.Second},
		{name: "too long", takes: hour, obeys: time.Second, limit: 2 * time.Second, cancel: hour, wait: 3 * time.Second, interrupts: 1, err: errTimeout},
		{name: "too long and deaf", takes: hour, obeys: hour, limit: 2 * time.Second, cancel: hour, wait: 2*time.Second + timeoutGrace, interrupts: 1, kills: 1, err: errTimeout},
		{name: "Ctrl-C", takes: hour, obeys: time.Millisecond, limit: hour, cancel: time.Second, wait: time.Second + time.Millisecond, interrupts: 1, err: stopped},
		{name: "Ctrl-C and deaf", takes: hour, obeys: hour, limit: hour, cancel: time.Second, wait: time.Second + cancelGrace, interrupts: 1, kills: 1, err: stopped},
	}
	for _, test := range tests {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			time.AfterFunc(test.cancel, func() { cancel(stopped) })
			f := newFakeCell(test.takes, test.obeys)
			begin := time.Now()
			reply, err := runCell(ctx, f, "code", true, test.limit, nil)
			if took := time.Since(begin); took != test.wait {
				t.Errorf("%s: returned after %v, want %v", test.name, took, test.wait)
			}
			if !errors.Is(err, test.err) || (err == nil) != (reply.Status == "ok") {
				t.Errorf("%s: reply %+v, error %v, want %v", test.name, reply, err, test.err)
			}
			if f.interrupts.Load() != test.interrupts || f.kills.Load() != test.kills {
				t.Errorf("%s: %d interrupts and %d kills, want %d and %d", test.name, f.interrupts.Load(), f.kills.Load(), test.interrupts, test.kills)
			}
			if errors.Is(err, errTimeout) && !strings.Contains(err.Error(), test.limit.String()) {
				t.Errorf("%s: error %v, want one that names the limit", test.name, err)
			}
			cancel(nil)
		})
	}
}
