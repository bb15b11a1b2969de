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
	allowed := []string{"", "/check", "/numeric", "/interval", "/eventjson", "/selection/law", "/verify", "/internal/batchpairs", "/internal/certificate"}
	paths := strings.Fields(string(out))
	if len(paths) < len(allowed) {
		t.Fatalf("only %d packages: %v", len(paths), paths)
	}
	for _, path := range paths {
		name, ok := strings.CutPrefix(path, module)
		if !ok || !slices.Contains(allowed, name) && !strings.HasPrefix(name, "/internal/certificate/") {
			t.Errorf("imports %s", path)
		}
	}
}
