package safetensors

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
)

// bytesOf returns a file of a header and values.
func bytesOf(header string, values ...byte) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), values...)
}

// A file by hand, from the format's description: spaces after the header, a tensor without values,
// one of no dimensions, another order in the header than in the bytes.
func TestReadByHand(t *testing.T) {
	file, err := Read(bytes.NewReader(bytesOf(
		`{"b":{"dtype":"F32","shape":[2],"data_offsets":[2,10]},"__metadata__":{"format":"pt"},"a":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},`+
			`"none":{"dtype":"F64","shape":[3,0],"data_offsets":[10,10]},"n":{"dtype":"I8","shape":[1],"data_offsets":[10,11]}}   `,
		0xC0, 0xBF, // -1.5: 1 01111111 1000000
		0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, // 1 and 2
		7)))
	want := File{Metadata: map[string]string{"format": "pt"}, Tensors: []Tensor{
		{Name: "a", Type: "BF16", Shape: []int{}, Values: []float64{-1.5}},
		{Name: "b", Type: "F32", Shape: []int{2}, Values: []float64{1, 2}},
		{Name: "none", Type: "F64", Shape: []int{3, 0}, Values: []float64{}},
		{Name: "n", Type: "I8", Shape: []int{1}},
	}}
	if err != nil || !reflect.DeepEqual(file, want) {
		t.Errorf("read %+v, error %v, want %+v", file, err, want)
	}
}

// Types of 2025 and 2026, and one that does not exist yet, stand next to the tensor that is asked
// for. safetensors 0.8.0 reads all but the last of these files.
func TestTypesPassedOver(t *testing.T) {
	for kind, bytesOfFour := range map[string]int{"F4": 2, "F6_E2M3": 3, "F6_E3M2": 3, "F8_E4M3FNUZ": 4, "F8_E5M2FNUZ": 4, "C64": 32, "I2_NEW": 7} {
		header := fmt.Sprintf(`{"a":{"dtype":%q,"shape":[2,2],"data_offsets":[0,%d]},"b":{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}}`+" \n\t\r", kind, bytesOfFour, bytesOfFour, bytesOfFour+4)
		file, err := Read(bytes.NewReader(bytesOf(header, append(make([]byte, bytesOfFour), 0, 0, 0x80, 0x3F)...)))
		want := []Tensor{{Name: "a", Type: kind, Shape: []int{2, 2}}, {Name: "b", Type: "F32", Shape: []int{1}, Values: []float64{1}}}
		if err != nil || !reflect.DeepEqual(file.Tensors, want) {
			t.Errorf("%s: read %+v, error %v, want %+v", kind, file.Tensors, err, want)
		}
	}
}

// Numbers of 16 bits are those that PyTorch makes of them: see testdata/make_network.py of package
// weights.
func TestHalves(t *testing.T) {
	in, err := os.Open("../testdata/halves.safetensors")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	file, err := Read(in)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]Tensor{}
	for _, tensor := range file.Tensors {
		by[tensor.Name] = tensor
	}
	for _, name := range []string{"half", "brain"} {
		got, want := by[name].Values, by[name+".double"].Values
		if len(got) != 10 || len(want) != 10 {
			t.Fatalf("%s: %d numbers, and %d as doubles", name, len(got), len(want))
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) {
				t.Errorf("%s %d is %g, want %g", name, i, got[i], want[i])
			}
		}
	}
	if count := by["count"]; count.Type != "I64" || count.Values != nil || len(count.Shape) != 0 {
		t.Errorf("count is %+v", count)
	}
}

func TestWriteThenRead(t *testing.T) {
	file := File{Metadata: map[string]string{"guarantee": "(1, 1e-5)-DP <ε>"}, Tensors: []Tensor{
		{Name: "0.weight", Shape: []int{2, 2}, Values: []float64{0, -0.5, math.Inf(1), 3}},
		{Name: "a third", Shape: []int{1}, Values: []float64{1. / 3}},
		{Name: "a third, rounded", Type: "F32", Shape: []int{1}, Values: []float64{1. / 3}},
		{Name: "none", Type: "F64", Shape: []int{0, 4}},
	}}
	var first, second bytes.Buffer
	if err := Write(&first, file); err != nil {
		t.Fatal(err)
	}
	if err := Write(&second, file); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Errorf("the same file is written in another way, error %v", err)
	}
	if header := binary.LittleEndian.Uint64(first.Bytes()); header%8 != 0 {
		t.Errorf("values begin after %d bytes: must be a multiple of 8", 8+header)
	}
	got, err := Read(&first)
	file.Tensors[0].Type, file.Tensors[1].Type = "F32", "F64"
	file.Tensors[2].Values = []float64{float64(float32(1. / 3))}
	file.Tensors[3].Values = []float64{}
	if err != nil || !reflect.DeepEqual(got, file) {
		t.Errorf("read %+v, error %v, want %+v", got, err, file)
	}
}

func TestReadRefuses(t *testing.T) {
	one := `{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`
	two := func(first, second string) []byte {
		return bytesOf(`{"a":{"dtype":"F32","shape":[1],"data_offsets":`+first+`},"b":{"dtype":"F32","shape":[1],"data_offsets":`+second+`}}`, make([]byte, 8)...)
	}
	// Of the cases of null, capitals and repeated fields, safetensors 0.8.0 refuses all but
	// repeated metadata.
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"nothing":               {nil, "the length of the header, 8 bytes: EOF"},
		"three bytes":           {[]byte{1, 2, 3}, "the length of the header, 8 bytes: unexpected EOF"},
		"a header of no end":    {bytes.Repeat([]byte{0xFF}, 20), "length of the header 18446744073709551615: must be in [2, 100000000]"},
		"a header cut off":      {bytesOf(one)[:20], "ends after 12 bytes of the header: must have 54"},
		"values cut off":        {bytesOf(one, 1, 2, 3), "ends after 3 bytes of values: must have 4"},
		"bytes after":           {bytesOf(one, 1, 2, 3, 4, 5), "has bytes after the values of the last tensor"},
		"no object":             {bytesOf("[1,2]"), "must be a JSON object"},
		"a space before":        {bytesOf(" {}"), "must be a JSON object"},
		"bad JSON":              {bytesOf(`{"a":`), "header: tensor \"a\": "},
		"bad UTF-8":             {bytesOf("{\"\xFF\":1}"), "in UTF-8"},
		"text after":            {bytesOf(`{} {}`), "2 bytes after the object: must be white space"},
		"a name twice":          {bytesOf(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]},"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`), `"a": must occur once`},
		"a field too many":      {bytesOf(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0],"x":1}}`), `"x": must be dtype, shape or data_offsets`},
		"no offsets":            {bytesOf(`{"a":{"dtype":"F32","shape":[0]}}`), `data_offsets []: must be two numbers`},
		"three offsets":         {bytesOf(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0,0]}}`), `data_offsets [0 0 0]: must be two numbers`},
		"no shape":              {bytesOf(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 1, 2, 3, 4), `tensor "a": shape is missing`},
		"a shape of null":       {bytesOf(`{"a":{"dtype":"F32","shape":null,"data_offsets":[0,4]}}`, 1, 2, 3, 4), `tensor "a": shape: must be a list of numbers`},
		"a side of null":        {bytesOf(`{"a":{"dtype":"F32","shape":[null],"data_offsets":[null,0]}}`), `tensor "a": shape: number 0: must be whole`},
		"a side of 1.0":         {bytesOf(`{"a":{"dtype":"F32","shape":[2,1.0],"data_offsets":[0,8]}}`), `tensor "a": shape: number 1: must be whole and below 2^63, is 1.0`},
		"a type of null":        {bytesOf(`{"a":{"dtype":null,"shape":[0],"data_offsets":[0,0]}}`), `tensor "a": dtype: must be a text`},
		"a tensor of null":      {bytesOf(`{"a":null}`), `tensor "a": must be an object`},
		"names in capitals":     {bytesOf(`{"a":{"DTYPE":"F32","Shape":[1],"data_OFFSETS":[0,4]}}`, 1, 2, 3, 4), `"DTYPE": must be dtype, shape or data_offsets`},
		"a field twice":         {bytesOf(`{"a":{"dtype":"F64","dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1, 2, 3, 4), `tensor "a": "dtype": must occur once`},
		"metadata twice":        {bytesOf(`{"__metadata__":{"a":"1","a":"2"}}`), `"__metadata__": must be an object of texts: "a": must occur once`},
		"metadata of null":      {bytesOf(`{"__metadata__":{"a":null}}`), `"__metadata__": must be an object of texts: must be a text`},
		"metadata of numbers":   {bytesOf(`{"__metadata__":{"a":1}}`), "must be an object of texts"},
		"no type":               {bytesOf(`{"a":{"shape":[1],"data_offsets":[0,4]}}`), `tensor "a": dtype is missing`},
		"half a byte":           {bytesOf(`{"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}}`), "12 bits, of F4 of shape [3]: must be whole bytes"},
		"F6 of another size":    {bytesOf(`{"a":{"dtype":"F6_E2M3","shape":[4],"data_offsets":[0,4]}}`), "must be 3 bytes, of F6_E2M3"},
		"a negative side":       {bytesOf(`{"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}}`), "shape [-1]: must have sides in"},
		"a shape of other size": {bytesOf(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 1, 2, 3, 4), "data_offsets [0 4]: must be 8 bytes, of F32 of shape [2]"},
		"too many values":       {bytesOf(`{"a":{"dtype":"F32","shape":[2147483647,2147483647,2147483647],"data_offsets":[0,4]}}`), "must have fewer values"},
		"an overlap":            {two("[0,4]", "[0,4]"), `tensor "b": data_offsets [0 4]: must begin at 4`},
		"a gap":                 {two("[0,4]", "[5,9]"), `tensor "b": data_offsets [5 9]: must begin at 4`},
		"a gap before":          {two("[4,8]", "[8,12]"), `tensor "a": data_offsets [4 8]: must begin at 0`},
		"ends exchanged":        {two("[4,0]", "[4,8]"), `tensor "a": data_offsets [4 0]: must be 4 bytes`},
	} {
		if _, err := Read(bytes.NewReader(c.content)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestWriteRefuses(t *testing.T) {
	good := Tensor{Name: "a", Shape: []int{1}, Values: []float64{1}}
	for want, change := range map[string]func(*Tensor){
		`Tensors[1].Name "a": must be UTF-8, occur once`:    func(t *Tensor) { t.Name = "a" },
		`Tensors[1].Name "": must be UTF-8`:                 func(t *Tensor) { t.Name = "" },
		`Tensors[1].Name "__metadata__"`:                    func(t *Tensor) { t.Name = metadata },
		`tensor "b": Type "F16": must be F32, F64 or empty`: func(t *Tensor) { t.Type = "F16" },
		`tensor "b": 1 values: must be 2, of shape [2]`:     func(t *Tensor) { t.Shape = []int{2} },
		`tensor "b": Shape [-1]: must have sides >= 0`:      func(t *Tensor) { t.Shape = []int{-1} },
	} {
		bad := good
		bad.Name = "b"
		change(&bad)
		if err := Write(&bytes.Buffer{}, File{Tensors: []Tensor{good, bad}}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
}

// Any bytes give an error or a file with tensors that have as many values as their shapes. A file
// that can be written is read again unchanged.
func FuzzRead(f *testing.F) {
	f.Add(bytesOf(`{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}`, 1, 2, 3, 4))
	f.Add(bytesOf(`{"__metadata__":{"a":"b"},"a":{"dtype":"F16","shape":[],"data_offsets":[0,2]}} `, 1, 2))
	f.Add(bytesOf(`{}`))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := Read(bytes.NewReader(content))
		if err != nil {
			return
		}
		var out bytes.Buffer
		writable := File{Metadata: file.Metadata}
		for _, tensor := range file.Tensors {
			count := 1
			for _, side := range tensor.Shape {
				count *= side
			}
			if tensor.Values == nil {
				continue
			}
			if len(tensor.Values) != count {
				t.Errorf("%d values of shape %v", len(tensor.Values), tensor.Shape)
			}
			tensor.Type = "F64"
			if tensor.Name != "" {
				writable.Tensors = append(writable.Tensors, tensor)
			}
		}
		if err := Write(&out, writable); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&out)
		if err != nil || len(again.Tensors) != len(writable.Tensors) {
			t.Fatalf("read %+v, error %v, want %+v", again, err, writable)
		}
		for i, tensor := range again.Tensors {
			for k, v := range tensor.Values {
				if math.Float64bits(v) != math.Float64bits(writable.Tensors[i].Values[k]) {
					t.Errorf("value %d of %q is %g", k, tensor.Name, v)
				}
			}
		}
	})
}
