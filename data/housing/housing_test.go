package housing

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dplab/dplab/data/internal/rawfile"

	"github.com/dplab/dplab/data"
)

// Rows that we made up: the value of the second is the threshold itself.
const rows = `-114,42,52,1000,100,10,10000,15,179999.9
-124.000000,32,0,1,10,100,1000,0,180000.000000
`

// small writes a file that load reads; the checksum is that of sums, if given.
func small(t *testing.T, content, sums string) (string, source) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, set), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, set, fileName), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(sums))
	return dir, source{sum: rawfile.SHA256(hex.EncodeToString(sum[:])), count: 2}
}

// The wants are the scales worked out by hand for numbers that make them simple.
func TestLoad(t *testing.T) {
	dir, s := small(t, rows, rows)
	d, err := s.load(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float32{{1, 1, 1, 0, -1, -2, 1, 2}, {-1, -1, -1, -3, -2, -1, 0, -1}}
	for i, row := range want {
		for j, x := range row {
			if got := d.Row(i)[j]; math.Abs(float64(got-x)) > 1e-6 {
				t.Errorf("row %d, %s: %g, want %g", i, scales[j].name, got, x)
			}
		}
		if d.Labels[i] != int32(i) {
			t.Errorf("row %d: label %d, want %d", i, d.Labels[i], i)
		}
	}
	if d.Len() != 2 || d.Classes != 2 {
		t.Errorf("%d examples of %d classes, want 2 and 2", d.Len(), d.Classes)
	}
}

func TestErrors(t *testing.T) {
	line := strings.SplitN(rows, "\n", 2)[0] + "\n"
	for want, content := range map[string]string{
		"line 1 has 8 fields: must have 9":        strings.Replace(rows, "-114,", "", 1),
		`line 2: latitude "x": must be a finite`:  line + strings.Replace(line, ",42,", ",x,", 1),
		`line 1: total_rooms "0": must be > 0`:    strings.Replace(rows, ",1000,", ",0,", 1),
		`line 1: longitude "-1e300": must be`:     strings.Replace(rows, "-114", "-1e300", 1),
		`line 1: longitude "-1_14": must be a fi`: strings.Replace(rows, "-114", "-1_14", 1),
		`line 1: median_house_value "0x1p17"`:     strings.Replace(rows, "179999.9", "0x1p17", 1),
		`line 1: longitude "NaN"`:                 strings.Replace(rows, "-114", "NaN", 1),
		`line 1: median_house_value "-1"`:         strings.Replace(rows, "179999.9", "-1", 1),
		`line 1: median_house_value "1e999"`:      strings.Replace(rows, "179999.9", "1e999", 1),
		"1 districts: must be 2":                  line,
		"3 districts: must be 2":                  rows + line,
		"line 1 has 1 fields: must have 9":        "",
	} {
		dir, s := small(t, content, content)
		if _, err := s.load(dir); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fileName) {
			t.Errorf("error %v, want one that names %s and %q", err, fileName, want)
		}
	}
}

// A file that was cut or changed is refused before it is parsed.
func TestChecksum(t *testing.T) {
	for _, content := range []string{rows[:40], strings.Replace(rows, "15", "16", 1), ""} {
		dir, s := small(t, content, rows)
		var wrong *rawfile.ChecksumError
		if _, err := s.load(dir); !errors.As(err, &wrong) || wrong.Expected != s.sum || wrong.Found == s.sum {
			t.Errorf("content %q: error %v, want a ChecksumError that expects %v", content, err, s.sum)
		}
	}
}

func TestMissingSaysWhatToDownload(t *testing.T) {
	_, err := Load(t.TempDir())
	if !errors.Is(err, data.ErrNotFound) {
		t.Fatalf("error %v, want ErrNotFound", err)
	}
	for _, want := range []string{fileName, "a2b44dcc", "figshare", "CaliforniaHousing/cal_housing.data in this archive"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not name %q", err, want)
		}
	}
}

// The published file: 20,640 districts (Pace and Barry 1997). 10,302 have label 1 (counted by awk
// -F, '$9 >= 180000'), and all features are within 5 of the middle.
func TestPublishedFile(t *testing.T) {
	dir := os.Getenv(data.DirVariable)
	if _, err := os.Stat(filepath.Join(dir, set)); dir == "" || err != nil {
		t.Skipf("no %s files: set %s to test with them", set, data.DirVariable)
	}
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	ones := 0
	for _, label := range d.Labels {
		ones += int(label)
	}
	if d.Len() != 20640 || ones != 10302 {
		t.Errorf("%d districts, %d of label 1: want 20640 and 10302", d.Len(), ones)
	}
	for i, x := range d.Features {
		if math.Abs(float64(x)) > 5 {
			t.Errorf("district %d: %s is scaled to %g", i/width, scales[i%width].name, x)
		}
	}
}
