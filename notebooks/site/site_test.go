package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

const repository = "../.."

// rendered is the site of this repository.
var rendered = sync.OnceValues(func() (map[string][]byte, error) { return render(repository) })

func theSite(t *testing.T) map[string][]byte {
	t.Helper()
	files, err := rendered()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	addresses = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	anchors   = regexp.MustCompile(` id="([^"]*)"`)
	loaded    = regexp.MustCompile(`<(?:link|script|img)[^>]* (?:href|src)="(?:https?:)?//`)
)

// Every link leads to a file of the site, and to an anchor on it. No page loads anything from elsewhere.
func TestNoLinkIsBroken(t *testing.T) {
	files := theSite(t)
	known := map[string]map[string]bool{}
	for name, data := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		known[name] = map[string]bool{}
		for _, m := range anchors.FindAllSubmatch(data, -1) {
			id := html.UnescapeString(string(m[1]))
			if known[name][id] {
				t.Errorf("%s has the anchor %s twice", name, id)
			}
			known[name][id] = true
		}
		if at := loaded.Find(data); at != nil {
			t.Errorf("%s loads from the network: %s", name, at)
		}
	}
	checked := 0
	for name := range known {
		for _, m := range addresses.FindAllSubmatch(files[name], -1) {
			u, err := url.Parse(html.UnescapeString(string(m[1])))
			if err != nil || u.Scheme != "" {
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				continue
			}
			checked++
			to := name
			if u.Path != "" {
				to = path.Join(path.Dir(name), u.Path)
			}
			if _, ok := files[to]; !ok {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			} else if u.Fragment != "" && !known[to][u.Fragment] {
				t.Errorf("%s links to %s, which has no such anchor", name, m[1])
			}
		}
	}
	if checked < 10_000 {
		t.Errorf("only %d links were found", checked)
	}
}

// Markdown pages, notebooks and packages all have their page.
func TestEverythingHasAPage(t *testing.T) {
	files := theSite(t)
	for name, want := range map[string]string{
		"index.html":                   "One number in a minute",
		"notebooks/gallery/prices.svg": "<svg",
		"CONTRIBUTING.html":            "What a change needs",
		"CHANGELOG.html":               `href="`,
		"dptune/README.html":           `<a href="../pkg/dptune.html#Search"><code>Search</code></a>`,
		"notebooks/ITEMS.html":         `<a href="../src/notebooks/figures/papernot2022/figures4to6.go.html">`,
		"notebooks/quickstart.html":    `<img src="quickstart-1.svg"`,
		"pkg/accounting.html":          `id="Guarantee"`,
		"pkg/accounting/dpcost.html":   "command dpcost",
		"pkg/dptune/dpsgd.html":        `<span id="Config.ClipNorm">ClipNorm</span>`,
		"pkg/dptune/dpsgd/engine.html": `<a href="../../../pkg/dptune/dpsgd.html#Config">Config</a>`,
		"pkg/accounting/auto.html":     "Output:",
		"notebooks/quickstart-1.svg":   "<?xml",
		"src/accounting/event.go.html": "package accounting",
	} {
		if !bytes.Contains(files[name], []byte(want)) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	pages, err := filepath.Glob(repository + "/*/README.md")
	if err != nil || len(pages) < 6 {
		t.Fatal(pages, err)
	}
	for _, page := range pages {
		folder := filepath.Base(filepath.Dir(page))
		if files[folder+"/README.html"] == nil {
			t.Errorf("%s has no page", page)
		}
	}
	notebooks, err := filepath.Glob("../*.ipynb")
	if err != nil || len(notebooks) != 12 {
		t.Fatal(notebooks, err)
	}
	for _, notebook := range notebooks {
		name := "notebooks/" + strings.TrimSuffix(filepath.Base(notebook), ".ipynb") + ".html"
		if !bytes.Contains(files[name], []byte(`<pre class="cell">`)) {
			t.Errorf("%s has no page with cells", notebook)
		}
	}
}

// The search finds every exported name of every package, and the sections of pages.
func TestSearchHasEveryExportedName(t *testing.T) {
	text := bytes.TrimSuffix(bytes.TrimPrefix(theSite(t)["search-index.js"], []byte("const searchIndex = ")), []byte(";\n"))
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, e := range entries {
		found[e.Kind+" "+e.Title] = true
	}
	names := 0
	err := filepath.WalkDir(repository, func(file string, d fs.DirEntry, err error) error {
		rel, _ := filepath.Rel(repository, file) // both are relative
		if err == nil && d.IsDir() && rel != "." && (skipped(repository, filepath.ToSlash(rel)) || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go") {
			return err
		}
		if ok, err := machine.MatchFile(filepath.Split(file)); !ok {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil || f.Name.Name == "main" {
			return err
		}
		for _, name := range exportedOf(f) {
			names++
			if !found[filepath.ToSlash(filepath.Dir(rel))+" "+f.Name.Name+"."+name] {
				t.Errorf("%s: the search does not find %s", rel, name)
			}
		}
		return nil
	})
	if err != nil || names < 2000 {
		t.Errorf("%d names (%v)", names, err)
	}
	for _, section := range []string{"dplab What a guarantee means", "command accounting/dpcost", "accounting accounting.Guarantee.String"} {
		if !found[section] {
			t.Errorf("the search does not find %q", section)
		}
	}
}

// exportedOf returns the functions, types, methods, constants and variables that a file exports.
func exportedOf(f *ast.File) (names []string) {
	add := func(of string, id *ast.Ident) {
		if id.IsExported() {
			names = append(names, of+id.Name)
		}
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			of := ""
			if d.Recv != nil {
				ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok && of == "" {
						of = id.Name + "."
					}
					return of == ""
				})
			}
			if of == "" || ast.IsExported(of) {
				add(of, d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					add("", s.Name)
				case *ast.ValueSpec:
					for _, id := range s.Names {
						add("", id)
					}
				}
			}
		}
	}
	return names
}

// A browser finds names, sections and words of pages, and shows the current page in the navigation.
func TestSearchInABrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a browser")
	}
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if at, err := exec.LookPath(name); err == nil && browser == "" {
			browser = at
		}
	}
	if browser == "" {
		t.Skip("no Chromium")
	}
	out := t.TempDir()
	if err := write(out, theSite(t)); err != nil {
		t.Fatal(err)
	}
	for query, first := range map[string]string{
		"dpsgd.Config":             `<a href="../../pkg/dptune/dpsgd.html#Config">dpsgd.Config</a>`,
		"newaccountant":            `#NewAccountant">`,
		"you come from":            `<a href="../../dptune/README.html#if-you-come-from">If you come from</a>`,
		"gradient accumulation":    `WHICH.html#training">Training</a>`,
		"noise multiplier epsilon": `.html#`,
		"no such word zzz":         "Nothing found.",
	} {
		page := "file://" + filepath.ToSlash(out) + "/pkg/accounting/auto.html?q=" + url.QueryEscape(query)
		cmd := exec.CommandContext(t.Context(), browser, "--headless", "--no-sandbox", "--disable-gpu", "--user-data-dir="+t.TempDir(), "--virtual-time-budget=10000", "--dump-dom", page)
		shown, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v: %v", cmd, err)
		}
		_, results, _ := bytes.Cut(shown, []byte(`<ol class="results"`))
		result, _, _ := bytes.Cut(results, []byte("</li>"))
		if !bytes.Contains(result, []byte(first)) {
			t.Errorf("%q finds %.300s, want %s", query, result, first)
		}
		if group := regexp.MustCompile(`<details open=""><summary>Packages: accounting`); !group.Match(shown) {
			t.Error("the group of the current page is closed")
		}
	}
}

// small writes a repository with the given files.
func small(t *testing.T, files map[string]string) string {
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSmallSite(t *testing.T) {
	root := small(t, map[string]string{
		"README.md": "# Top\n\nSee [the code](a/a.go), `a.Make`, `a.None` and [β of Γ](#β-of-γ).\n\n## β of Γ\n\n## β of Γ\n",
		"a/a.go": "// Package a does it.\npackage a\n\nimport \"io\"\n\n// Kind is what [Make] makes.\ntype Kind struct {\n\tName string\n\tWriter io.Writer\n\thidden int\n}\n\n" +
			"// Make makes a [Kind]. It calls [io.EOF].\nfunc Make(Name string) (k Kind) { return }\n\nvar Long = []string{\n" + strings.Repeat("\t\"x\",\n", 20) + "}\n",
		"a/a_test.go":        "package a\n\nimport \"fmt\"\n\nfunc ExampleMake() {\n\tfmt.Println(Make(\"x < y\"))\n\t// Output: {}\n}\n",
		"notebooks/out/x.md": "# Not shown",
	})
	files, err := render(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, wants := range map[string][]string{
		"index.html": {`<a href="src/a/a.go.html">the code</a>`, `<a href="pkg/a.html#Make"><code>a.Make</code></a>`, `<code>a.None</code>`,
			`<h2 id="β-of-γ">`, `<h2 id="β-of-γ-1">`, `<title>Top · dplab</title>`},
		"pkg/a.html": {`<span id="Kind.Name">Name</span>`, `io.<a href="https://pkg.go.dev/io#Writer">Writer</a>`, `// contains filtered or unexported fields`,
			`<a href="#Kind">Kind</a>`, `func Make(Name string) (k <a href="#Kind">Kind</a>)`, `href="../src/a/a.go.html#L14">source</a>`,
			`[]string{…}`, `fmt.Println(Make(&#34;x &lt; y&#34;))</pre>`, "<pre>{}\n</pre>", `<a href="https://pkg.go.dev/io#EOF">io.EOF</a>`},
		"src/a/a.go.html": {`<span id="L14">func Make(Name string) (k Kind) { return }`, `<a href="../../pkg/a.html">`},
		"search-index.js": {`"t":"a.Kind.Name"`, `"t":"Top"`},
	} {
		for _, want := range wants {
			if !strings.Contains(string(files[name]), want) {
				t.Errorf("%s lacks %s:\n%s", name, want, files[name])
			}
		}
	}
	if strings.Contains(string(files["search-index.js"]), "Not shown") {
		t.Error("what the runner writes is on the site")
	}
}

func TestBrokenLinkIsAnError(t *testing.T) {
	for _, text := range []string{"# A\n[b](b.md)", "# A\n![c](c.png)"} {
		if _, err := render(small(t, map[string]string{"README.md": text})); err == nil || !strings.Contains(err.Error(), "index.html links to") {
			t.Errorf("%q: error %v", text, err)
		}
	}
}

// Equal sources give equal bytes. The next site replaces what the last one left.
func TestRunWritesAndReplaces(t *testing.T) {
	if testing.Short() {
		t.Skip("renders the repository once more")
	}
	out := filepath.Join(t.TempDir(), "site")
	var said bytes.Buffer
	if err := run([]string{"-out", out}, &said, io.Discard); err != nil || !strings.Contains(said.String(), filepath.Join(out, "index.html")) {
		t.Fatalf("%q, %v", said.String(), err)
	}
	for name, want := range theSite(t) {
		if data, err := os.ReadFile(filepath.Join(out, name)); err != nil || !bytes.Equal(data, want) {
			t.Errorf("%s: two sites of the same repository differ (%v)", name, err)
		}
	}
	stale := filepath.Join(out, "stale.html")
	if err := os.WriteFile(stale, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := write(out, map[string][]byte{marker: nil, "a/b.html": []byte("b")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a file of the earlier site is still there")
	}
	if data, err := os.ReadFile(filepath.Join(out, "a", "b.html")); err != nil || string(data) != "b" {
		t.Errorf("%q, %v", data, err)
	}
	foreign := small(t, map[string]string{"mine.txt": "mine"})
	if err := write(foreign, nil); err == nil || !strings.Contains(err.Error(), "must be an empty folder") {
		t.Errorf("a folder of the user's: error %v", err)
	}
	if err := run([]string{"extra"}, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "flags only") {
		t.Errorf("an argument: error %v", err)
	}
}
