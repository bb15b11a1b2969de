package imdb

import (
	"archive/tar"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"github.com/dplab/dplab/data/internal/rawfile"
	"github.com/dplab/dplab/data/internal/words"
)

// padded represents Padding in two bytes.
const padded = 0xffff

// largest is a bound on the bytes of any member of the archive.
const largest = 64 << 20

// parts are the folders of the reviews, in the order of the data sets.
var parts = []string{"train/neg", "train/pos", "test/neg", "test/pos"}

// ids reads an archive and returns the ids of all reviews, part by part, in the order of the
// numbers in their names.
func (s source) ids(file string, sum rawfile.Checksum, length int) ([]byte, error) {
	packed, err := rawfile.ReadFile(file, sum)
	if err != nil {
		return nil, err
	}
	ranks, texts, err := members(file, packed)
	if err != nil {
		return nil, err
	}
	if len(ranks) == 0 {
		return nil, fmt.Errorf("%s: has no imdb.vocab", file)
	}
	var out []byte
	for _, part := range parts {
		if len(texts[part]) != s.count {
			return nil, fmt.Errorf("%s: %d reviews in %s: must be %d", file, len(texts[part]), part, s.count)
		}
		for number := range s.count {
			text, ok := texts[part][number]
			if !ok {
				return nil, fmt.Errorf("%s: %s has no review number %d", file, part, number)
			}
			out = appendIDs(out, text, ranks, length)
		}
	}
	return out, nil
}

// members returns the ranks of the words and the texts of the reviews by part and number.
func members(file string, packed []byte) (ranks map[string]int, texts map[string]map[int]string, err error) {
	var unpacked io.Reader = bzip2.NewReader(bytes.NewReader(packed))
	if strings.HasSuffix(file, ".gz") {
		if unpacked, err = gzip.NewReader(bytes.NewReader(packed)); err != nil {
			return nil, nil, fmt.Errorf("%s: not a gzip file: %w", file, err)
		}
	}
	texts = map[string]map[int]string{}
	for _, part := range parts {
		texts[part] = map[int]string{}
	}
	for reader := tar.NewReader(unpacked); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return ranks, texts, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("%s: reading the archive: %w", file, err)
		}
		_, name, _ := strings.Cut(path.Clean(header.Name), "/") // below the folder aclImdb
		part, isReview := texts[path.Dir(name)]
		if !isReview && name != "imdb.vocab" {
			continue
		}
		content, err := io.ReadAll(io.LimitReader(reader, largest))
		if err != nil {
			return nil, nil, fmt.Errorf("%s: reading %s: %w", file, header.Name, err)
		}
		if !isReview {
			ranks = rank(string(content))
			continue
		}
		number, _, _ := strings.Cut(path.Base(name), "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %s: must be named by a number", file, header.Name)
		}
		part[n] = string(content)
	}
}

// rank numbers the words of a vocabulary, one a line.
func rank(vocabulary string) map[string]int {
	ranks := map[string]int{}
	for _, word := range strings.Fields(vocabulary) {
		if len(ranks) == Tokens-1 {
			break
		}
		ranks[word] = len(ranks)
	}
	return ranks
}

// appendIDs appends length ids, two bytes each.
func appendIDs(out []byte, text string, ranks map[string]int, length int) []byte {
	list := words.Split(strings.ReplaceAll(text, "<br />", " ")) // line breaks are written so
	for i := range length {
		id := uint16(padded)
		if i < len(list) {
			id = Tokens - 1
			if r, ok := ranks[list[i]]; ok {
				id = uint16(r)
			}
		}
		out = binary.LittleEndian.AppendUint16(out, id)
	}
	return out
}
