package scorefile

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dplab/dplab/data/npy"
)

// Files as other programs write them: all hold a member with score 1.5 and a non-member with -2000.
var scoreFiles = map[string]string{
	"plain":                       "score,member\n1.5,1\n-2e3,0\n",
	"CRLF, no end of line":        "score,member\r\n1.5,1\r\n-2000,0",
	"byte order mark, quotes":     "\xef\xbb\xbf\"score\",\"member\"\r\n 1.5 , \"1\"\r\n\"-2e3\",0\r\n\r\n",
	"pandas, to_csv":              ",score,member\n0,1.5,1\n1,-2000.0,0\n",
	"pandas, bool":                "score,member\n1.5,True\n-2000.0,False\n",
	"pandas, float":               "member,score\n1.0,1.5\n0.0,-2000.0\n",
	"pandas, other columns":       "run,loss,member,note,score\n7,,1,\"a, b\",1.5\n8,nan,0,\"he said \"\"no\"\"\",-2000\n",
	"R, write.csv":                "\"\",\"score\",\"member\"\n\"1\",1.5,TRUE\n\"2\",-2000,FALSE\n",
	"spreadsheet with semicolons": "Score;Member\r\n1.5;TRUE\r\n-2000;FALSE\r\n",
	"tabs, index":                 "\tscore\tMEMBER\n0\t1.5\t1\n1\t-2000\t0\n",
	"numpy's numbers":             "score,member\n1.500000000000000000e+00,1.000000000000000000e+00\n-2.0E+03,0.000000000000000000e+00\n",
	"comments":                    "# run 7\n  # indented\n# score,member\nscore,member\n# members first\n1.5,1\n-2000,0\n# end\n\n\n",
	"comment after the mark":      "\xef\xbb\xbf# run 7\nscore,member\n+1.5,1\n-2000.,0\n",
	"spaces in the header":        " Score , Member \n1.5,1\n-2000,0\n",
}

func TestReadReadsWhatOthersWrite(t *testing.T) {
	want := []row{{1.5, true}, {-2000, false}}
	for name, text := range scoreFiles {
		if rows, err := (Columns{}).rows(strings.NewReader(text)); err != nil || !slices.Equal(rows, want) {
			t.Errorf("%s: %v, %v", name, rows, err)
		}
	}
	named := "id,llr,is_in,score\n0,1.5,1,9\n1,-2000,0,9\n"
	if rows, err := (Columns{Score: "LLR", Member: "is_in"}).rows(strings.NewReader(named)); err != nil || !slices.Equal(rows, want) {
		t.Errorf("named columns: %v, %v", rows, err)
	}
}

// A file of another format or encoding is refused by its name, also if its first line is longer
// than a line may be. The bytes are those of the formats' specifications; UTF-16 is the encoding of
// "score,member" by package utf16.
func TestReadNamesTheFormat(t *testing.T) {
	wide := func(mark string, order binary.AppendByteOrder) string {
		text := []byte(mark)
		for _, unit := range utf16.Encode([]rune("score,member\n1,0\n2,1\n")) {
			text = order.AppendUint16(text, unit)
		}
		return string(text)
	}
	for text, want := range map[string]string{
		wide("", binary.LittleEndian): "zero byte",
		wide("", binary.BigEndian):    "zero byte",
		"\x1f\x8b\x08\x00":            "gzip",
		"\x80\x04\x95":                "pickle",
		"PAR1\x15":                    "Parquet",
		"\x89HDF\r\n":                 "HDF5",
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "must be a CSV") || !utf8.ValidString(err.Error()) {
			t.Errorf("%q: error %v, want %q", text[:min(len(text), 12)], err, want)
		}
	}
	for _, text := range []string{wide("\xff\xfe", binary.LittleEndian), wide("\xfe\xff", binary.BigEndian)} {
		if scores, err := Read(iotest.OneByteReader(strings.NewReader(text))); err != nil || !slices.Equal(scores.Member, []float64{2}) || !slices.Equal(scores.NonMember, []float64{1}) {
			t.Errorf("%.8q: %v, error %v", text, scores, err)
		}
		if _, err := Read(strings.NewReader(text[:len(text)-1])); err == nil || !strings.Contains(err.Error(), "half a character") {
			t.Errorf("%.8q without its last byte: error %v", text, err)
		}
	}
	if scores, err := Read(iotest.OneByteReader(strings.NewReader("\xef\xbb\xbfscore,member,Gr\xf6\xdfe\n1,0,1\n2,1,1\n"))); err != nil || len(scores.Member) != 1 {
		t.Errorf("%v, %v: other columns may have names in any encoding", scores, err)
	}
}

// Arrays as NumPy and pandas write them (testdata/make.py).
func TestReadArrays(t *testing.T) {
	for name, columns := range map[string]Columns{"scores.npz": {}, "scores.npy": {}, "frame.npy": {}, "named.npz": {Score: "llr", Member: "is_in"}} {
		scores, err := columns.Load("testdata/" + name)
		if err != nil || !slices.Equal(scores.Member, []float64{1.5}) || !slices.Equal(scores.NonMember, []float64{-2000}) {
			t.Errorf("%s: %v, error %v", name, scores, err)
		}
	}
	for name, want := range map[string]string{
		"bad_column.npy":  "scorefile: shape [2]: must be [n, 2], a score and a member in each row",
		"bad_member.npy":  "scorefile: member[0] is 1.5: must be 0 or 1",
		"bad_nan.npy":     "scorefile: score[1] is NaN: must be finite",
		"bad_words.npy":   "scorefile: dtype <U1: must be float64, float32, float16, an integer or bool",
		"bad_lengths.npz": "scorefile: arrays score of 2 and member of 1 numbers: must have as many",
		"bad_shape.npz":   "scorefile: array score: shape [1 2]: must be [n] or [n, 1]",
		"named.npz":       `scorefile: has no array "score": must be one of ["LLR" "is_in"] (the case of letters does not matter; Columns names others)`,
	} {
		if scores, err := Load("testdata/" + name); err == nil || !strings.Contains(err.Error(), want) || len(scores.Member) > 0 {
			t.Errorf("%s: %v, error %v, want %q", name, scores, err, want)
		}
	}
	var twice bytes.Buffer
	archive := zip.NewWriter(&twice)
	for _, name := range []string{"score.npy", "SCORE.npy", "member.npy"} {
		if _, err := archive.Create(name); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&twice); err == nil || !strings.Contains(err.Error(), `array "score" is there 2 times`) {
		t.Errorf("two arrays of one name: error %v", err)
	}
	if _, err := Read(strings.NewReader("PK\x03\x04 and more")); err == nil || !strings.Contains(err.Error(), "must be an .npz file of numpy.savez") {
		t.Errorf("a broken archive: error %v", err)
	}
}

// A small archive may unpack to gigabytes. Its size is refused before a number is read: there is
// none.
func TestDeclaredSizes(t *testing.T) {
	const declared = 100_000_001 // bytes, of one number each
	for want, shape := range map[string][]int{
		"scorefile: array score: shape [100000001], 100000129 bytes unpacked: must have at most 100000000 scores":   {declared},
		"scorefile: array score: shape [100000001 1], 100000129 bytes unpacked: must have at most 100000000 scores": {declared, 1},
		"scorefile: array score: 100000001 bytes of numbers: must be 3, of shape (3,) and type |u1":                 {3},
	} {
		var out bytes.Buffer
		archive, header := zip.NewWriter(&out), npy.AppendHeader(nil, "|u1", shape)
		file, err := archive.CreateRaw(&zip.FileHeader{Name: "score.npy", CompressedSize64: uint64(len(header)), UncompressedSize64: uint64(len(header) + declared)})
		if err == nil {
			_, err = file.Write(header)
		}
		if err == nil {
			err = archive.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&out); err == nil || err.Error() != want {
			t.Errorf("shape %v: error %v, want %s", shape, err, want)
		}
	}
}

func TestReadNamesTheLine(t *testing.T) {
	for text, want := range map[string]string{
		"":                                            "empty",
		"\n\n":                                        "empty",
		"# only a comment\n":                          "empty",
		"\nscore,member\n1,0\n":                       "line 1 is empty",
		"1,0\n2,1\n":                                  `line 1 is "1,0": must be a header that names the columns score and member`,
		"score\n1\n":                                  "must be a header",
		"score member\n1 0\n":                         "divided by commas, semicolons or tabs",
		"score,member,Score\n1,0,2\n":                 "column score appears twice",
		"score,member,x\n":                            "no scores",
		"score,member\n":                              "no scores",
		"score,member\n1,0\nnan,1\n":                  `line 3: score "nan"`,
		"score,member\n1,0\n+Inf,1\n":                 `line 3: score "+Inf"`,
		"score,member\n1e999,1\n":                     `line 2: score "1e999"`,
		"score,member\n1_000,1\n":                     `line 2: score "1_000"`,
		"score,member\n0x1p3,1\n":                     `line 2: score "0x1p3"`,
		"score,member\nx,1\n":                         `line 2: score "x"`,
		"score,member\n,1\n":                          `line 2: score ""`,
		"score;member\n1,5;1\n":                       `line 2: score "1,5": must be a finite number in decimal digits, such as -1.5`,
		"member,score\n2,1\n":                         `line 2: member "2"`,
		"score,member\n1,yes\n":                       `line 2: member "yes"`,
		"score,member\n1,0.5\n":                       `line 2: member "0.5"`,
		"score,member\n1,-1\n":                        `line 2: member "-1"`,
		"score,member\n1,\n":                          `line 2: member ""`,
		"score,member\n1\n":                           "line 2: \"1\": has 1 fields: must have 2",
		"score,member\n1,0,3\n":                       "line 2: \"1,0,3\": has 3 fields: must have 2",
		"score,member\n1,0\n\n2,1\n":                  "line 3 is empty",
		"# c\nscore,member\n# d\n1,0\n1,x":            `line 5: member "x"`,
		"score,member,t\n1,0,\"open\n2,1,x":           "line 2: \"1,0,\\\"open\": a quote is not closed",
		"score,member\n\"1\"2,0\n":                    "follows a closing quote",
		"score,member\n" + strings.Repeat("1", 3<<20): "line 2 is longer than 1048576 bytes",
		"score,member\n1,0\n# c\n2,1\n\n" + strings.Repeat("1", 3<<20): "line 6 is longer",
		strings.Repeat("score,", 1<<20):                                "line 1 is longer",
	} {
		_, err := Columns{}.rows(strings.NewReader(text))
		if s, _ := Read(strings.NewReader(text)); len(s.Member)+len(s.NonMember) > 0 {
			t.Errorf("Read(%.40q) gives %d members and %d non-members beside its error", text, len(s.Member), len(s.NonMember))
		}
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "scorefile: ") {
			t.Errorf("Read(%.40q): error %v, want one with %q", text, err, want)
		} else if strings.Contains(err.Error(), "token too long") || len(err.Error()) > 250 {
			t.Errorf("Read(%.40q): error of %d characters: %.300v", text, len(err.Error()), err)
		}
	}
	if _, err := (Columns{Score: "Member"}).Read(strings.NewReader("member\n1\n")); err == nil || !strings.Contains(err.Error(), "must differ") {
		t.Errorf("one column for both: error %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("score,member\n1,0\n2,1\n"))
	f.Add([]byte("score,member\r\n\"1\",\"0\"\r\n"))
	f.Add([]byte("\xef\xbb\xbfscore,member\n0x1p-2,1\n\n"))
	f.Add([]byte("a\tScore\tMEMBER\n\"x\"\"\ty\"\t1e3\tTrue\n#\n"))
	f.Add([]byte("sCore,memBer\n0,0\n\n0")) // gave a row beside its error
	for _, name := range []string{"scores.npy", "scores.npz", "named.npz"} {
		content, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		rows, err := Columns{}.rows(bytes.NewReader(text))
		if (err == nil) == (len(rows) == 0) {
			t.Fatalf("Read gave %d rows and error %v", len(rows), err)
		}
		for i, row := range rows {
			if math.IsNaN(row.score) || math.IsInf(row.score, 0) {
				t.Fatalf("row %d has score %g", i, row.score)
			}
		}
		isText := !bytes.HasPrefix(text, []byte("PK")) && !bytes.HasPrefix(text, []byte("\x93"))
		if lines := bytes.Count(text, []byte("\n")); isText && len(rows) > lines {
			t.Fatalf("%d rows from %d line ends", len(rows), lines)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	text.WriteString("score,member\n")
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range 50000 {
		fmt.Fprintf(&text, "%v,%d\n", rng.NormFloat64(), i%2)
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(strings.NewReader(text.String())); err != nil {
			b.Fatal(err)
		}
	}
}
