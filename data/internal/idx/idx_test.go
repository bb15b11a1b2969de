package idx

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// file builds an IDX file from its magic number, sizes and body.
func file(magic uint32, sizes []uint32, body ...byte) []byte {
	out := binary.BigEndian.AppendUint32(nil, magic)
	for _, size := range sizes {
		out = binary.BigEndian.AppendUint32(out, size)
	}
	return append(out, body...)
}

func TestParse(t *testing.T) {
	got, err := Parse("file", file(0x0803, []uint32{2, 1, 3}, 1, 2, 3, 4, 5, 6))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Sizes, []int{2, 1, 3}) || !slices.Equal(got.Bytes, []byte{1, 2, 3, 4, 5, 6}) {
		t.Errorf("Parse = %+v", got)
	}
	if got, err := Parse("empty", file(0x0802, []uint32{0, 1 << 31})); err != nil || len(got.Bytes) != 0 {
		t.Errorf("an array without elements: %+v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	cases := []struct {
		name string
		raw  []byte
		want string
	}{
		{"nothing", nil, "0 bytes"},
		{"short magic", []byte{0, 0, 8}, "3 bytes"},
		{"magic of another format", file(0x1f8b0801, []uint32{1}, 1), "magic number 0x1f8b0801"},
		{"float elements", file(0x0d01, []uint32{1}, 0, 0, 0, 0), "magic number 0x00000d01"},
		{"no dimensions", file(0x0800, nil, 1), "magic number 0x00000800"},
		{"too many dimensions", file(0x08ff, []uint32{1}, 1), "magic number 0x000008ff"},
		{"truncated header", file(0x0803, []uint32{1, 1}), "a header of 3 dimensions takes 16"},
		{"truncated body", file(0x0802, []uint32{2, 2}, 1, 2, 3), "3 bytes after the header"},
		{"bytes left over", file(0x0801, []uint32{2}, 1, 2, 3), "3 bytes after the header"},
		{"sizes that overflow to the right product", file(0x0803, []uint32{1 << 31, 1 << 31, 4}), "must match the sizes"},
	}
	for _, c := range cases {
		_, err := Parse("some file", c.raw)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "some file") {
			t.Errorf("%s: error %v: want one with %q and the file", c.name, err, c.want)
		}
	}
}

func ExampleParse() {
	raw := []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 2, 1} // three labels
	labels, err := Parse("labels", raw)
	fmt.Println(labels.Sizes, labels.Bytes, err)
	_, err = Parse("labels", raw[:10])
	fmt.Println(err)
	// Output:
	// [3] [7 2 1] <nil>
	// idx: labels: 2 bytes after the header: must match the sizes [3] (truncated, or bytes left over)
}

// FuzzParse checks that no input panics, and that an accepted one has sizes whose product
// is the length of the body.
func FuzzParse(f *testing.F) {
	f.Add(file(0x0803, []uint32{2, 1, 3}, 1, 2, 3, 4, 5, 6))
	f.Add(file(0x0801, []uint32{0}))
	f.Add(file(0x0803, []uint32{1 << 31, 1 << 31, 4}))
	f.Add([]byte{0, 0, 8})
	f.Fuzz(func(t *testing.T, raw []byte) {
		a, err := Parse("fuzz", raw)
		if err != nil {
			return
		}
		product := 1
		for _, size := range a.Sizes {
			product *= size
		}
		if product != len(a.Bytes) || len(raw) != 4+4*len(a.Sizes)+len(a.Bytes) {
			t.Errorf("%d bytes: sizes %v with %d elements", len(raw), a.Sizes, len(a.Bytes))
		}
	})
}
