// Package images reads a folder of PNG or JPEG images, one subfolder for each class, into a
// [data.Dataset].
//
//	pets := images.Folder{Classes: []string{"cat", "dog"}, Height: 32, Width: 32, Channels: 3}
//	train, err := pets.Load("pets/train") // pets/train/cat/*.png, pets/train/dog/*.jpg
//
// An image becomes [rows, columns, channels], scaled to [0, 1] by the largest value of its format,
// 255 or 65535. One image is one record, the unit that differential privacy protects. The order is
// that of the classes, and in a class that of the file names, byte by byte.
//
// Nothing is computed from the images: no mean, and no list of classes. Classes are declared, since
// one that exists for the sake of one image would reveal that image. A class may have no image, but
// it must have a folder.
//
// All images have one size. With Folder.Resize, each image is brought to it by a rule that depends
// on no other image. Transparent and animated PNGs and JPEGs in CMYK are errors. The orientation
// that a camera stores in a JPEG is not applied. Decoders of JPEG differ by a few levels of 255;
// those of PNG agree.
//
// Names that begin with a dot are skipped, and no other name is. Errors name the file. Names of
// files may be private: do not publish them.
package images

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/data"
)

// Folder declares the images of a folder, without having seen them.
type Folder struct {
	Name    string   // of the data set; "" takes that of the folder
	Classes []string // the subfolders, at least two; label k is the k-th. Required.
	Ignore  []string // files and subfolders that are not read; any other is an error

	// Height and Width are the rows and columns of every image. Both 0 take those of the first image.
	Height, Width int

	// Resize brings images of other sizes to Height and Width, which must be given, by Pillow's
	// BILINEAR: a mean of pixels weighted by a triangle, as wide as the image shrinks. It keeps no
	// proportions.
	Resize bool

	// Channels is 1 for gray or 3 for red, green and blue. Colors become gray by
	// 0.299 R + 0.587 G + 0.114 B, and gray becomes three equal colors. 0 takes the channels of the
	// first image; all others must have as many. A palette, or gray with opacity, counts as 3.
	Channels int
}

// Validate returns every fault of the declaration, joined.
func (f Folder) Validate() error {
	faults := check.In("images: Folder.")
	faults.That(len(f.Classes) >= 2, "Classes", fmt.Sprintf("has %d names", len(f.Classes)), "must have at least 2, the subfolders")
	for i, class := range f.Classes {
		field := fmt.Sprintf("Classes[%d]", i)
		faults.That(isName(class), field, fmt.Sprintf("%q", class), "must be the name of one subfolder")
		faults.That(!slices.Contains(f.Classes[:i], class), field, fmt.Sprintf("%q", class), "must occur once")
		faults.That(!slices.Contains(f.Ignore, class), field, fmt.Sprintf("%q", class), "must not be in Ignore")
	}
	faults.That(f.Height >= 0 && f.Width >= 0 && (f.Height > 0) == (f.Width > 0), "Height", fmt.Sprintf("%d, Width %d", f.Height, f.Width), "must both be >= 1, or both 0")
	faults.That(!f.Resize || f.Height > 0, "Height", f.Height, "must be given with Resize, and Width too")
	faults.That(f.Channels == 0 || f.Channels == 1 || f.Channels == 3, "Channels", f.Channels, "must be 1, 3 or 0")
	return faults.Err()
}

// isName reports whether a class can be the name of one subfolder that is not hidden.
func isName(class string) bool {
	return class != "" && !hidden(class) && !strings.ContainsAny(class, "/\\\x00")
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") }

// Assumptions returns the assumptions of a guarantee for data that were read by the declaration.
// Use them in dptune.Search.Assumptions.
func (f Folder) Assumptions() []string {
	return []string{"the classes were chosen without looking at the data, and the size and the channels of the images are public"}
}

// maxFaults is the number of faults after which reading ends.
const maxFaults = 10

// Load reads the images below a folder.
func (f Folder) Load(path string) (data.Dataset, error) {
	if err := f.Validate(); err != nil {
		return data.Dataset{}, err
	}
	files, labels, err := f.files(path)
	if err != nil {
		return data.Dataset{}, err
	}
	if len(files) == 0 {
		return data.Dataset{}, fmt.Errorf("images: %s: has no image: must have at least one PNG or JPEG in a subfolder", path)
	}
	d := data.Dataset{Name: cmp.Or(f.Name, filepath.Base(path)), Labels: labels, Classes: len(f.Classes)}
	r := reader{height: f.Height, width: f.Width, channels: f.Channels, convert: f.Channels > 0, resize: f.Resize, images: len(files)}
	var errs []error
	for _, file := range files {
		if err := r.add(&d, filepath.Join(path, file)); err != nil {
			errs = append(errs, fmt.Errorf("images: %s: %w", file, err))
		}
		if len(errs) == maxFaults {
			errs = append(errs, fmt.Errorf("images: %s: reading ended after %d faults", path, maxFaults))
			break
		}
	}
	if len(errs) > 0 {
		return data.Dataset{}, errors.Join(errs...)
	}
	d.Shape = []int{r.height, r.width, r.channels}
	return d, d.Validate()
}

// files returns the images below the folder, and their labels.
func (f Folder) files(path string) (files []string, labels []int32, err error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, nil, fmt.Errorf("images: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		if name := entry.Name(); !f.skips(name) && !slices.Contains(f.Classes, name) {
			errs = append(errs, fmt.Errorf("images: %s: must be a class in Folder.Classes, or in Folder.Ignore", name))
		}
	}
	for k, class := range f.Classes {
		inside, err := os.ReadDir(filepath.Join(path, class))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			errs = append(errs, fmt.Errorf("images: %s: has no folder %q: must have one for each class, empty if the class has no image", path, class))
		case err != nil:
			errs = append(errs, fmt.Errorf("images: %w", err))
		}
		for _, entry := range inside {
			if !f.skips(entry.Name()) {
				files, labels = append(files, filepath.Join(class, entry.Name())), append(labels, int32(k))
			}
		}
	}
	if n := len(errs); n > maxFaults {
		errs = append(errs[:maxFaults], fmt.Errorf("images: %s: and %d faults more", path, n-maxFaults))
	}
	return files, labels, errors.Join(errs...)
}

func (f Folder) skips(name string) bool { return hidden(name) || slices.Contains(f.Ignore, name) }
