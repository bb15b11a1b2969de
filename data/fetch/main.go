// Command fetch downloads the full data sets into a folder, and verifies every file's checksum. At
// the end it prints how to use them.
//
//	go run ./data/fetch -dir DIR mnist california-housing
//	go run ./data/fetch -list
//
// A correct file is kept. An interrupted download continues where it stopped. If one place fails
// the next is tried. Nothing that fails its checksum is left under a file's name. The exit code is
// 2 for a wrong command line, 1 for a download that failed.
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
	"slices"
	"strconv"
	"time"

	"github.com/dplab/dplab/data"
	"github.com/dplab/dplab/data/sets"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.ResponseHeaderTimeout = 30 * time.Second
	client := &http.Client{Transport: transport}
	os.Exit(run(ctx, client, downloads(), os.Args[1:], os.Stdout, os.Stderr))
}

// downloads returns the data sets that have files.
func downloads() []sets.Set {
	return slices.DeleteFunc(sets.All(), func(s sets.Set) bool { return len(s.Files) == 0 })
}

// run answers one command line and returns the exit code.
func run(ctx context.Context, client *http.Client, list []sets.Set, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("fetch", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	dir := flags.String("dir", os.Getenv(data.DirVariable), "folder to put the data sets into (default: "+data.DirVariable+")")
	listed := false
	flags.BoolFunc("list", "list the data sets", func(text string) (err error) {
		if listed, err = strconv.ParseBool(text); err != nil {
			err = errors.New("must be true or false")
		}
		return err
	})
	usage := func(w io.Writer) {
		fmt.Fprintf(w, "fetch downloads data sets: fetch -dir DIR NAME...\n\n")
		flags.SetOutput(w)
		flags.PrintDefaults()
		fmt.Fprintf(w, "\nThe data sets: %s.\n", sets.Names(list))
	}
	given, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(stdout)
		return 0
	case err != nil:
	case listed && len(given) > 0:
		err = fmt.Errorf("argument %q: must not be given with -list, which lists all data sets", given[0])
	case listed:
		for _, s := range list {
			fmt.Fprintf(stdout, "%s: %s\n", s.Name, s.About)
		}
		return 0
	case len(given) == 0:
		err = fmt.Errorf("no data set named: must be of %s", sets.Names(list))
	case *dir == "":
		err = fmt.Errorf("-dir is missing, and %s is not set: must be the folder to put the data sets into", data.DirVariable)
	}
	var wanted []sets.Set
	for _, name := range given {
		i := slices.IndexFunc(list, func(s sets.Set) bool { return s.Name == name })
		if i < 0 {
			err = errors.Join(err, fmt.Errorf("data set %q: must be one of %s", name, sets.Names(list)))
			continue
		}
		wanted = append(wanted, list[i])
	}
	if err != nil {
		fmt.Fprintf(stderr, "fetch: %v\nSee fetch -h.\n", err)
		return 2
	}
	d := downloader{client: client, log: stderr}
	for _, s := range wanted {
		if err := d.set(ctx, filepath.Join(*dir, s.Name), s.Files); err != nil {
			fmt.Fprintf(stderr, "fetch: %s: %v\n", s.Name, err)
			return 1
		}
		fmt.Fprintf(stdout, "%s is in %s; set %s=%s to use it\n", s.Name, filepath.Join(*dir, s.Name), data.DirVariable, *dir)
	}
	return 0
}

// parse reads flags before, between and after the names, and returns the names.
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
