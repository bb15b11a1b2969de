package figures

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestArtifactsAreListedInOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not there yet")
	if list, err := ReadManifest(dir); err != nil || len(list) != 0 {
		t.Errorf("a folder that is not there: %v, %v", list, err)
	}
	for _, a := range []Artifact{{Name: "b", Kind: KindChart, Files: []string{"b.svg"}}, {Kind: KindText, Text: "x"}, {Name: "a", Kind: KindTable}} {
		if err := AddArtifact(dir, a, map[string][]byte{"b.svg": []byte("<svg/>")}); err != nil {
			t.Fatal(err)
		}
	}
	list, err := ReadManifest(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 || list[0].Name != "b" || list[1].Name != "text-2" || list[2].Name != "a" {
		t.Errorf("the manifest lists %v", list)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "b.svg")); err != nil || string(data) != "<svg/>" {
		t.Errorf("b.svg: %q, %v", data, err)
	}
	if files, _ := os.ReadDir(dir); len(files) != 2 {
		t.Errorf("%d files, want b.svg and the manifest", len(files))
	}
}

func TestArtifactErrors(t *testing.T) {
	dir := t.TempDir()
	add := func(name string, content string) error {
		return AddArtifact(dir, Artifact{Name: name, Kind: KindChart, Files: []string{name + ".svg"}}, map[string][]byte{name + ".svg": []byte(content)})
	}
	if err := add("a", "first"); err != nil {
		t.Fatal(err)
	}
	if err := add("a", "second"); err == nil || !strings.Contains(err.Error(), "must be used once") {
		t.Errorf("a name used twice: error %v", err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "a.svg")); string(data) != "first" {
		t.Errorf("the second use of a name replaced the file by %q", data)
	}
	if err := add("../a", "x"); err == nil {
		t.Error("a name that leaves the folder was accepted")
	}
	if err := os.WriteFile(filepath.Join(dir, manifestName), []byte("[{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := add("b", "x"); err == nil || !strings.Contains(err.Error(), manifestName) {
		t.Errorf("a broken manifest: error %v", err)
	}
	if err := AddArtifact(filepath.Join(dir, "a.svg"), Artifact{Kind: KindText}, nil); err == nil {
		t.Error("a file in place of the folder: no error")
	}
}

func TestArtifactsFromManyGoroutines(t *testing.T) {
	dir := t.TempDir()
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if err := AddArtifact(dir, Artifact{Kind: KindText}, nil); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if list, err := ReadManifest(dir); err != nil || len(list) != 20 {
		t.Errorf("%d of 20 artifacts are listed (%v)", len(list), err)
	}
}
