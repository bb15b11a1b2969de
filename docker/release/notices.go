package main

import (
	"bytes"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"unicode"
)

// noticesName is the file next to programs and in wheels.
const noticesName = "THIRD_PARTY_NOTICES.txt"

// linked is a module with code in a program, or Go's standard library.
type linked struct {
	path, version, dir string
}

func (l linked) String() string { return l.path + " " + l.version }

// standard is the path of Go's standard library, and of the runtime that every program has.
const standard = "Go"

// licenses has the licenses of the modules in released programs, in SPDX's notation. freetype
// offers the FTL or the GPL; we use the FTL. gonum has code of Cephes, Boost and others. plot draws
// with the fonts of liberation, which have reserved names.
//
// Reference: the SPDX license list 3.27.
var licenses = map[string][]string{
	standard:                           {"BSD-3-Clause"},
	"codeberg.org/go-fonts/liberation": {"BSD-3-Clause", "OFL-1.1-RFN"},
	"codeberg.org/go-latex/latex":      {"BSD-3-Clause"},
	"codeberg.org/go-pdf/fpdf":         {"MIT"},
	"git.sr.ht/~sbinet/gg":             {"MIT"},
	"github.com/ajstarks/svgo":         {"CC-BY-4.0"},
	"github.com/gofrs/flock":           {"BSD-3-Clause"},
	"github.com/golang/freetype":       {"FTL"},
	"golang.org/x/image":               {"BSD-3-Clause"},
	"golang.org/x/sys":                 {"BSD-3-Clause"},
	"golang.org/x/text":                {"BSD-3-Clause"},
	"gonum.org/v1/gonum":               {"BSD-3-Clause", "BSL-1.0"},
	"gonum.org/v1/plot":                {"BSD-3-Clause"},
}

// freetypeCredit is the credit that the FTL requires of anyone who distributes programs.
const freetypeCredit = "Portions of this software are copyright The FreeType Project (www.freetype.org). All rights reserved.\n"

// expression is the license of a program with the modules and ours.
func expression(modules []linked) (string, error) {
	var list []string
	for _, m := range modules {
		own, known := licenses[m.path]
		if !known {
			return "", fmt.Errorf("%v: its license must be named in docker/release/notices.go", m)
		}
		list = append(list, own...)
	}
	slices.Sort(list)
	return strings.Join(append([]string{"Apache-2.0"}, slices.Compact(list)...), " AND "), nil
}

// linkedIn returns the modules that are linked into programs, in the order of paths, with the
// folders of their sources.
func linkedIn(ctx context.Context, root string, programs ...string) ([]linked, error) {
	settings, err := output(ctx, root, "go", "env", "GOMODCACHE", "GOROOT", "GOVERSION")
	if err != nil {
		return nil, err
	}
	env := strings.Split(settings, "\n")
	if len(env) != 3 {
		return nil, fmt.Errorf("go env: %q: must be three lines", settings)
	}
	var list []linked
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", program, err)
		}
		if version, _, _ := strings.Cut(info.GoVersion, " "); version != env[2] {
			return nil, fmt.Errorf("%s: is built by %s: must be built by %s, to have its license", program, info.GoVersion, env[2])
		}
		list = append(list, linked{standard, env[2], env[1]})
		modules := info.Deps
		if !strings.HasPrefix(info.Main.Path, ourModule) && info.Main.Version != "(devel)" {
			modules = append(modules, &info.Main) // a tool that is a module's own program
		}
		for _, m := range modules {
			if strings.HasPrefix(m.Path, ourModule) {
				continue // a tool's own module
			}
			list = append(list, linkedAt(m, env[0]))
		}
	}
	slices.SortFunc(list, func(a, b linked) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(list), nil
}

// ourModule begins the paths of this repository's modules.
const ourModule = "github.com/dplab/dplab"

// linkedAt finds a module in the cache. Paths in the cache have !x for X.
func linkedAt(m *debug.Module, cache string) linked {
	if m.Replace != nil {
		m = m.Replace
	}
	var escaped strings.Builder
	for _, r := range m.Path + "@" + m.Version {
		if unicode.IsUpper(r) {
			escaped.WriteByte('!')
			r = unicode.ToLower(r)
		}
		escaped.WriteRune(r)
	}
	return linked{m.Path, m.Version, filepath.Join(cache, filepath.FromSlash(escaped.String()))}
}

// notices returns the text that goes with a program with the modules.
func notices(modules []linked) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "The modules that are linked in with dplab, and their terms. docker/release made this from the programs.\n\n")
	for _, m := range modules {
		fmt.Fprintf(&out, "  %v\n", m)
	}
	for _, m := range modules {
		files, err := licenseFiles(m)
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			text, err := os.ReadFile(filepath.Join(m.dir, path))
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&out, "\n%s\n%v: %s\n%[1]s\n\n", strings.Repeat("=", 80), m, filepath.ToSlash(path))
			if m.path == "github.com/golang/freetype" {
				out.WriteString(freetypeCredit + "\n")
			}
			out.Write(bytes.TrimRight(text, "\n"))
			out.WriteByte('\n')
		}
	}
	return out.Bytes(), nil
}

var (
	licenseName   = regexp.MustCompile(`(?i)^(un)?(licen[cs]es?|copying|notice|patents)([.-].*)?$|-licen[cs]e(\.\w+)?$`)
	licenseFolder = regexp.MustCompile(`(?i)^(licen[cs]es|third_party_licen[cs]es)$`)
	notLinked     = regexp.MustCompile(`^(testdata|_.*|\..*|vendor|examples?)$`)
)

// licenseFiles returns the paths of all texts of licenses below a module's folder. Go's are at the
// top of its folder.
func licenseFiles(m linked) (paths []string, err error) {
	err = filepath.WalkDir(m.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(m.dir, path)
		if err != nil {
			return err
		}
		inside := licenseFolder.MatchString(filepath.Base(filepath.Dir(path)))
		switch {
		case entry.IsDir() && relative != "." && (notLinked.MatchString(entry.Name()) || m.path == standard):
			return fs.SkipDir
		case entry.IsDir() || strings.HasSuffix(path, ".go"):
		case m.path == "github.com/golang/freetype" && entry.Name() == "gpl.txt": // the other choice
		case inside || licenseName.MatchString(entry.Name()):
			paths = append(paths, relative)
		}
		return nil
	})
	if err == nil && len(paths) == 0 {
		err = errors.New("has no file with a known name of a license")
	}
	if err != nil {
		return nil, fmt.Errorf("%v in %s: %w", m, m.dir, err)
	}
	return paths, nil
}

// writeNotices writes the notices of programs for anyone who hands them out in another way.
func writeNotices(ctx context.Context, path string, programs []string) error {
	if len(programs) == 0 {
		return errors.New("-notices: no program: must name at least one program")
	}
	modules, err := linkedIn(ctx, ".", programs...)
	if err != nil {
		return err
	}
	text, err := notices(modules)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
