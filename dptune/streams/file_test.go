package streams_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/dptune/streams"
)

// The file gives the same secret root again, to its owner only.
func TestSecretFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "root")
	first, err := streams.SecretFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := streams.SecretFile(path)
	if err != nil || again != first || first.Seeded() || first.Validate() != nil {
		t.Errorf("second root equal %v, seeded %v, error %v: want the same secret root", again == first, first.Seeded(), err)
	}
	other, err := streams.SecretFile(path + "2")
	if err != nil || other == first {
		t.Errorf("two files hold the same root, error %v", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, error %v: want 0600", info.Mode(), err)
	}
	if _, err := streams.SecretFile(filepath.Join(path, "inside a file")); err == nil {
		t.Error("no error for a path that cannot be")
	}
}

func TestSecretFileRefusesOtherFiles(t *testing.T) {
	good := "dplab secret root " + strings.Repeat("ab", 32)
	for _, text := range []string{"", "abc", good[:len(good)-2], good + "ff", "dplab secret root " + strings.Repeat("xy", 32)} {
		path := filepath.Join(t.TempDir(), "root")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := streams.SecretFile(path); err == nil || !strings.Contains(err.Error(), "does not hold a secret root") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}
