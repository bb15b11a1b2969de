package npy

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Each type, as NumPy wrote it (testdata/make.py): its least and its largest number, or others that
// a float64 holds.
func TestTypes(t *testing.T) {
	for name, want := range map[string][]float64{
		"bool": {0, 1}, "uint8": {0, 255}, "int8": {-128, 127}, "uint16": {0, 65535}, "int16": {-32768, 32767},
		"uint32": {0, 1<<32 - 1}, "int32": {-1 << 31, 1<<31 - 1}, "uint64": {0, 1 << 53}, "int64": {-1 << 53, 1 << 53},
		"float16": {-1.5, 65504}, "float32": {-1.5, 0x1p100}, "float64": {-1.5, 1e300},
	} {
		raw, err := os.ReadFile(filepath.Join("testdata", name+".npy"))
		if err != nil {
			t.Fatal(err)
		}
		in := bytes.NewReader(raw)
		h, err := ReadHeader(in)
		if err != nil || !h.Readable() || h.Fortran || !slices.Equal(h.Shape, []int{2, 2}) || h.Count != 4 || h.CheckSize(int64(in.Len())) != nil {
			t.Errorf("%s: header %+v, error %v", name, h, err)
			continue
		}
		var got []float64
		err = h.Numbers(in, func(i int, x float64) error {
			got = append(got, x)
			return nil
		})
		if want = append(want, 1, 0); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %v, error %v, want %v", name, got, err, want)
		}
		if again := AppendHeader(nil, h.Type, h.Shape); len(again)%64 != 0 || !bytes.Equal(bytes.TrimRight(again, " \n"), bytes.TrimRight(raw[:h.Bytes], " \n")) {
			t.Errorf("%s: header %q, NumPy writes %q", name, again, raw[:h.Bytes])
		}
	}
}

// Types without numbers have a header that names the type, or are not read at all.
func TestOtherTypes(t *testing.T) {
	for name, want := range map[string]string{"objects": "|O", "words": "<U3", "fields": ""} {
		in, err := os.Open(filepath.Join("testdata", name+".npy"))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		h, err := ReadHeader(in)
		if h.Readable() || h.Type != want || (err != nil) != (want == "") {
			t.Errorf("%s: header %+v, error %v", name, h, err)
		}
	}
}

// The numbers of a file that is shorter or longer than its shape are an error, and so is what visit
// returns.
func TestNumbersRefuses(t *testing.T) {
	raw, err := os.ReadFile("testdata/int32.npy")
	if err != nil {
		t.Fatal(err)
	}
	numbers := func(raw []byte, visit func(int, float64) error) error {
		in := bytes.NewReader(raw)
		h, err := ReadHeader(in)
		if err != nil {
			t.Fatal(err)
		}
		return h.Numbers(in, visit)
	}
	pass := func(int, float64) error { return nil }
	stop := errors.New("stop")
	for want, err := range map[string]error{
		"number 3: unexpected EOF":                   numbers(raw[:len(raw)-1], pass),
		"number 0: EOF":                              numbers(raw[:len(raw)-16], pass),
		"after the numbers: more bytes than the sha": numbers(append(raw, 0), pass),
		"stop": numbers(raw, func(int, float64) error { return stop }),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
