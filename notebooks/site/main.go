// Command site writes the documentation as static HTML that needs neither a network nor a server:
//
//	go run ./notebooks/site                 # then open notebooks/out/site/index.html
//	go run ./notebooks/site -out FOLDER
//	go run ./notebooks/site -serve          # then open the address that it prints
//
// It has the Markdown pages of the repository, a page of go doc for each package, the notebooks
// with their stored outputs, and the source files that these link to. The search box finds pages,
// sections and exported names. price.html runs dpcost in the browser, which needs a server of
// files, such as that of -serve. Equal sources give equal bytes.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("site", flag.ContinueOnError)
	flags.SetOutput(stderr)
	out := flags.String("out", "", "`folder` to write into (default notebooks/out/site); what an earlier site left there is removed")
	serve := flags.Bool("serve", false, "then serve the folder to this computer, until the command is stopped")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("%q: must be flags only", flags.Arg(0))
	}
	root, err := findRoot()
	if err != nil {
		return err
	}
	if *out == "" {
		*out = filepath.Join(root, "notebooks", "out", "site")
	}
	files, err := render(root)
	if err != nil {
		return err
	}
	if err := addProgram(root, files); err != nil {
		return err
	}
	if err := write(*out, files); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d files: open %s\n", len(files), filepath.Join(*out, "index.html"))
	if !*serve {
		return nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "served at http://%s/price.html\n", listener.Addr())
	return http.Serve(listener, http.FileServer(http.Dir(*out)))
}

// findRoot returns the folder of the module around the working directory.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "notebooks", "site", "main.go")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("%s: must be inside the repository", dir)
		}
	}
}

// marker is a file that every site has, and nothing else.
const marker = "site.css"

// write replaces the site in a folder, which must be empty, or hold an earlier site.
func write(out string, files map[string][]byte) error {
	if old, err := os.ReadDir(out); err == nil && len(old) > 0 {
		if _, err := os.Stat(filepath.Join(out, marker)); err != nil {
			return fmt.Errorf("-out %s: must be an empty folder, or one that this command wrote", out)
		}
		if err := os.RemoveAll(out); err != nil {
			return err
		}
	}
	for name, data := range files {
		file := filepath.Join(out, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
