package backend_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/gomlx/compute"

	"github.com/dplab/dplab/dptune/dpsgd/backend"
)

// A backend that fails or panics when it is opened is an error at each use, with its cause.
func TestBackendsThatDoNotOpen(t *testing.T) {
	cause := errors.New("no such device")
	for name, c := range map[string]struct {
		open func() (compute.Backend, error)
		want string
	}{
		"test-fails":  {func() (compute.Backend, error) { return nil, cause }, `backend: "test-fails" does not open: no such device`},
		"test-panics": {func() (compute.Backend, error) { panic("boom") }, "boom"},
		"test-raises": {func() (compute.Backend, error) { panic(cause) }, "no such device"},
	} {
		if err := backend.Register(name, c.open); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(backend.Names(), name) {
			t.Errorf("backend.Names() lacks %q", name)
		}
		for range 2 {
			if _, err := backend.Open(name); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error %v, want one that names %q", name, err, c.want)
			}
		}
		if err := backend.Register(name, c.open); err == nil {
			t.Errorf("%s was registered twice without an error", name)
		}
	}
}

func TestGoBackendIsOpenedOnce(t *testing.T) {
	first, err := backend.Open("go")
	if err != nil {
		t.Fatal(err)
	}
	second, err := backend.Open("go")
	if err != nil || first != second {
		t.Errorf("a second opening gave another backend, error %v", err)
	}
}
