package relay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What fits is shown as it is, and makes no file.
func TestFewLinesAreShown(t *testing.T) {
	p := printed{path: filepath.Join(t.TempDir(), "out.txt")}
	text := strings.Repeat("line\n", mostLines)
	if got := p.add(text) + p.add("") + p.end(); got != text {
		t.Errorf("%d bytes are shown, want %d", len(got), len(text))
	}
	if _, err := os.Stat(p.path); err == nil {
		t.Error("there is a file")
	}
}

// The first lines or bytes are shown, the file has all, and the notes name it.
func TestManyLinesGoToAFile(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		shown int
		more  string
	}{
		"lines":    {strings.Repeat("line\n", mostLines+3), 5 * mostLines, "… 3 more lines; out.txt has all\n"},
		"bytes":    {strings.Repeat("x", mostShown+10) + "\n", mostShown, "… 1 more lines; out.txt has all\n"},
		"progress": {strings.Repeat("\r"+strings.Repeat("=", 99), 20000) + strings.Repeat("\n", mostLines+1), 20000*100 + mostLines, "… 1 more lines; out.txt has all\n"},
		"returns":  {strings.Repeat("=\r\n", mostLines+1), 3 * mostLines, "… 1 more lines; out.txt has all\n"},
	} {
		p := printed{path: filepath.Join(t.TempDir(), "out.txt")}
		var got strings.Builder
		for at := 0; at < len(c.text); at += 777 { // messages end anywhere
			got.WriteString(p.add(c.text[at:min(at+777, len(c.text))]))
		}
		shown, note, cut := strings.Cut(got.String(), "… the page shows no more; all of it goes to out.txt, next to this notebook\n")
		if !cut || strings.TrimSuffix(shown, "\n") != strings.TrimSuffix(c.text[:c.shown], "\n") || note != "" {
			t.Errorf("%s: %d bytes are shown, want %d and a note", name, len(shown), c.shown)
		}
		if more := p.end(); more != c.more || p.end() != "" {
			t.Errorf("%s: the last note is %q, want %q once", name, more, c.more)
		}
		if file, err := os.ReadFile(p.path); err != nil || string(file) != c.text {
			t.Errorf("%s: the file has %d bytes, %v, want all %d", name, len(file), err, len(c.text))
		}
	}
}

// A cell that clears its output may print again.
func TestClearedOutputIsNotCounted(t *testing.T) {
	p := printed{path: filepath.Join(t.TempDir(), "out.txt")}
	text := strings.Repeat("line\n", mostLines-1)
	for range 3 {
		if got := p.add(text); got != text {
			t.Fatalf("%d bytes are shown, want %d", len(got), len(text))
		}
		p.cleared()
	}
}

// An endless loop fills no disk, and a file that cannot be made is named.
func TestFileHasAnEnd(t *testing.T) {
	text := strings.Repeat(strings.Repeat("x", 1023)+"\n", 1<<13)
	p := printed{path: filepath.Join(t.TempDir(), "out.txt")}
	for range 9 {
		p.add(text)
	}
	if note := p.end(); !strings.HasSuffix(note, " more lines; out.txt has the first 64 MB\n") {
		t.Errorf("note %q", note)
	}
	if info, err := os.Stat(p.path); err != nil || info.Size() != mostFilled {
		t.Errorf("the file is %v, %v", info, err)
	}
	p = printed{path: filepath.Join(t.TempDir(), "none", "out.txt")}
	if got, note := p.add(text), p.end(); !strings.Contains(got, "… the page shows no more, and the rest is lost: open ") || !strings.Contains(note, " more lines are lost: open ") {
		t.Errorf("notes %q and %q", got[len(got)-200:], note)
	}
}
