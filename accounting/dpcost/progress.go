package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// teller says what is worked on.
type teller func(format string, args ...any)

// silent is for who does not watch.
func silent(string, ...any) {}

const (
	tellAfter = time.Second // an answer that is quick is an answer alone
	tellEvery = time.Second / 4
)

// watched shows on a terminal what is worked on and since when, in one line that is gone at the end. Files and
// pipes get nothing.
func watched(stderr io.Writer) (tell teller, stop func()) {
	file, ok := stderr.(*os.File)
	if !ok {
		return silent, func() {}
	}
	if info, err := file.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return silent, func() {}
	}
	return shown(stderr, tellAfter, tellEvery)
}

func shown(w io.Writer, after, every time.Duration) (tell teller, stop func()) {
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
	tell = func(format string, args ...any) {
		lock.Lock()
		defer lock.Unlock()
		text = fmt.Sprintf(format, args...)
	}
	return tell, func() {
		close(done)
		<-ended
	}
}
