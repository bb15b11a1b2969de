package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/dplab/dplab/accounting/dpcost/internal/answer"
)

// silent reports nothing.
func silent(string, ...any) {}

const (
	reportAfter = time.Second // a quick answer prints no progress
	reportEvery = time.Second / 4
)

// withProgress shows the current step and the elapsed time on a terminal, in one line that is
// erased at the end. Files and pipes get nothing.
func withProgress(stderr io.Writer) (report answer.ReportFunc, stop func()) {
	file, ok := stderr.(*os.File)
	if !ok {
		return silent, func() {}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return silent, func() {}
	}
	return showProgress(stderr, reportAfter, reportEvery)
}

func showProgress(w io.Writer, after, every time.Duration) (report answer.ReportFunc, stop func()) {
	var lock sync.Mutex
	text, start := "pricing", time.Now()
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		wait := time.NewTimer(after)
		defer wait.Stop()
		for printed := false; ; printed = true {
			select {
			case <-done:
				if printed {
					fmt.Fprint(w, "\r\x1b[K")
				}
				return
			case <-wait.C:
			}
			lock.Lock()
			line := text
			lock.Unlock()
			fmt.Fprintf(w, "\r\x1b[K%s, %.0f s", line, time.Since(start).Seconds())
			wait.Reset(every)
		}
	}()
	report = func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		text = fmt.Sprintf(format, args...)
	}
	return report, func() {
		close(done)
		<-ended
	}
}
