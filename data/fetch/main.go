// Command fetch downloads the full data sets into a folder, verifies every file's checksum, and
// says how to use them.
//
//	go run ./data/fetch -dir DIR mnist california-housing
//	go run ./data/fetch -list
//
// A file that is there and right is left alone. A download that broke off goes on where it
// stopped; where one place fails the next is tried. Nothing that fails its checksum is left
// under a file's name. The exit code is 2 for a wrong command line, 1 for a download that
// failed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/cifar"
	"github.com/dplab/dplab/data/housing"
	"github.com/dplab/dplab/data/imdb"
	"github.com/dplab/dplab/data/mnist"
)

// set is what can be fetched.
type set struct {
	name  string // and folder
	files []data.SourceFile
	terms string
}

func sets() []set {
	return []set{
		{"mnist", mnist.Files(), "60,000 + 10,000 images; 12 MB"},
		{"fashion-mnist", mnist.FashionFiles(), "60,000 + 10,000 images; 31 MB; MIT license"},
		{"cifar-10", cifar.Files(), "50,000 + 10,000 images; 170 MB, 185 MB on disk"},
		{"california-housing", housing.Files(), "20,640 districts; 0.4 MB, 2 MB on disk"},
		{"imdb", imdb.Files(), "25,000 + 25,000 reviews; 84 MB"},
	}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{Transport: transport}
	os.Exit(run(ctx, client, sets(), os.Args[1:], os.Stdout, os.Stderr))
}

// run answers one command line and returns the exit code.
func run(ctx context.Context, client *http.Client, sets []set, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("dir", os.Getenv(data.DirVariable), "folder to put the data sets into (default: "+data.DirVariable+")")
	list := false
	flags.BoolFunc("list", "list the data sets", func(text string) (err error) {
		if list, err = strconv.ParseBool(text); err != nil {
			err = errors.New("must be true or false")
		}
		return err
	})
	usage := func(w io.Writer) {
		fmt.Fprintf(w, "fetch downloads data sets: fetch -dir DIR NAME...\n\n")
		flags.SetOutput(w)
		flags.PrintDefaults()
		fmt.Fprintf(w, "\nThe data sets: %s.\n", names(sets))
	}
	given, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(stdout)
		return 0
	case err != nil:
	case list && len(given) > 0:
		err = fmt.Errorf("argument %q: must not be given with -list, which lists all data sets", given[0])
	case list:
		for _, s := range sets {
			fmt.Fprintf(stdout, "%s: %s\n", s.name, s.terms)
		}
		return 0
	case len(given) == 0:
		err = fmt.Errorf("no data set named: must be of %s", names(sets))
	case *dir == "":
		err = fmt.Errorf("-dir is missing, and %s is not set: must be the folder to put the data sets into", data.DirVariable)
	}
	var wanted []set
	for _, name := range given {
		s, found := find(sets, name)
		if !found {
			err = errors.Join(err, fmt.Errorf("data set %q: must be one of %s", name, names(sets)))
		}
		wanted = append(wanted, s)
	}
	if err != nil {
		fmt.Fprintf(stderr, "fetch: %v\nSee fetch -h.\n", err)
		return 2
	}
	d := downloader{client: client, log: stderr}
	for _, s := range wanted {
		if err := d.set(ctx, filepath.Join(*dir, s.name), s.files); err != nil {
			fmt.Fprintf(stderr, "fetch: %s: %v\n", s.name, err)
			return 1
		}
		fmt.Fprintf(stdout, "%s is in %s; set %s=%s to use it\n", s.name, filepath.Join(*dir, s.name), data.DirVariable, *dir)
	}
	return 0
}

// parse reads flags that stand before, between or behind the names, which it returns.
func parse(flags *flag.FlagSet, args []string) (names []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if flags.NArg() == 0 {
			return names, nil
		}
		names, args = append(names, flags.Arg(0)), flags.Args()[1:]
	}
}

func find(sets []set, name string) (set, bool) {
	for _, s := range sets {
		if s.name == name {
			return s, true
		}
	}
	return set{}, false
}

func names(sets []set) string {
	list := make([]string, len(sets))
	for i, s := range sets {
		list[i] = s.name
	}
	return strings.Join(list, ", ")
}
