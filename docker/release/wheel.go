package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// wheel is a Python package with one program and no Python code. Installing it puts the program
// into Python's folder of scripts.
//
// Reference: the binary distribution format of Python's packages (PEP 427), core metadata 2.4 (PEP
// 639).
type wheel struct {
	command
	target
	version string
	made    time.Time // of the files in it
	license []byte
	notices []byte // of the modules that are linked in
	spdx    string // the licenses of both
}

// distribution is the name of the package in file names. There "-" is a separator.
func (w wheel) distribution() string { return "dplab_" + w.command.name }

// file is one entry of the archive.
type file struct {
	name    string
	content []byte
	mode    os.FileMode
}

// write writes the wheel of a program into a folder and returns its path.
func (w wheel) write(folder, program string) (string, error) {
	content, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, fmt.Sprintf("%s-%s-py3-none-%s.whl", w.distribution(), w.version, strings.Join(w.platforms, ".")))
	var archive bytes.Buffer
	if err := w.archive(&archive, w.files(content)); err != nil {
		return "", err
	}
	return path, os.WriteFile(path, archive.Bytes(), 0o644)
}

// files returns the entries. The last one lists them all with their hashes.
func (w wheel) files(program []byte) []file {
	base := w.distribution() + "-" + w.version
	info := base + ".dist-info/"
	list := []file{
		{base + ".data/scripts/" + w.command.name + w.suffix(), program, 0o755},
		{info + "METADATA", []byte(w.metadata()), 0o644},
		{info + "WHEEL", []byte(w.tags()), 0o644},
		{info + "licenses/LICENSE", w.license, 0o644},
		{info + "licenses/" + noticesName, w.notices, 0o644},
	}
	var record strings.Builder
	for _, f := range list {
		sum := sha256.Sum256(f.content)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.content))
	}
	fmt.Fprintf(&record, "%sRECORD,,\n", info)
	return append(list, file{info + "RECORD", []byte(record.String()), 0o644})
}

func (w wheel) metadata() string {
	return fmt.Sprintf(`Metadata-Version: 2.4
Name: dplab-%s
Version: %s
Summary: %s
License-Expression: %s
License-File: LICENSE
License-File: THIRD_PARTY_NOTICES.txt
Requires-Python: >=3.7

The command %s of dplab, a library in Go for differentially private training, as one program without any other files.
It holds no Python. `+"`%s -h`"+` describes its use.
`, w.command.name, w.version, w.summary, w.spdx, w.command.name, w.command.name)
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
