package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// wheel is a Python package with all programs and the functions that call them. Installing it puts
// the programs into Python's folder of scripts.
//
// Reference: the binary distribution format of Python's packages (PEP 427), core metadata 2.4 (PEP
// 639).
type wheel struct {
	target
	version string
	made    time.Time // of the files in it
	license []byte
	notices []byte // of the modules that are linked in
	spdx    string // the licenses of both
}

// distribution is the name of the package. On the Python index dplab is another project.
const distribution = "dpcost"

// functions is the Python package dpcost, which calls the programs.
//
//go:embed all:python/dpcost
var functions embed.FS

// file is one entry of the archive.
type file struct {
	name    string
	content []byte
	mode    os.FileMode
}

// write writes the wheel of the programs, in the order of commands, into a folder and returns its
// path.
func (w wheel) write(folder string, programs []string) (string, error) {
	list, err := w.files(programs)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, fmt.Sprintf("%s-%s-py3-none-%s.whl", distribution, w.version, strings.Join(w.platforms, ".")))
	var archive bytes.Buffer
	if err := w.archive(&archive, list); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, archive.Bytes(), 0o644)
}

// files returns the entries. The last one lists them all with their hashes.
func (w wheel) files(programs []string) ([]file, error) {
	list, err := sources()
	if err != nil {
		return nil, err
	}
	base := distribution + "-" + w.version
	for i, path := range programs {
		program, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list = append(list, file{base + ".data/scripts/" + commands[i].name + w.suffix(), program, 0o755})
	}
	info := base + ".dist-info/"
	list = append(list,
		file{info + "METADATA", []byte(w.metadata()), 0o644},
		file{info + "WHEEL", []byte(w.tags()), 0o644},
		file{info + "licenses/LICENSE", w.license, 0o644},
		file{info + "licenses/" + noticesName, w.notices, 0o644},
	)
	var record strings.Builder
	for _, f := range list {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	return append(list, file{info + "RECORD", []byte(record.String()), 0o644}), nil
}

// sources returns the files of the Python package, without what Python compiled of them.
func sources() (list []file, err error) {
	err = fs.WalkDir(functions, "python", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".py", ".typed"}, filepath.Ext(path)) {
			return err
		}
		text, err := functions.ReadFile(path)
		list = append(list, file{strings.TrimPrefix(path, "python/"), text, 0o644})
		return err
	})
	return list, err
}

func (w wheel) metadata() string {
	text := fmt.Sprintf(`Metadata-Version: 2.4
Name: %s
Version: %s
Summary: Privacy costs and privacy audits: the programs dpcost and dpaudit, and Python functions that call them
License-Expression: %s
License-File: LICENSE
License-File: THIRD_PARTY_NOTICES.txt
Requires-Python: >=3.8

`, distribution, w.version, w.spdx)
	for _, c := range commands {
		text += fmt.Sprintf("- `%s`: %s. `%[1]s -h` describes its use.\n", c.name, c.summary)
	}
	return text + `- ` + "`import dpcost`" + `: typed functions such as ` + "`sgd` and `audit`" + ` call them. They need no other package.

The programs are built from dplab, a library in Go for differentially private training.
`
}

// tags lists each platform by itself: the file name has them all.
func (w wheel) tags() string {
	text := "Wheel-Version: 1.0\nGenerator: dplab release\nRoot-Is-Purelib: false\n"
	for _, platform := range w.platforms {
		text += "Tag: py3-none-" + platform + "\n"
	}
	return text
}

// archive writes the entries as a zip file.
func (w wheel) archive(out io.Writer, list []file) error {
	z := zip.NewWriter(out)
	for _, f := range list {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: w.made}
		header.SetMode(f.mode)
		entry, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.content); err != nil {
			return err
		}
	}
	return z.Close()
}
