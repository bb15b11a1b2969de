package images

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// pillow returns what Pillow decodes of the images in testdata/colors, in their order.
func pillow(t *testing.T) (names []string, pixels [][]float64) {
	t.Helper()
	text, err := os.ReadFile("testdata/values.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		names, pixels = append(names, words[0]), append(pixels, nil)
		for _, word := range words[1:] {
			v, err := strconv.Atoi(word)
			if err != nil {
				t.Fatal(err)
			}
			pixels[len(pixels)-1] = append(pixels[len(pixels)-1], float64(v))
		}
	}
	return names, pixels
}

// Images are what Pillow makes of them, divided by 255. PNGs are equal to the bit. Of the JPEG, two
// decoders may differ by 2 levels: each rounds the cosine transform and the colors by itself.
func TestLoad(t *testing.T) {
	d, err := Folder{Classes: []string{"cat", "dog"}}.Load("testdata/colors")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(d.Labels, []int32{0, 0, 0, 1, 1, 1}) || !slices.Equal(d.Shape, []int{4, 5, 3}) || d.Classes != 2 || d.Name != "colors" {
		t.Fatalf("read %v of shape %v, %d classes, name %q", d.Labels, d.Shape, d.Classes, d.Name)
	}
	names, want := pillow(t)
	for i, name := range names {
		far := 0.0
		for j, x := range d.Row(i) {
			far = max(far, math.Abs(float64(x)*255-want[i][j]))
			if !strings.HasSuffix(name, ".jpg") && x != float32(want[i][j])/255 {
				t.Errorf("%s: number %d is %g, want %g", name, j, x, want[i][j]/255)
			}
		}
		if far > 2 {
			t.Errorf("%s: differs from Pillow by %.2f of 255", name, far)
		}
	}
	again, err := Folder{Name: "pets", Classes: []string{"dog", "cat"}, Height: 4, Width: 5, Channels: 3}.Load("testdata/colors")
	if err != nil || again.Name != "pets" || !slices.Equal(again.Labels, []int32{0, 0, 0, 1, 1, 1}) || !slices.Equal(again.Row(3), d.Row(0)) {
		t.Errorf("classes in another order: %v, error %v", again.Labels, err)
	}
}

// Two images of other sizes are resized to what Pillow makes of their numbers in 32 bits
// (testdata/make.py). It rounds to 32 bits after rows and after columns, so numbers differ by at
// most a few roundings.
func TestResize(t *testing.T) {
	text, err := os.ReadFile("testdata/resized.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		var want []float64
		for _, word := range strings.Fields(line) {
			v, err := strconv.ParseFloat(word, 64)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, v)
		}
		f := Folder{Classes: []string{"cat", "dog"}, Height: int(want[0]), Width: int(want[1]), Resize: true}
		d, err := f.Load("testdata/sizes")
		if err != nil || d.Len() != 2 || len(d.Features) != len(want)-2 {
			t.Fatalf("%d images, %d numbers, error %v", d.Len(), len(d.Features), err)
		}
		for j, x := range d.Features {
			if math.Abs(float64(x)-want[2+j]) > 2.5e-7 {
				t.Errorf("%g rows: number %d is %g, want %g", want[0], j, x, want[2+j])
			}
		}
	}
	if _, err := (Folder{Classes: []string{"cat", "dog"}}).Load("testdata/sizes"); err == nil || !strings.Contains(err.Error(), "13 rows, 3 columns: must be 7, 23, as declared or as the first image (or set Folder.Resize") {
		t.Errorf("without Resize: error %v", err)
	}
	if err := (Folder{Classes: []string{"cat", "dog"}, Resize: true}).Validate(); err == nil || !strings.Contains(err.Error(), "Folder.Height 0: must be given with Resize") {
		t.Errorf("Resize without a size: error %v", err)
	}
}

// A ramp stays a ramp, but at its ends and where windows are not symmetric. No weight is lost.
func TestResizeClosedForms(t *testing.T) {
	const in = 60
	line := make([]float32, in)
	for j := range line {
		line[j] = float32(j) + 0.5
	}
	for _, out := range []int{7, 20, 60, 61, 300} {
		got := appendMeans(nil, line, triangle(in, out), 1)
		step := float64(in) / float64(out)
		for i, x := range got {
			center := (float64(i) + 0.5) * step
			if inside := center-max(1, step) >= 0 && center+max(1, step) <= in; inside && (out >= in || in%out == 0) && math.Abs(float64(x)-center) > 1e-5 {
				t.Errorf("%d places: place %d of a ramp is %g, want %g", out, i, x, center)
			}
			if x < line[0] || x > line[in-1] {
				t.Errorf("%d places: place %d is %g, outside of the image", out, i, x)
			}
		}
		for i, w := range triangle(in, out) {
			sum := 0.0
			for _, weight := range w.weights {
				sum += weight
			}
			if math.Abs(sum-1) > 1e-14 {
				t.Errorf("%d places: weights of place %d add up to %g", out, i, sum)
			}
		}
	}
}

// Gray images of 1, 8 and 16 bits are scaled by their largest value. Given channels convert.
func TestChannels(t *testing.T) {
	f := Folder{Classes: []string{"even", "odd"}}
	d, err := f.Load("testdata/grays")
	if err != nil || !slices.Equal(d.Shape, []int{4, 5, 1}) {
		t.Fatalf("shape %v, error %v", d.Shape, err)
	}
	for j := range 20 { // as testdata/make.py computes them
		gray := j%5*10 + j/5*60
		above := float32(0)
		if gray > 100 {
			above = 1
		}
		want := []float32{float32(gray*257+1) / 65535, float32(gray) / 255, above, 0.2}
		for i := range want {
			if got := d.Row(i)[j]; got != want[i] {
				t.Errorf("image %d, number %d: %g, want %g", i, j, got, want[i])
			}
		}
	}
	f.Channels = 3
	if three, err := f.Load("testdata/grays"); err != nil || !slices.Equal(three.Row(1)[57:], slices.Repeat(d.Row(1)[19:], 3)) {
		t.Errorf("gray as colors: shape %v, error %v", three.Shape, err)
	}
	gray, err := Folder{Classes: []string{"cat", "dog"}, Channels: 1}.Load("testdata/colors")
	if err != nil {
		t.Fatal(err)
	}
	names, want := pillow(t)
	for j, x := range gray.Row(slices.Index(names, "cat/b.png")) {
		p := want[slices.Index(names, "cat/b.png")][3*j:]
		if luma := (0.299*p[0] + 0.587*p[1] + 0.114*p[2]) / 255; math.Abs(float64(x)-luma) > 1e-7 {
			t.Errorf("number %d is %g, want %g", j, x, luma)
		}
	}
}

// place copies testdata files into a new folder.
func place(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for _, class := range []string{"cat", "dog"} {
		if err := os.Mkdir(filepath.Join(dir, class), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for to, from := range files {
		raw, err := os.ReadFile(filepath.Join("testdata", from))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, to), raw, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Each error names the file and the rule, with the way out.
func TestLoadRefuses(t *testing.T) {
	const good = "colors/cat/b.png"
	for from, want := range map[string]string{
		"bad/size.png":     "images: cat/x: 5 rows, 4 columns: must be 4, 5, as declared or as the first image (or set Folder.Resize, which resizes each by itself)",
		"bad/gray.png":     "images: cat/x: 1 channels: must be 3, as the first image (or give Folder.Channels, which converts)",
		"bad/cmyk.jpg":     "images: cat/x: is in CMYK: must be gray or RGB",
		"bad/animated.png": "images: cat/x: is an animated PNG: must be one image",
		"bad/picture.gif":  "images: cat/x: must be a PNG or JPEG image (or its name in Folder.Ignore)",
		"bad/clear.png":    "images: cat/x: the pixel in row 2, column 3 is transparent: must be opaque",
		"bad/cut.png":      "images: cat/x: png: invalid format: not enough pixel data",
		"bad/cut.jpg":      "images: cat/x: unexpected EOF",
		"make.py":          "images: cat/x: must be a PNG or JPEG image",
	} {
		dir := place(t, map[string]string{"cat/a.png": good, "cat/x": from})
		d, err := Folder{Classes: []string{"cat", "dog"}}.Load(dir)
		if err == nil || !strings.Contains(filepath.ToSlash(err.Error()), want) || d.Len() > 0 {
			t.Errorf("%s: %d images, error %v, want %s", from, d.Len(), err, want)
		}
		if d, err := (Folder{Classes: []string{"cat", "dog"}, Ignore: []string{"x"}}).Load(dir); err != nil || d.Len() != 1 {
			t.Errorf("%s ignored: %d images, error %v", from, d.Len(), err)
		}
	}
	if _, err := (Folder{Classes: []string{"cat", "dog"}, Height: 8, Width: 8}).Load(place(t, map[string]string{"cat/x": good})); err == nil || !strings.Contains(err.Error(), "4 rows, 5 columns: must be 8, 8") {
		t.Errorf("another size than declared: error %v", err)
	}
}

// Several faults are reported at once, and no more than ten.
func TestManyFaults(t *testing.T) {
	files := map[string]string{}
	for i := range 20 {
		files[fmt.Sprintf("dog/%02d.png", i)] = "make.py"
	}
	_, err := Folder{Classes: []string{"cat", "dog"}}.Load(place(t, files))
	if err == nil || strings.Count(err.Error(), "\n") != 10 || !strings.Contains(err.Error(), "reading ended after 10 faults") {
		t.Errorf("error %v, want 10 faults and a last line", err)
	}
}

// A class may be empty. It must have a folder, and every folder is a class or ignored.
func TestFolders(t *testing.T) {
	dir := place(t, map[string]string{"cat/a.png": "colors/cat/b.png", "cat/.hidden": "make.py", ".hidden": "make.py", "labels.csv": "make.py"})
	f := Folder{Classes: []string{"cat", "dog"}, Ignore: []string{"labels.csv"}}
	if d, err := f.Load(dir); err != nil || d.Len() != 1 || d.Classes != 2 {
		t.Errorf("an empty class: %d images of %d classes, error %v", d.Len(), d.Classes, err)
	}
	if err := os.Mkdir(filepath.Join(dir, "cat", "more"), 0o755); err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]Folder{
		"images: labels.csv: must be a class in Folder.Classes, or in Folder.Ignore": {Classes: []string{"cat", "dog"}},
		"images: dog: must be a class in Folder.Classes":                             {Classes: []string{"cat", "horse"}},
		`has no folder "horse": must have one for each class, empty if`:              {Classes: []string{"cat", "horse"}},
		"more: must be a file": {Classes: []string{"cat", "dog"}, Ignore: []string{"labels.csv"}},
	} {
		if _, err := f.Load(dir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := f.Load(place(t, nil)); err == nil || !strings.Contains(err.Error(), "has no image: must have at least one PNG or JPEG") {
		t.Errorf("no image: error %v", err)
	}
	if _, err := f.Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: error %v", err)
	}
}

func TestValidate(t *testing.T) {
	err := Folder{Classes: []string{"", "a/b", ".c", "d", "d", "e"}, Ignore: []string{"e"}, Height: 3, Channels: 4}.Validate()
	for _, want := range []string{
		`images: Folder.Classes[0] "": must be the name of one subfolder`, `Classes[1] "a/b": must be`, `Classes[2] ".c": must be`, `Classes[4] "d": must occur once`,
		`Classes[5] "e": must not be in Ignore`, "Folder.Height 3, Width 0: must both be >= 1, or both 0", "Folder.Channels 4: must be 1, 3 or 0",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
	if _, err := (Folder{}).Load("testdata/colors"); err == nil || !strings.Contains(err.Error(), "Folder.Classes has 0 names: must have at least 2") {
		t.Errorf("no classes: error %v", err)
	}
}

// A PNG of some bytes may declare gigabytes: it is refused before memory is taken.
func TestDeclaredSizesTakeNoMemory(t *testing.T) {
	chunk := []byte("IHDR" + "\x00\x01\x00\x00" + "\x00\x01\x00\x00" + "\x08\x02\x00\x00\x00") // 65,536 x 65,536, RGB
	raw := append([]byte(pngStart+"\x00\x00\x00\x0d"), chunk...)
	raw = binary.BigEndian.AppendUint32(raw, crc32.ChecksumIEEE(chunk))
	dir := place(t, nil)
	if err := os.WriteFile(filepath.Join(dir, "cat", "x.png"), append(raw, "\x00\x00\x00\x00IDAT"...), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := Folder{Classes: []string{"cat", "dog"}}.Load(dir)
	runtime.ReadMemStats(&after)
	if err == nil || !strings.Contains(err.Error(), "65536 rows, 65536 columns: must be at most 67108864 pixels") {
		t.Errorf("error %v", err)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
		t.Errorf("took %d bytes", took)
	}
	r := reader{images: 1 << 20}
	if err := r.accept(image.Config{ColorModel: nil, Height: 64, Width: 64}); err == nil || !strings.Contains(err.Error(), "1048576 images of 64 rows, 64 columns, 3 channels: must be at most 2147483648 numbers") {
		t.Errorf("many images: error %v", err)
	}
}
