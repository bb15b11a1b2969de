package input

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"

	"github.com/dplab/dplab/accounting/dpcost/internal/flags"
)

const (
	// maxBytes is the largest size of a file or of standard input.
	maxBytes = 16 << 20
	// maxObjects bounds the number of events, and so the time of an answer. Half as many different
	// dp_sgd entries take some ten seconds.
	maxObjects = 10_000
)

// ReadText reads JSON for a command, from a file or standard input.
func ReadText(command, path string) ([]byte, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	if err := checkText(text); err != nil {
		return nil, fmt.Errorf("%s %s: %w", command, path, err)
	}
	return withoutMark(text), nil
}

// ReadLines is ReadText of a file with one JSON object a line, each within the limits. Other text
// is one line.
func ReadLines(command, path string) ([][]byte, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	lines := [][]byte{text}
	if all := bytes.Split(bytes.TrimSpace(withoutMark(text)), []byte("\n")); len(text) <= maxBytes && json.Valid(all[0]) {
		lines = all
	}
	for i, line := range lines {
		if err := checkText(line); err != nil {
			return nil, fmt.Errorf("%s %s: %w", command, path, err)
		}
		lines[i] = withoutMark(line)
	}
	return lines, nil
}

// readAll reads at most one byte more than a file may have, as pipes and devices have no size.
func readAll(path string) ([]byte, error) {
	in := io.ReadCloser(os.Stdin)
	if path != flags.StandardInput {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// checkText refuses a file that is too long, is not text or has too many events.
func checkText(text []byte) error {
	if len(text) > maxBytes {
		return fmt.Errorf("more than %d bytes: must be at most that", maxBytes)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("byte %d, 0x%02x, is not UTF-8: must be UTF-8 text", i, text[i])
		}
		i += size
	}
	if n := objects(text); n > maxObjects {
		return fmt.Errorf("%d JSON objects: must be at most %d (equal events can be written once, with \"repeat\")", n, maxObjects)
	}
	return nil
}

// withoutMark drops the byte order mark that some editors write at the start of UTF-8.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// objects counts the JSON objects of a text, up to its first error.
func objects(text []byte) (n int) {
	decoder := json.NewDecoder(bytes.NewReader(withoutMark(text)))
	for {
		token, err := decoder.Token()
		if err != nil {
			return n
		}
		if token == json.Delim('{') {
			n++
		}
	}
}
