package show

import (
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// record keeps what a Progress displays.
type record struct {
	updates  []string
	finished []string
}

func (r *record) update(line string, _, _ int) { r.updates = append(r.updates, line) }
func (r *record) finish(line string)           { r.finished = append(r.finished, line) }

func TestProgressLimitsItsUpdates(t *testing.T) {
	r := new(record)
	p := newProgress("training", 1000, r, time.Hour)
	for i := range 1000 {
		p.Set(i+1, "ε = 1.2")
	}
	p.Done()
	p.Done()
	p.Set(1, "late")
	if len(r.updates) != 1 || r.updates[0] != "training: 0 of 1000, 0s elapsed" {
		t.Errorf("updates within the interval: %q, want the first only", r.updates)
	}
	if len(r.finished) != 1 || r.finished[0] != "training: 1000 of 1000 done." {
		t.Errorf("last state %q, want one, and no time in it", r.finished)
	}
}

func TestProgressLine(t *testing.T) {
	p := newProgress("games", 40, new(record), 0)
	p.Set(8, "")
	for want, elapsed := range map[string]time.Duration{
		"games: 8 of 40, 1s elapsed, 4s left":     time.Second,
		"games: 8 of 40, 2m0s elapsed, 8m0s left": 2 * time.Minute,
		"games: 8 of 40, 0s elapsed, 0s left":     0,
	} {
		if got := p.line(elapsed); got != want {
			t.Errorf("after %v: %q, want %q", elapsed, got, want)
		}
	}
	p.Set(40, "accuracy 0.9")
	if got, want := p.line(time.Second), "games: 40 of 40, 1s elapsed, accuracy 0.9"; got != want {
		t.Errorf("at the end: %q, want %q", got, want)
	}
	open := newProgress("search", 0, new(record), 0)
	open.Set(3, "")
	if got, want := open.line(time.Second), "search: 3, 1s elapsed"; got != want {
		t.Errorf("with no total: %q, want %q", got, want)
	}
}

func TestProgressFromManyGoroutines(t *testing.T) {
	r := new(record)
	p := newProgress("replicas", 400, r, 0)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 50 {
				p.Add(1)
			}
		})
	}
	wait.Wait()
	p.Done()
	if r.finished[0] != "replicas: 400 of 400 done." || len(r.updates) != 401 {
		t.Errorf("last state %q after %d updates, want 400 of 400 after 401", r.finished[0], len(r.updates))
	}
}

func TestProgressOutsideACellIsLines(t *testing.T) {
	var out strings.Builder
	p := newProgress("tuning", 2, lines{&out}, 0)
	p.Add(2)
	p.Done()
	if got := out.String(); strings.Contains(got, "\r") || strings.Count(got, "\n") != 3 || !strings.HasSuffix(got, "tuning: 2 of 2 done.\n") {
		t.Errorf("lines %q", got)
	}
}

// Outside of a kernel progress is lines on standard error; the last says what was done, once.
func TestTrackEndsOnce(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := os.Stderr
	os.Stderr = write
	track := Track("games")
	for _, done := range []int{1, 5, 10, 10} {
		track(done, 10)
	}
	os.Stderr = stderr
	write.Close()
	text, err := io.ReadAll(read)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(text), "games: 10 of 10 done.\n") || strings.Count(string(text), "done.") != 1 {
		t.Errorf("standard error: %q, must end with one line that says 10 of 10", text)
	}
}
