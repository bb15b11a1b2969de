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

// mostScores is the number of scores that a file of NumPy may have: they take 4 GB of memory, and a
// packed file of a few MB can declare more.
const mostScores = 100_000_000

// readArray reads an array of size bytes, unpacked. Before it reads a number, it compares the shape
// with columns: one, as [n] or [n, 1], or two, as [n, 2].
func readArray(in io.Reader, size int64, columns int) ([]float64, error) {
	header, rest, err := npy.Begin(in, size)
	if err != nil {
		return nil, err
	}
	shape := header.Shape
	switch is := len(shape) == 2 && shape[1] == columns || len(shape) == 1 && columns == 1; {
	case !is && columns == 1:
		return nil, fmt.Errorf("shape %v: must be [n] or [n, 1]", shape)
	case !is:
		return nil, fmt.Errorf("shape %v: must be [n, 2], a score and a member in each row (or an .npz file with an array of each)", shape)
	case shape[0] > mostScores:
		return nil, fmt.Errorf("shape %v, %d bytes unpacked: must have at most %d scores", shape, size, mostScores)
	}
	return header.Values(rest)
}

// single reads the rows of an array of numpy.save with two columns.
func single(content []byte) ([]row, error) {
	numbers, err := readArray(bytes.NewReader(content), int64(len(content)), 2)
	if err != nil {
		return nil, fmt.Errorf("scorefile: %w", err)
	}
	return joined(len(numbers)/2, func(i int) (score, member float64) { return numbers[2*i], numbers[2*i+1] })
}

// archive reads the rows of two arrays of numpy.savez.
func (c Columns) archive(content []byte) ([]row, error) {
	file, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		return nil, fmt.Errorf("scorefile: must be an .npz file of numpy.savez: %w", err)
	}
	scores, err := member(file, c.Score)
	if err != nil {
		return nil, err
	}
	members, err := member(file, c.Member)
	if err != nil {
		return nil, err
	}
	if len(scores) != len(members) {
		return nil, fmt.Errorf("scorefile: arrays %s of %d and %s of %d numbers: must have as many", c.Score, len(scores), c.Member, len(members))
	}
	return joined(len(scores), func(i int) (float64, float64) { return scores[i], members[i] })
}

// member reads an array of an archive, of one column.
func member(file *zip.Reader, name string) ([]float64, error) {
	found, err := npy.Member(file, name, strings.EqualFold)
	if err != nil {
		return nil, fmt.Errorf("scorefile: %w (the case of letters does not matter; Columns names others)", err)
	}
	in, err := found.Open()
	if err != nil {
		return nil, fmt.Errorf("scorefile: array %s: %w", name, err)
	}
	defer in.Close()
	numbers, err := readArray(in, int64(found.UncompressedSize64), 1)
	if err != nil {
		return nil, fmt.Errorf("scorefile: array %s: %w", name, err)
	}
	return numbers, nil
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
