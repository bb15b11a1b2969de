package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

const (
	// maxPlanBytes bounds a file, wherever it comes from.
	maxPlanBytes = 16 << 20
	// maxPlanObjects bounds its events, and with them the time of an answer: half of it as dp_sgd entries, all
	// different, take some ten seconds.
	maxPlanObjects = 10_000
	// standardInput is the path of a file that comes through a pipe.
	standardInput = "-"
)

// readPlan reads a file, or standard input.
func readPlan(path string) (plan, error) {
	text, err := readText("plan", path)
	if err != nil {
		return plan{}, err
	}
	p, err := parsePlan(text)
	if err != nil {
		return plan{}, fmt.Errorf("plan %s: %w", path, err)
	}
	p.file = path
	return p, nil
}

// readText reads JSON for a command, from a file or standard input.
func readText(command, path string) ([]byte, error) {
	text, err := readAll(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", command, err)
	}
	if err := checkText(text); err != nil {
		return nil, fmt.Errorf("%s %s: %w", command, path, err)
	}
	return withoutMark(text), nil
}

// readAll reads at most one byte more than a plan may have: pipes and devices do not tell their size.
func readAll(path string) ([]byte, error) {
	in := io.ReadCloser(os.Stdin)
	if path != standardInput {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPlanBytes+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return text, nil
}

// checkText refuses what is too long, no text, or too many events.
func checkText(text []byte) error {
	if len(text) > maxPlanBytes {
		return fmt.Errorf("more than %d bytes: must be at most that", maxPlanBytes)
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return fmt.Errorf("byte %d, 0x%02x, is not UTF-8: must be UTF-8 text", i, text[i])
		}
		i += size
	}
	if n := objects(text); n > maxPlanObjects {
		return fmt.Errorf("%d JSON objects: must be at most %d (equal events can be written once, with \"repeat\")", n, maxPlanObjects)
	}
	return nil
}

// withoutMark drops the mark that some editors write at the start of UTF-8.
func withoutMark(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// objects counts the JSON objects of a text, as far as it is JSON.
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
