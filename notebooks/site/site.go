package main

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dplab/dplab/notebooks/run/nbformat"
)

//go:embed page.html price.html site.css search.js price.js price-worker.js
var assets embed.FS

var templates = template.Must(template.New("").Funcs(template.FuncMap{"line": func(i int) int { return i + 1 }}).ParseFS(assets, "page.html", "price.html"))

// site is what a rendering has so far. Files of the repository and of the site are named by their
// paths below either root, with slashes.
type site struct {
	root     string
	files    map[string][]byte   // of the site
	shown    map[string]string   // by file or folder of the repository: the page that shows it
	pages    map[string][]string // Markdown pages and notebooks, by their group in the navigation
	packages map[string]*pkg     // by folder
	byName   map[string]*pkg     // by package name, if only one package has it
	nav      string              // the navigation, with rootMark before each address
	entries  []entry             // of the search
	sources  []string            // source files that pages link to
	err      error               // the first fault of a page
}

// entry is what the search can find.
type entry struct {
	Title string `json:"t"`
	Kind  string `json:"k"`
	URL   string `json:"u"`
	Text  string `json:"x,omitempty"` // searched too
}

// rootMark is in the navigation where each page puts its way to the site's root.
const rootMark = "ROOT/"

// render returns the files of the site.
func render(root string) (map[string][]byte, error) {
	s := &site{root: root, files: map[string][]byte{}, shown: map[string]string{}, pages: map[string][]string{},
		packages: map[string]*pkg{}, byName: map[string]*pkg{}}
	if err := s.find(); err != nil {
		return nil, err
	}
	if err := s.navigation(); err != nil {
		return nil, err
	}
	for _, name := range slices.Concat(s.pages["Pages"], s.pages["Notebooks"]) {
		show := s.showMarkdown
		if path.Ext(name) == ".ipynb" {
			show = s.showNotebook
		}
		if err := show(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, p := range s.sorted() {
		if err := s.showPackage(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.dir, err)
		}
	}
	if err := s.showPrice(); err != nil {
		return nil, err
	}
	for _, name := range s.sources {
		if err := s.showSource(name); err != nil {
			return nil, err
		}
	}
	index, err := json.Marshal(s.entries)
	if err != nil {
		return nil, err
	}
	s.files["search-index.js"] = slices.Concat([]byte("const searchIndex = "), index, []byte(";\n"))
	for _, name := range []string{"site.css", "search.js", "price.js", "price-worker.js"} {
		if s.files[name], err = assets.ReadFile(name); err != nil {
			return nil, err
		}
	}
	return s.files, s.err
}

// find lists the pages, the notebooks and the packages.
func (s *site) find() error {
	err := filepath.WalkDir(s.root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(s.root, file)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch ext := path.Ext(name); {
		case d.IsDir() && name != "." && skipped(s.root, name):
			return filepath.SkipDir
		case d.IsDir():
			return s.load(name)
		case ext == ".md":
			s.pages["Pages"] = append(s.pages["Pages"], name)
			s.shown[name] = strings.TrimPrefix(strings.TrimSuffix(name, ext)+".html", ".github/")
		case ext == ".ipynb" && path.Dir(name) == "notebooks":
			s.pages["Notebooks"] = append(s.pages["Notebooks"], name)
			s.shown[name] = strings.TrimSuffix(name, ext) + ".html"
		}
		return nil
	})
	s.shown["README.md"] = "index.html"
	for name, url := range s.shown {
		if dir := path.Dir(name); path.Base(name) == "README.md" && s.shown[dir] == "" {
			s.shown[dir] = url
		}
	}
	slices.SortFunc(s.pages["Pages"], func(a, b string) int { return strings.Compare(rank(a), rank(b)) })
	return err
}

// rank puts README first, then the pages for contributors, then the folders.
func rank(name string) string {
	switch {
	case name == "README.md":
		return "0"
	case !strings.Contains(name, "/"), strings.HasPrefix(name, "."):
		return "1" + path.Base(name)
	}
	return "2" + strings.TrimSuffix(name, "README.md")
}

// skipped reports whether a folder has nothing for the site: other modules, hidden folders, and
// what the runner writes.
func skipped(root, dir string) bool {
	if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
		return true
	}
	base := path.Base(dir)
	return base != ".github" && strings.HasPrefix(base, ".") ||
		slices.Contains([]string{"notebooks/out", "notebooks/lab", "notebooks/paper", "dist"}, dir)
}

// link is one line of the navigation.
type link struct{ Name, URL string }

// navigation writes what all pages have on their left.
func (s *site) navigation() error {
	type group struct {
		Name  string
		Open  bool
		Links []link
	}
	groups := []*group{{Name: "Pages", Open: true}, {Name: "Notebooks", Open: true}}
	for _, g := range groups {
		for _, name := range s.pages[g.Name] {
			title := strings.TrimPrefix(strings.TrimSuffix(strings.TrimSuffix(name, ".md"), "/README"), ".github/")
			if g.Name == "Notebooks" {
				title = strings.TrimSuffix(path.Base(name), ".ipynb")
			}
			g.Links = append(g.Links, link{title, rootMark + s.shown[name]})
		}
	}
	packages := s.sorted()
	slices.SortStableFunc(packages, func(a, b *pkg) int { return cmp.Compare(a.last(), b.last()) })
	for _, p := range packages {
		top, _, _ := strings.Cut(p.dir, "/")
		name := "Packages: " + top
		if p.last() == 1 {
			name = "Packages: internal"
		}
		at := slices.IndexFunc(groups, func(g *group) bool { return g.Name == name })
		if at < 0 {
			at, groups = len(groups), append(groups, &group{Name: name})
		}
		groups[at].Links = append(groups[at].Links, link{p.dir, rootMark + p.url})
	}
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "nav", groups)
	s.nav = out.String()
	return err
}

// put adds a page to the site.
func (s *site) put(url, title string, body template.HTML) error {
	root := strings.Repeat("../", strings.Count(url, "/"))
	nav := strings.Replace(s.nav, `href="`+rootMark+url+`"`, `aria-current="page" href="`+rootMark+url+`"`, 1)
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "page", map[string]any{
		"Title": title, "Root": root, "Body": body, "Nav": template.HTML(strings.ReplaceAll(nav, `href="`+rootMark, `href="`+root)),
	})
	s.files[url] = out.Bytes()
	return err
}

// fail keeps the first fault, for render to return.
func (s *site) fail(err error) { s.err = cmp.Or(s.err, err) }

// to returns the address of what a page links to in the repository: another page, a copied image,
// or the page of a source file. What is not there is an error of the site.
func (s *site) to(url, name string) string {
	root := strings.Repeat("../", strings.Count(url, "/"))
	if shown := s.shown[name]; shown != "" {
		return root + shown
	}
	data, err := s.read(name)
	if err != nil {
		s.fail(fmt.Errorf("%s links to %s: %w", url, name, err))
		return ""
	}
	if ext := path.Ext(name); ext == ".png" || ext == ".svg" {
		s.files[name], s.shown[name] = data, name
	} else {
		s.sources, s.shown[name] = append(s.sources, name), "src/"+name+".html"
	}
	return root + s.shown[name]
}

// read returns a file of the repository, or the list of files in a folder.
func (s *site) read(name string) ([]byte, error) {
	file := filepath.Join(s.root, filepath.FromSlash(name))
	if list, err := os.ReadDir(file); err == nil {
		var names []string
		for _, d := range list {
			names = append(names, d.Name())
		}
		return []byte(strings.Join(names, "\n")), nil
	}
	return os.ReadFile(file)
}

// showSource writes the page of a source file, with an anchor for each line.
func (s *site) showSource(name string) error {
	data, err := s.read(name)
	if err != nil {
		return err
	}
	url := s.shown[name]
	back := s.shown[path.Dir(name)]
	var out bytes.Buffer
	err = templates.ExecuteTemplate(&out, "source", map[string]any{
		"Title": name, "Root": strings.Repeat("../", strings.Count(url, "/")), "Back": back,
		"Lines": strings.SplitAfter(strings.TrimSuffix(string(data), "\n"), "\n"),
	})
	s.files[url] = out.Bytes()
	return err
}

// showMarkdown writes a Markdown page.
func (s *site) showMarkdown(name string) error {
	data, err := s.read(name)
	if err != nil {
		return err
	}
	a := newArticle(name, s.shown[name])
	body, err := s.markdown(a, string(data))
	if err != nil {
		return err
	}
	s.endSection(a)
	return s.put(a.url, a.title, body)
}

// output is what a cell shows.
type output struct {
	Text, Image string
	HTML        template.HTML
}

// showNotebook writes a notebook with its stored outputs.
func (s *site) showNotebook(name string) error {
	nb, err := nbformat.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	type cell struct {
		Text    template.HTML
		Code    string
		Outputs []output
	}
	var cells []cell
	a := newArticle(name, s.shown[name])
	for _, c := range nb.Cells {
		var shown cell
		if c.Type == "markdown" {
			shown.Text, err = s.markdown(a, c.Source)
		} else {
			shown.Code = c.Source
		}
		for _, o := range c.Outputs {
			out, failed := s.output(a, o)
			shown.Outputs, err = append(shown.Outputs, out), cmp.Or(err, failed)
		}
		if err != nil {
			return err
		}
		cells = append(cells, shown)
	}
	s.endSection(a)
	var body bytes.Buffer
	if err := templates.ExecuteTemplate(&body, "notebook", map[string]any{"Cells": cells, "Name": path.Base(name)}); err != nil {
		return err
	}
	return s.put(a.url, a.title, template.HTML(body.String()))
}
