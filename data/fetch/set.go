package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/dplab/dplab/data/internal/rawfile"
)

// set downloads the files of a data set into a folder.
func (d downloader) set(ctx context.Context, folder string, files []rawfile.File) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("-dir %s: %w: must be a folder that can be written", filepath.Dir(folder), err)
	}
	var errs []error
	archives := map[string][]rawfile.File{} // by the first URL
	var order []string
	for _, f := range files {
		path := filepath.Join(folder, f.Name)
		if _, err := rawfile.ReadFile(path, f.Sum); err == nil {
			fmt.Fprintf(d.log, "%s is there\n", path)
			continue
		}
		if f.Archive != nil {
			key := f.URLs[0]
			if archives[key] == nil {
				order = append(order, key)
			}
			archives[key] = append(archives[key], f)
			continue
		}
		content, err := d.file(ctx, path, f.URLs, f.Sum)
		if err == nil {
			err = rawfile.Write(path, 0o644, nil, content)
		}
		errs = append(errs, err)
	}
	for _, key := range order {
		errs = append(errs, d.archive(ctx, folder, archives[key]))
	}
	return errors.Join(errs...)
}

// archive downloads an archive and takes files of one data set out of it.
func (d downloader) archive(ctx context.Context, folder string, files []rawfile.File) error {
	first := files[0]
	packed, err := d.file(ctx, filepath.Join(folder, filepath.Base(first.URLs[0])), first.URLs, first.Archive.Sum)
	if err != nil {
		return err
	}
	members, err := unpack(packed, files)
	if err != nil {
		return fmt.Errorf("%s: %w", first.URLs[0], err)
	}
	for _, f := range files {
		content, ok := members[f.Archive.Member]
		if !ok {
			return fmt.Errorf("%s: has no member %s", first.URLs[0], f.Archive.Member)
		}
		if err := f.Sum.Verify(f.Archive.Member, content); err != nil {
			return err
		}
		if err := rawfile.Write(filepath.Join(folder, f.Name), 0o644, nil, content); err != nil {
			return err
		}
	}
	return nil
}

// unpack returns the wanted members of a tar file packed by gzip.
func unpack(packed []byte, files []rawfile.File) (map[string][]byte, error) {
	wanted, members := map[string]bool{}, map[string][]byte{}
	for _, f := range files {
		wanted[f.Archive.Member] = true
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("not a gzip file: %w", err)
	}
	for reader := tar.NewReader(unzipped); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return members, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the archive: %w", err)
		}
		if !wanted[header.Name] {
			continue
		}
		if members[header.Name], err = io.ReadAll(reader); err != nil {
			return nil, fmt.Errorf("reading %s: %w", header.Name, err)
		}
	}
}
