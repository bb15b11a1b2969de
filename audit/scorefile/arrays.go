package scorefile

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dplab/dplab/data/npy"
)

// array is one array of a file.
type array struct {
	header  npy.Header
	numbers []float64 // in C's order
}

// readArray reads an array of floats, integers or bool.
func readArray(in io.Reader) (a array, err error) {
	if a.header, err = npy.ReadHeader(in); err != nil {
		return a, err
	}
	if !a.header.Readable() {
		return a, fmt.Errorf("dtype %s: must be floats, integers or bool, little-endian", a.header.Type)
	}
	err = a.header.Numbers(in, func(_ int, x float64) error {
		a.numbers = append(a.numbers, x)
		return nil
	})
	if a.header.Fortran && err == nil {
		a.numbers = npy.RowMajor(a.numbers, a.header.Shape)
	}
	return a, err
}

// single reads the rows of an array of numpy.save with two columns.
func single(content []byte) ([]row, error) {
	a, err := readArray(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("scorefile: %w", err)
	}
	if len(a.header.Shape) != 2 || a.header.Shape[1] != 2 {
		return nil, fmt.Errorf("scorefile: shape %v: must be [n, 2], a score and a member in each row (or an .npz file with an array of each)", a.header.Shape)
	}
	return joined(len(a.numbers)/2, func(i int) (score, member float64) { return a.numbers[2*i], a.numbers[2*i+1] })
}

// archive reads the rows of two arrays of numpy.savez.
func (c Columns) archive(content []byte) ([]row, error) {
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("scorefile: must be an .npz file of numpy.savez: %w", err)
	}
	var found [2]array
	for k, name := range []string{c.Score, c.Member} {
		if found[k], err = member(file, name); err != nil {
			return nil, fmt.Errorf("scorefile: %w", err)
		}
	}
	scores, members := found[0].numbers, found[1].numbers
	if len(scores) != len(members) {
		return nil, fmt.Errorf("scorefile: arrays %s of %d and %s of %d numbers: must have as many", c.Score, len(scores), c.Member, len(members))
	}
	return joined(len(scores), func(i int) (float64, float64) { return scores[i], members[i] })
}

// member reads an array of an archive, of one column.
func member(file *zip.Reader, name string) (a array, err error) {
	var there []string
	var found []*zip.File
	for _, f := range file.File {
		array := strings.TrimSuffix(f.Name, ".npy")
		if there = append(there, array); strings.EqualFold(array, name) {
			found = append(found, f)
		}
	}
	const most = 12
	switch len(found) {
	case 0:
		return a, fmt.Errorf("has arrays %q: must have an array %s (Columns names others)", there[:min(len(there), most)], name)
	case 1:
	default:
		return a, fmt.Errorf("array %s: is there %d times (the case of letters does not matter): must be once", name, len(found))
	}
	in, err := found[0].Open()
	if err != nil {
		return a, fmt.Errorf("array %s: %w", name, err)
	}
	defer in.Close()
	if a, err = readArray(in); err != nil {
		return a, fmt.Errorf("array %s: %w", name, err)
	}
	if shape := a.header.Shape; len(shape) != 1 && (len(shape) != 2 || shape[1] != 1) {
		return a, fmt.Errorf("array %s: shape %v: must be [n] or [n, 1]", name, shape)
	}
	return a, nil
}

// joined returns the rows of n pairs of numbers.
func joined(n int, at func(i int) (score, member float64)) ([]row, error) {
	rows := make([]row, n)
	for i := range rows {
		score, member := at(i)
		if math.IsNaN(score) || math.IsInf(score, 0) {
			return nil, fmt.Errorf("scorefile: score[%d] is %g: must be finite", i, score)
		}
		if member != 0 && member != 1 {
			return nil, fmt.Errorf("scorefile: member[%d] is %g: must be 0 or 1, or False or True", i, member)
		}
		rows[i] = row{score, member == 1}
	}
	if n == 0 {
		return nil, fmt.Errorf("scorefile: the file has no scores: must have some")
	}
	return rows, nil
}
