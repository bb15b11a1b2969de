package main

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen keeps what was written, and says when something was.
type screen struct {
	lock    sync.Mutex
	text    strings.Builder
	written chan struct{}
}

func (s *screen) Write(b []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	select {
	case s.written <- struct{}{}:
	default:
	}
	return s.text.Write(b)
}

// A terminal is told what is worked on in one line, which is gone at the end; an answer that comes
// before, and whatever is no terminal, has nothing.
func TestProgress(t *testing.T) {
	s := &screen{written: make(chan struct{}, 1)}
	_, stop := showProgress(s, 0, time.Hour)
	<-s.written
	stop()
	if got := s.text.String(); !strings.HasPrefix(got, "\r\x1b[Kpricing, ") || !strings.HasSuffix(got, " s\r\x1b[K") {
		t.Errorf("%q, want a line that is gone at the end", got)
	}
	s = &screen{written: make(chan struct{}, 1)}
	report, stop := showProgress(s, time.Millisecond, time.Millisecond)
	report("point %d of %d", 3, 11)
	for range 100 {
		<-s.written
		s.lock.Lock()
		told := strings.Contains(s.text.String(), "\r\x1b[Kpoint 3 of 11, ")
		s.lock.Unlock()
		if told {
			break
		}
	}
	stop()
	if got := s.text.String(); !strings.Contains(got, "\r\x1b[Kpoint 3 of 11, ") {
		t.Errorf("%q, want the point", got)
	}
	s = &screen{written: make(chan struct{}, 1)}
	_, stop = showProgress(s, time.Hour, time.Hour)
	stop()
	if got := s.text.String(); got != "" {
		t.Errorf("%q before its time, want nothing", got)
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	report, stop = withProgress(file)
	report("nothing")
	time.Sleep(2 * time.Millisecond)
	stop()
	if info, err := file.Stat(); err != nil || info.Size() != 0 {
		t.Errorf("%d bytes in a file, %v, want none", info.Size(), err)
	}
}

// Who waits for a plan or a curve is told how far it is.
func TestPlansAndCurvesTell(t *testing.T) {
	path := writePlan(t, `{"events": [{"type": "zcdp", "rho": 0.1}, {"type": "zcdp", "rho": 0.2}]}`)
	for line, want := range map[string]string{
		"plan " + path: "entry %d of %d", "curve -points 3 -plan " + path: "point %d of %d", "curve -points 3 -kind tradeoff -plan " + path: "point %d of %d",
	} {
		if testing.Short() && strings.Contains(line, "tradeoff") {
			continue
		}
		told := 0
		_, err := dispatch(strings.Fields(line), func(format string, _ ...any) {
			if strings.Contains(format, want) {
				told++
			}
		}, silent)
		if err != nil || told < 2 {
			t.Errorf("%s: told %d times, %v, want each one", line, told, err)
		}
	}
}
