package index

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Source returns the file of a function of Functions, relative to the folder of the notebooks: "figures/papernot2022/figure2.go".
// It is empty if there is no such function, as where the sources are not at hand.
func Source(dir, function string) string {
	pkg, name, _ := strings.Cut(function, ".")
	folder := path.Join("figures", pkg)
	name = name[strings.LastIndexByte(name, '.')+1:]
	declared := regexp.MustCompile(`(?m)^func (\([^)]*\) )?` + regexp.QuoteMeta(name) + `[(\[]`)
	files, _ := filepath.Glob(filepath.Join(dir, filepath.FromSlash(folder), "*.go")) // the pattern is right
	slices.Sort(files)
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		if data, err := os.ReadFile(f); err == nil && declared.Match(data) {
			return path.Join(folder, filepath.Base(f))
		}
	}
	return ""
}
