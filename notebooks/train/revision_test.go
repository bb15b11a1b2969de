package main

import (
	"os/exec"
	"regexp"
	"testing"
)

// What git says is what is stored, of a build that does not know; nothing where there is no
// repository.
func TestRevision(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	if got := revision("."); got != "" && !regexp.MustCompile(`^[0-9a-f]{12}( with changes)?$`).MatchString(got) {
		t.Errorf("%q", got)
	}
	if got := revision(t.TempDir()); got != "" {
		t.Errorf("outside of a repository: %q", got)
	}
	commit = "0123456789abcdef0123"
	defer func() { commit = "" }()
	if got := revision(t.TempDir()); got != "0123456789ab" {
		t.Errorf("named by the build: %q", got)
	}
}
