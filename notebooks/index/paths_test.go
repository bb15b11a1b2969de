package index

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every path of a Go file that the contributor's page and the READMEs name is there: from the root,
// from the page's folder, or from a folder of the house. Links are too.
func TestPagesNameFilesThatExist(t *testing.T) {
	const root = "../.."
	pages := []string{filepath.Join(root, ".github/CONTRIBUTING.md")}
	for _, pattern := range []string{"README.md", "*/README.md", "*/*/README.md", "accounting/MEASURED.md", "dptune/dpsgd/TIMINGS.md", "notebooks/ITEMS.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	file := regexp.MustCompile("`([\\w./-]+\\.go)`")
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	checked := 0
	exists := func(folders []string, name string) bool {
		for _, folder := range folders {
			if found, err := filepath.Glob(filepath.Join(folder, name)); err == nil && len(found) > 0 {
				return true
			}
		}
		return false
	}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		folders := []string{root, filepath.Dir(page), filepath.Join(filepath.Dir(page), "*")}
		for _, top := range []string{"data", "accounting", "dptune", "audit", "notebooks"} {
			folders = append(folders, filepath.Join(root, top))
		}
		for _, m := range file.FindAllStringSubmatch(string(data), -1) {
			if checked++; !exists(folders, strings.NewReplacer("PAPER", "*", "NAME", "*").Replace(m[1])) {
				t.Errorf("%s names %s, which is not there", page, m[1])
			}
		}
		for _, m := range link.FindAllStringSubmatch(string(data), -1) {
			if checked++; !strings.HasPrefix(m[1], "out/") && !exists(folders[1:2], m[1]) {
				t.Errorf("%s links to %s, which is not there", page, m[1])
			}
		}
	}
	if checked < 100 {
		t.Errorf("only %d paths and links were found", checked)
	}
}

// Packages of other people that a tool puts into the root are not committed: they must be built or
// downloaded where they are used.
func TestRootHasNoPackages(t *testing.T) {
	for _, pattern := range []string{"*.whl", "*.zip", "*.gz", "*.so", "*.png"} {
		if found, err := filepath.Glob(filepath.Join("../..", pattern)); err != nil || len(found) > 0 {
			t.Errorf("%s, %v: must not be in the root", found, err)
		}
	}
}
