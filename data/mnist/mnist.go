// Package mnist reads MNIST and Fashion-MNIST from the four gzip files of each publication: 60,000
// training and 10,000 test images of 28x28 in 10 classes. Features are the pixels divided by the
// public constant 255.
//
// The files are not part of this module. They are expected in the folders mnist and fashion-mnist
// of the given folder, or of DPLAB_DATA. An error lists what to download. Every file's MD5, as its
// authors publish it, is verified before the file is used.
//
//	train, test, err := mnist.Load("")
//	if errors.Is(err, data.ErrNotFound) {
//		fmt.Println(err) // which files, from where, into which folder
//	}
//
// References: LeCun, Bottou, Bengio, Haffner, "Gradient-based learning applied to
// document recognition", Proceedings of the IEEE 86 (1998); Xiao, Rasul, Vollgraf,
// "Fashion-MNIST", arXiv:1708.07747v2.
//
// It promises nothing to other modules.
package mnist

import (
	"fmt"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/internal/idx"
)

const (
	// side is the number of rows and of columns of an image.
	side = 28
	// classes is the number of labels.
	classes = 10
	// pixelMax is the public divisor of the pixels.
	pixelMax = 255
)

// Load reads MNIST from dir/mnist, where dir is as in data.Dir: "" means DPLAB_DATA.
func Load(dir string) (train, test data.Dataset, err error) {
	return digitsSet.load(dir)
}

// LoadFashion reads Fashion-MNIST from dir/fashion-mnist, where dir is as in data.Dir: ""
// means DPLAB_DATA.
func LoadFashion(dir string) (train, test data.Dataset, err error) {
	return fashionSet.load(dir)
}

// Files returns the files of MNIST, in the folder mnist.
func Files() []rawfile.File { return digitsSet.files() }

// FashionFiles returns the files of Fashion-MNIST, in the folder fashion-mnist.
func FashionFiles() []rawfile.File { return fashionSet.files() }

// source describes one data set of the family. The sizes are fields because tests read small files.
type source struct {
	name        string // of the data set and its folder
	train, test part
	mirrors     []string // places that hold the four files, each ending in a slash
}

type part struct {
	images, labels       string // file names
	imagesSum, labelsSum rawfile.Checksum
	count                int
}

func (s source) files() []rawfile.File {
	var out []rawfile.File
	add := func(name string, sum rawfile.Checksum) {
		f := rawfile.File{Name: name, Sum: sum}
		for _, m := range s.mirrors {
			f.URLs = append(f.URLs, m+name)
		}
		out = append(out, f)
	}
	for _, p := range []part{s.train, s.test} {
		add(p.images, p.imagesSum)
		add(p.labels, p.labelsSum)
	}
	return out
}

func (s source) load(dir string) (train, test data.Dataset, err error) {
	paths, err := rawfile.Locate(dir, s.name, s.files())
	if err != nil {
		return data.Dataset{}, data.Dataset{}, fmt.Errorf("mnist: %w", err)
	}
	if train, err = s.train.read(s.name+"/train", paths[0], paths[1]); err != nil {
		return data.Dataset{}, data.Dataset{}, err
	}
	if test, err = s.test.read(s.name+"/test", paths[2], paths[3]); err != nil {
		return data.Dataset{}, data.Dataset{}, err
	}
	return train, test, nil
}

// read returns one part as a data set that passed Validate.
func (p part) read(name, imagesPath, labelsPath string) (data.Dataset, error) {
	images, err := readArray(imagesPath, p.imagesSum, p.count, side, side)
	if err != nil {
		return data.Dataset{}, err
	}
	labels, err := readArray(labelsPath, p.labelsSum, p.count)
	if err != nil {
		return data.Dataset{}, err
	}
	d := data.Dataset{
		Name:     name,
		Features: make([]float32, len(images)),
		Shape:    []int{side, side, 1},
		Labels:   make([]int32, len(labels)),
		Classes:  classes,
	}
	for i, pixel := range images {
		d.Features[i] = float32(pixel) / pixelMax
	}
	for i, label := range labels {
		d.Labels[i] = int32(label)
	}
	if err := d.Validate(); err != nil {
		return data.Dataset{}, fmt.Errorf("mnist: %s: %w", labelsPath, err)
	}
	return d, nil
}

// readArray returns the bytes of a gzip IDX file of exactly the given sizes.
func readArray(path string, sum rawfile.Checksum, sizes ...int) ([]byte, error) {
	limit := int64(4 + 4*len(sizes))
	body := int64(1)
	for _, size := range sizes {
		body *= int64(size)
	}
	raw, err := rawfile.ReadGzip(path, sum, limit+body)
	if err != nil {
		return nil, fmt.Errorf("mnist: %w", err)
	}
	array, err := idx.Parse(path, raw)
	if err != nil {
		return nil, fmt.Errorf("mnist: %w", err)
	}
	if fmt.Sprint(array.Sizes) != fmt.Sprint(sizes) {
		return nil, fmt.Errorf("mnist: %s: sizes %v: must be %v", path, array.Sizes, sizes)
	}
	return array.Bytes, nil
}
