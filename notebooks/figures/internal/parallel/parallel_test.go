package parallel

import (
	"errors"
	"fmt"
	"testing"
)

func TestEachCallsAllOnce(t *testing.T) {
	for _, n := range []int{0, 1, 100} {
		calls := make([]int, n)
		if err := Each(n, func(i int) error { calls[i]++; return nil }); err != nil {
			t.Fatal(err)
		}
		for i, c := range calls {
			if c != 1 {
				t.Errorf("n %d: f(%d) was called %d times", n, i, c)
			}
		}
	}
}

func TestEachReturnsTheErrorOfTheLeastIndex(t *testing.T) {
	list := make([]error, 10)
	for i := range list {
		list[i] = fmt.Errorf("error %d", i)
	}
	err := Each(10, func(i int) error {
		if i < 3 {
			return nil
		}
		return list[i]
	})
	if !errors.Is(err, list[3]) {
		t.Errorf("got %v, want %v", err, list[3])
	}
}

func TestMap(t *testing.T) {
	squares, err := Map(4, func(i int) (int, error) { return i * i, nil })
	if fmt.Sprint(squares, err) != "[0 1 4 9] <nil>" {
		t.Error(squares, err)
	}
	if _, err := Map(4, func(i int) (int, error) { return i, fmt.Errorf("error %d", i) }); err == nil || err.Error() != "error 0" {
		t.Error(err)
	}
}
