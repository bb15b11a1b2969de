package show

import (
	"io"
	"os"
	"strings"
	"testing"
)

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
