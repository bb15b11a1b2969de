package rawfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// DirVariable is the environment variable that names the folder with the full data sets.
const DirVariable = "DPLAB_DATA"

// ErrNotFound is returned, wrapped, when a data set is not on this machine. The message lists the
// files and where they come from.
var ErrNotFound = errors.New("data set not found")

// Dir returns the folder that holds the full data sets: explicit if it is not empty, else the value
// of DPLAB_DATA. It returns ErrNotFound if neither is given, and an error if the folder does not
// exist.
func Dir(explicit string) (string, error) {
	dir, from := explicit, "data folder"
	if dir == "" {
		dir, from = os.Getenv(DirVariable), DirVariable
	}
	if dir == "" {
		return "", fmt.Errorf("data: no folder given and %s is not set: %w", DirVariable, ErrNotFound)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("data: %s %q: must be an existing folder: %w", from, dir, errors.Join(ErrNotFound, err))
	}
	if !info.IsDir() {
		return "", fmt.Errorf("data: %s %q: must be a folder, is a file: %w", from, dir, ErrNotFound)
	}
	return dir, nil
}

// File is one file of a data set: its name, its checksum and where it comes from.
type File struct {
	Name    string
	Sum     Checksum
	URLs    []string // of the file, or of the archive that holds it; the official place first
	Archive *Archive // nil if the URLs give the file itself
}

// Archive is a tar file, packed by gzip, that holds a data file.
type Archive struct {
	Sum    Checksum // of the archive
	Member string   // path of the data file in it
}

// Locate returns the paths of the files of a data set, in order: dir/set/name for each, with dir as
// in Dir. If one is missing the error wraps ErrNotFound. It lists what to download and where to put
// it.
func Locate(explicit, set string, files []File) ([]string, error) {
	return locate(explicit, set, files, "")
}

// LocatePacked is Locate for files that may also be packed by bzip2, under their name with .bz2 at
// its end. ReadPacked reads both.
func LocatePacked(explicit, set string, files []File) ([]string, error) {
	return locate(explicit, set, files, "", packedSuffix)
}

func locate(explicit, set string, files []File, suffixes ...string) ([]string, error) {
	dir, err := Dir(explicit)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, howToGet("DIR", set, "set "+DirVariable+"=DIR", files))
	}
	folder := filepath.Join(dir, set)
	paths := make([]string, len(files))
	var missing []File
	for i, f := range files {
		if paths[i], err = firstOf(filepath.Join(folder, f.Name), suffixes); err != nil {
			return nil, fmt.Errorf("data: %s: %w", set, err)
		}
		if paths[i] == "" {
			missing = append(missing, f)
		}
	}
	if len(missing) > 0 {
		return nil, fmt.Errorf("data: %s: %d of %d files are missing in %q: %w\n%s", set, len(missing), len(files), folder, ErrNotFound, howToGet(dir, set, "", missing))
	}
	return paths, nil
}

// firstOf returns the first of path+suffix that exists, or "".
func firstOf(path string, suffixes []string) (string, error) {
	for _, suffix := range suffixes {
		if _, err := os.Stat(path + suffix); err == nil {
			return path + suffix, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}

// howToGet lists what to download into the folder dir/set, and what to do then. The command
// data/fetch does it, if every file has a place to download it from.
func howToGet(dir, set, then string, files []File) string {
	text := "to get the data, "
	if !slices.ContainsFunc(files, func(f File) bool { return len(f.URLs) == 0 }) {
		text += fmt.Sprintf("run go run ./data/fetch -dir %s %s in the repository, or ", dir, set)
	}
	text += fmt.Sprintf("put these files into %s", filepath.Join(dir, set))
	if then != "" {
		text += " and " + then
	}
	for _, f := range files {
		text += fmt.Sprintf("\n\t%s (%v)", f.Name, f.Sum)
		if f.Archive != nil {
			text += fmt.Sprintf(", which is %s in this archive", f.Archive.Member)
		}
		for _, url := range f.URLs {
			text += "\n\t\t" + url
		}
	}
	return text
}
