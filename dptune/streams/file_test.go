package streams_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
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

// Of many that ask for one file at the same time, one makes it and all get its root.
func TestSecretFileMadeByManyAtOnce(t *testing.T) {
	for range 50 {
		path, roots := filepath.Join(t.TempDir(), "root"), make([]streams.Root, 8)
		var asking sync.WaitGroup
		for i := range roots {
			asking.Go(func() {
				root, err := streams.SecretFile(path)
				if err != nil {
					t.Error(err)
				}
				roots[i] = root
			})
		}
		asking.Wait()
		for _, root := range roots {
			if root != roots[0] {
				t.Fatal("two roots from one file")
			}
		}
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Fatalf("files %v, error %v: want the root's alone", entries, err)
		}
	}
}
