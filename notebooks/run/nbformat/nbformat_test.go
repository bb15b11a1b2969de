package nbformat

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// jupyterFile was written by Jupyter's own library; see testdata/make.py.
const jupyterFile = "testdata/jupyter.ipynb"

// A notebook that is read and written again is the same file, unknown fields included.
func TestRoundTrip(t *testing.T) {
	want, err := os.ReadFile(jupyterFile)
	if err != nil {
		t.Fatal(err)
	}
	nb, err := ReadFile(jupyterFile)
	if err != nil {
		t.Fatal(err)
	}
	got, err := nb.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("written as\n%s\nwant what nbformat 5.11.1 wrote\n%s", got, want)
	}
	if again, err := nb.Clone().Encode(); err != nil || !bytes.Equal(again, want) {
		t.Errorf("a clone is written as\n%s (%v)", again, err)
	}
}

func TestDecode(t *testing.T) {
	nb, err := ReadFile(jupyterFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := nb.Title(); got != "A heading #" {
		t.Errorf("title %q, want the first heading", got)
	}
	code := nb.Code()
	if len(nb.Cells) != 4 || len(code) != 2 {
		t.Fatalf("%d cells and %d code cells, want 4 and 2", len(nb.Cells), len(code))
	}
	c := code[0]
	if c.Source != "%%\nfmt.Println(\"<ε & δ>\")\n" || !c.HasTag("parameters") || c.HasTag("other") || c.ExecutionCount != 3 {
		t.Errorf("cell %+v, want what make.py wrote", c)
	}
	o := c.Outputs
	if len(o) != 4 || o[0].Text != "<ε & δ>\nno line end" || o[3].Traceback[0] != "\x1b[31mexit status 2\x1b[0m" {
		t.Fatalf("outputs %+v, want what make.py wrote", o)
	}
	if text, ok := o[1].DataText("text/plain"); !ok || text != "a figure\nof two lines" {
		t.Errorf("text/plain %q, %v", text, ok)
	}
	if _, ok := o[1].DataText("application/vnd.dplab.chart+json"); ok {
		t.Error("a JSON object passes for a text")
	}
}

// Format 4.4 has no cell ids. They are made up, the same each time.
func TestDecodeOlder(t *testing.T) {
	const old = `{"cells":[{"cell_type":"markdown","metadata":{},"source":"a"},{"cell_type":"markdown","metadata":{},"source":"a"}],"metadata":{},"nbformat":4,"nbformat_minor":4}`
	nb, err := Decode([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode([]byte(old))
	if err != nil {
		t.Fatal(err)
	}
	if nb.Cells[0].ID == nb.Cells[1].ID || nb.Cells[0].ID != again.Cells[0].ID || !validID.MatchString(nb.Cells[0].ID) {
		t.Errorf("ids %q and %q, then %q: want two valid ones, the same each time", nb.Cells[0].ID, nb.Cells[1].ID, again.Cells[0].ID)
	}
	data, err := nb.Encode()
	if err != nil || !strings.Contains(string(data), `"nbformat_minor": 5`) {
		t.Errorf("written as %s (%v), want format 4.5", data, err)
	}
}

// A command to GoNB, such as %%, must end its line. A source with CR LF, as Windows writes it, is
// read as Jupyter's front ends do.
func TestLineEndsOfCells(t *testing.T) {
	for name, source := range map[string]string{"text": `"%%\r\nfmt.Println(1)\r\n"`, "lines": `["%%\r\n", "fmt.Println(1)\r\n"]`, "cut": `["%%\r", "\nfmt.Println(1)\n"]`} {
		nb, err := Decode([]byte(`{"cells":[{"cell_type":"code","id":"a","metadata":{},"source":` + source + `,"outputs":[],"execution_count":null}],"metadata":{},"nbformat":4,"nbformat_minor":5}`))
		if err != nil || nb.Cells[0].Source != "%%\nfmt.Println(1)\n" {
			t.Errorf("%s: %+v, %v, want lines that end in LF", name, nb, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	cell := func(inside string) string {
		return `{"cells":[{"cell_type":"code","id":"a","metadata":{},"source":"","outputs":[],"execution_count":null` + inside + `}],"metadata":{},"nbformat":4,"nbformat_minor":5}`
	}
	tests := []struct{ name, data, want string }{
		{"not JSON", "no", "not a notebook"},
		{"format 3", `{"worksheets":[{"cells":[]}],"metadata":{},"nbformat":3,"nbformat_minor":0}`, "format 3.0: must be 4.0 to 4.5 (jupyter nbconvert --to notebook --nbformat 4 FILE"},
		{"other JSON", `{"cells":[]}`, "not a notebook: field nbformat is missing"},
		{"no cells", `{"metadata":{},"nbformat":4,"nbformat_minor":5}`, "field cells is missing"},
		{"cell type", strings.Replace(cell(""), `"code"`, `"cod"`, 1), `cell 1: cell_type "cod"`},
		{"source", strings.Replace(cell(""), `"source":""`, `"source":7`, 1), "cell 1: field source: must be a text or a list"},
		{"no outputs", strings.Replace(cell(""), `"outputs":[],`, "", 1), "field outputs is missing"},
		{"output type", strings.Replace(cell(""), `"outputs":[]`, `"outputs":[{"output_type":"pyout"}]`, 1), `output 1: output_type "pyout"`},
		{"id", strings.Replace(cell(""), `"id":"a"`, `"id":"a b"`, 1), `id "a b": must be`},
		{"no id", strings.Replace(cell(""), `"id":"a",`, ``, 1), `id "": must be`},
	}
	for _, test := range tests {
		if _, err := Decode([]byte(test.data)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, err, test.want)
		}
	}
	if _, err := ReadFile("testdata/none.ipynb"); err == nil || !strings.Contains(err.Error(), "none.ipynb") {
		t.Errorf("error %v, want one that names the file", err)
	}
}

func TestImports(t *testing.T) {
	sources := []string{
		"%noautoget\n!*rm -f 'go.work'; echo \"import\"",
		"import (\n\t\"fmt\"\n\tm \"math\" // why\n\t_ \"embed\"\n)\nvar x = \"not/this\"",
		"import \"os\"; import . \"strings\"\n%%\nfmt.Println(\"nor/this\")",
		"%%\nimport \"sort\"\nx := `raw",
	}
	nb := &Notebook{}
	for _, s := range sources {
		nb.Cells = append(nb.Cells, NewCode("id", s))
	}
	if got, want := nb.Imports(), []string{"embed", "fmt", "math", "os", "sort", "strings"}; !reflect.DeepEqual(got, want) {
		t.Errorf("imports %q, want %q", got, want)
	}
}

// A write that fails leaves the old file and no other.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.ipynb")
	nb := &Notebook{Cells: []*Cell{NewCode("a", "x", "tag")}, Metadata: map[string]json.RawMessage{}}
	if err := nb.WriteFile(path); err != nil {
		t.Fatal(err)
	}
	if back, err := ReadFile(path); err != nil || back.Cells[0].Source != "x" || !back.Cells[0].HasTag("tag") {
		t.Errorf("came back as %+v, %v", back, err)
	}
	if err := nb.WriteFile(filepath.Join(dir, "none", "a.ipynb")); err == nil {
		t.Error("a folder that does not exist is no error")
	}
	blocked := filepath.Join(dir, "blocked")
	if err := os.Mkdir(blocked, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := nb.WriteFile(blocked); err == nil {
		t.Error("a notebook takes the place of a folder")
	}
	link := filepath.Join(t.TempDir(), "link.ipynb")
	if err := os.Symlink(path, link); err == nil { // on Windows a user may make none
		nb.Cells[0].Source = "y"
		if err := nb.WriteFile(link); err != nil {
			t.Error(err)
		}
		back, err := ReadFile(path)
		if target, errLink := os.Readlink(link); err != nil || errLink != nil || target != path || back.Cells[0].Source != "y" {
			t.Errorf("a link leads to %q, %v, %v: want it as it was, and its file written", target, err, errLink)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Errorf("the folder holds %v (%v), want the notebook and the folder only", entries, err)
	}
}
