// Package cifar reads CIFAR-10: 50,000 training and 10,000 test images of 32x32 in three colors and
// 10 classes. It also reads a small part of CIFAR-100 with 100 classes. Both come from the
// published binary files. Features are the values divided by the public constant 255, in the order
// row, column, color.
//
// The files are not part of this module. They are expected in the folders cifar-10 and
// cifar-100-subset of the given folder, or of DPLAB_DATA. They may be packed by bzip2, with .bz2 at
// the end of the name. An error lists what to download. Every file's checksum, unpacked, is
// verified before it is used. Unpacking bzip2 takes seconds a file, and is done once:
// rawfile.UserCache keeps the unpacked bytes.
//
//	train, test, err := cifar.Load("")
//	if errors.Is(err, data.ErrNotFound) {
//		fmt.Println(err) // which files, from where, into which folder
//	}
//
// Reference: Krizhevsky, "Learning multiple layers of features from tiny images" (2009).
//
// It promises nothing to other modules.
package cifar

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

const (
	// side is the number of rows and of columns of an image.
	side = 32
	// colors is the number of values of a pixel: red, green, blue.
	colors = 3
	// pixelMax is the public divisor of the values.
	pixelMax = 255

	pixels = side * side
)

// Load reads CIFAR-10 from dir/cifar-10, where dir is as in data.Dir: "" means DPLAB_DATA.
func Load(dir string) (train, test data.Dataset, err error) { return ten.load(dir) }

// LoadTrain reads the first of the five training files of CIFAR-10, of 10,000 images each, and
// needs no other. Use it to take only part of the data. dir is as in data.Dir.
func LoadTrain(dir string, files int) (data.Dataset, error) {
	part, err := ten.first(files)
	if err != nil {
		return data.Dataset{}, err
	}
	train, _, err := part.load(dir)
	return train, err
}

// LoadSubset100 reads 50 training and 10 test images of each of CIFAR-100's 100 fine classes. They
// are in dir/cifar-100-subset, where dir is as in data.Dir. It is a public set to learn features
// from. The whole CIFAR-100 is not read.
func LoadSubset100(dir string) (train, test data.Dataset, err error) { return hundred.load(dir) }

// Files returns the files of CIFAR-10, in the folder cifar-10.
func Files() []rawfile.File { return ten.files() }

// source describes one data set of the family. Counts and sums are fields because tests read small
// files.
type source struct {
	name        string // of the data set and its folder
	labels      int    // bytes before the pixels; the last is the class
	classes     int
	train, test []file
	urls        []string
	archive     rawfile.Checksum
	folder      string // of the files in the archive
}

type file struct {
	name  string
	sum   rawfile.Checksum
	count int // images
}

// first returns the source of only the first training files.
func (s source) first(files int) (source, error) {
	if files < 1 || files > len(s.train) {
		return s, fmt.Errorf("cifar: %d training files: must be in [1, %d]", files, len(s.train))
	}
	s.train, s.test = s.train[:files], nil
	return s, nil
}

func (s source) files() []rawfile.File {
	var out []rawfile.File
	for _, f := range slices.Concat(s.train, s.test) {
		entry := rawfile.File{Name: f.name, Sum: f.sum, URLs: s.urls}
		if s.folder != "" {
			entry.Archive = &rawfile.Archive{Sum: s.archive, Member: s.folder + "/" + f.name}
		}
		out = append(out, entry)
	}
	return out
}

func (s source) load(dir string) (train, test data.Dataset, err error) {
	paths, err := rawfile.LocatePacked(dir, s.name, s.files())
	if err != nil {
		return data.Dataset{}, data.Dataset{}, fmt.Errorf("cifar: %w", err)
	}
	cache, err := rawfile.UserCache()
	if err != nil {
		cache = rawfile.Cache{} // without a cache folder loading is only slower
	}
	if train, err = s.read("train", s.train, paths, cache); err != nil || len(s.test) == 0 {
		return train, data.Dataset{}, err
	}
	if test, err = s.read("test", s.test, paths[len(s.train):], cache); err != nil {
		return data.Dataset{}, data.Dataset{}, err
	}
	return train, test, nil
}

// read returns one part as a data set that passed Validate.
func (s source) read(part string, files []file, paths []string, cache rawfile.Cache) (data.Dataset, error) {
	d := data.Dataset{Name: s.name + "/" + part, Shape: []int{side, side, colors}, Classes: s.classes}
	record, images := s.labels+colors*pixels, 0
	for _, f := range files {
		images += f.count
	}
	d.Features = make([]float32, 0, images*colors*pixels) // CIFAR-10 takes 600 MB: no second copy
	for i, f := range files {
		raw, err := rawfile.ReadPacked(paths[i], f.sum, int64(f.count*record), cache)
		if err != nil {
			return data.Dataset{}, fmt.Errorf("cifar: %w", err)
		}
		if len(raw) != f.count*record {
			return data.Dataset{}, fmt.Errorf("cifar: %s: %d bytes: must be %d (%d images of %d)", paths[i], len(raw), f.count*record, f.count, record)
		}
		for image := range slices.Chunk(raw, record) {
			d.Labels = append(d.Labels, int32(image[s.labels-1]))
			d.Features = appendImage(d.Features, image[s.labels:])
		}
	}
	if err := d.Validate(); err != nil {
		return data.Dataset{}, fmt.Errorf("cifar: %w", err)
	}
	return d, nil
}

// appendImage appends planes of red, green and blue as pixels of three values.
func appendImage(features []float32, planes []byte) []float32 {
	for p := range pixels {
		for color := range colors {
			features = append(features, float32(planes[color*pixels+p])/pixelMax)
		}
	}
	return features
}
