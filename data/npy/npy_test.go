package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
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

// Headers as other programs write them. NumPy 2.4.6 reads those that are read here, and refuses the
// others but for the last two.
func TestSpellings(t *testing.T) {
	for header, reads := range map[string]bool{
		"{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}":                 true,
		"{'descr':'<f4','fortran_order':False,'shape':(2,3)}":                       true,
		`{"descr": "<f4", "fortran_order": False, "shape": (2, 3), }`:               true,
		"{u'descr': u'<f4', 'fortran_order': False, 'shape': (2L, 3L), }":           true,
		"{'descr': '=f4', 'fortran_order': False, 'shape': (2, 3,), }":              true,
		"{'descr': 'f4', 'fortran_order': False, 'shape': (2, 3), }":                true,
		"{'descr': '|f4', 'fortran_order': False, 'shape': (2, 3), }":               true,
		"{'descr': 'float32', 'fortran_order': False, 'shape': (2, 3), }":           true,
		"{'descr': '<f', 'fortran_order': False, 'shape': (2, 3), }":                true,
		" { 'descr' :\t'<f4' ,\n'fortran_order' : False , 'shape' :( 2 , 3 ) , }":   true,
		"{'descr': '<f4', 'fortran_order': False, 'shape': [2, 3], }":               false,
		"{'descr': '<f4', 'fortran_order': 0, 'shape': (2, 3), }":                   false,
		"{'descr': '<f4', 'fortran_order': False, 'shape': 6, }":                    false,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), 'x': 1}":         false,
		"{'descr': '<f4', 'fortran_order': False, }":                                false,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), ,}":              false,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)":                  false,
		"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}": false,
		"{'descr': '<f4', 'fortran_order': False, 'shape': (0x2, 3), }":             false,
	} {
		raw := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
		h, err := ReadHeader(bytes.NewReader(append(raw, header...)))
		if want := (Header{Type: "<f4", Shape: []int{2, 3}, Count: 6, Bytes: 10 + len(header)}); reads {
			h.sides = ""
			if err != nil || !reflect.DeepEqual(h, want) {
				t.Errorf("%q: header %+v, error %v, want %+v", header, h, err, want)
			}
		} else if err == nil {
			t.Errorf("%q: header %+v, want an error", header, h)
		}
	}
	// numpy.dtype(name).str, on a machine of little-endian order.
	for name, want := range map[string]string{"?": "|b1", "<b1": "|b1", ">u1": "|u1", "B": "|u1", "b": "|i1", "h": "<i2", "uint64": "<u8", "e": "<f2", "d": "<f8", "bool": "|b1", ">f4": ">f4", "O": "O"} {
		if got := usual(name); got != want {
			t.Errorf("type %s: %s, want %s", name, got, want)
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
