package verify_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// The verifier has no search: it imports events, laws, numbers and bounds, and no accountant.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{.ImportPath}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	const module = "github.com/dplab/dplab/accounting"
	allowed := []string{"", "/check", "/numeric", "/interval", "/eventjson", "/verify", "/internal/batchpairs", "/internal/certificate"}
	for _, bound := range []string{"closed", "gridlaw", "laws", "lineintegral", "renyi", "selected", "splitlaw"} {
		allowed = append(allowed, "/internal/certificate/"+bound)
	}
	paths := strings.Fields(string(out))
	if len(paths) != len(allowed) {
		t.Fatalf("%d packages, want %d: %v", len(paths), len(allowed), paths)
	}
	for _, path := range paths {
		name, ok := strings.CutPrefix(path, module)
		if !ok || !slices.Contains(allowed, name) {
			t.Errorf("imports %s", path)
		}
	}
}
