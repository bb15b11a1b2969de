package main

import (
	"os/exec"
	"regexp"
	"testing"
)

// What git says of the sources is what is stored, of a build that does not know, wherever the
// results are.
func TestRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	if got := revision("."); got != "" && !regexp.MustCompile(`^[0-9a-f]{12}( with changes)?$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	if got, want := revision(t.TempDir()), revision("."); got != want {
		t.Errorf("with results outside of the repository: %q, want %q of the sources", got, want)
	}
	commit = "0123456789abcdef0123"
	defer func() { commit = "" }()
	if got := revision(t.TempDir()); got != "0123456789ab" {
		t.Errorf("named by the build: %q", got)
	}
}
