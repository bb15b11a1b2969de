package joint

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// GoCommand is a folder with a program go, for the front of a kernel's PATH. GoNB builds a cell's
// main.go with go build -o PROGRAM, in the folder of that file. This go then puts a small script in
// the place of PROGRAM, if it was told to. Otherwise, and for all else, it calls the go command. It
// needs /bin/sh.
type GoCommand struct{ dir string }

// The files of the folder, next to go itself.
const (
	expected = "main.go"
	script   = "program"
	placed   = "placed" // holds the path of the program that the script has replaced
)

// NewGoCommand makes the folder dir, for a kernel whose cells the joint program runs. path is the
// go command.
func NewGoCommand(dir, path string) (GoCommand, error) {
	g := GoCommand{dir}
	return g, g.init(path, fmt.Sprintf(`cmp -s main.go %s && printf %%s "$3" >%s`, quote(g.path(expected)), quote(g.path(placed))), "mv")
}

// NewComposer makes the folder dir, for a kernel that composes cells but runs none: each program
// becomes a script that does nothing.
func NewComposer(dir, path string) (GoCommand, error) {
	g := GoCommand{dir}
	return g, errors.Join(g.init(path, "true", "cp"), g.write(script, "#!/bin/sh\n"))
}

func (g GoCommand) init(path, condition, move string) error {
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	return g.write("go", fmt.Sprintf("#!/bin/sh\nif [ \"$1 $2\" = \"build -o\" ] && %s; then\n\texec %s %s \"$3\"\nfi\nexec %s \"$@\"\n",
		condition, move, quote(g.path(script)), quote(path)))
}

// Expect makes program run in the place of the next program, if its main.go is source. The variable
// CellVariable is number then.
func (g GoCommand) Expect(source, program string, number int) error {
	text := fmt.Sprintf("#!/bin/sh\n%s=%d exec %s \"$@\"\n", CellVariable, number, quote(program))
	return errors.Join(g.write(script, text), g.write(expected, source))
}

// Took reports whether that program ran, after Expect, and undoes Expect. It removes the script,
// because the go command writes over no file that it has not made.
func (g GoCommand) Took() bool {
	at, err := os.ReadFile(g.path(placed))
	for _, path := range []string{g.path(expected), g.path(script), g.path(placed), string(at)} {
		_ = os.Remove(path) // some are not there
	}
	return err == nil
}

// InPath returns a kernel's environment with the folder first in its PATH.
func (g GoCommand) InPath(env []string) []string {
	var out []string
	for _, entry := range env {
		if list, ok := strings.CutPrefix(entry, "PATH="); ok {
			entry = "PATH=" + g.dir + string(os.PathListSeparator) + list
		}
		out = append(out, entry)
	}
	return out
}

func (g GoCommand) path(name string) string { return filepath.Join(g.dir, name) }

func (g GoCommand) write(name, text string) error {
	if err := os.WriteFile(g.path(name), []byte(text), 0o700); err != nil {
		return fmt.Errorf("joint: %w", err)
	}
	return nil
}

// quote returns text as one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
