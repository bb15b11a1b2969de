package mnist

import (
	"math"
	"os"
	"testing"

	"github.com/dplab/dplab/data"
)

// realData returns a folder with the published files, or skips the test.
func realData(t *testing.T, set string) string {
	t.Helper()
	for _, dir := range []string{os.Getenv(data.DirVariable), "../../../shared/data"} {
		if _, err := os.Stat(dir + "/" + set); dir != "" && err == nil {
			return dir
		}
	}
	t.Skipf("no %s files: set %s to test with them", set, data.DirVariable)
	return ""
}

// The means and standard deviations are the ones that the public training recipes
// normalise with (PyTorch's MNIST example; Fashion-MNIST's benchmarks): four digits.
func TestPublishedFiles(t *testing.T) {
	cases := []struct {
		set       string
		load      func(string) (data.Dataset, data.Dataset, error)
		mean, std float64
		perClass  []int // of the training part; Fashion-MNIST is balanced by design
	}{
		// Class counts: Deng, "The MNIST database", IEEE Signal Processing Magazine 29 (2012), table 1.
		{"mnist", Load, 0.1307, 0.3081, []int{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949}},
		{"fashion-mnist", LoadFashion, 0.2860, 0.3530, []int{6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000, 6000}},
	}
	for _, c := range cases {
		t.Run(c.set, func(t *testing.T) {
			train, test, err := c.load(realData(t, c.set))
			if err != nil {
				t.Fatal(err)
			}
			if train.Len() != 60000 || test.Len() != 10000 {
				t.Errorf("%d and %d images: want 60000 and 10000", train.Len(), test.Len())
			}
			mean, std := moments(train.Features)
			if math.Abs(mean-c.mean) > 5e-5 || math.Abs(std-c.std) > 5e-5 {
				t.Errorf("mean %.6f, std %.6f: want %.4f, %.4f", mean, std, c.mean, c.std)
			}
			counts := make([]int, classes)
			for _, label := range train.Labels {
				counts[label]++
			}
			for label, want := range c.perClass {
				if counts[label] != want {
					t.Errorf("label %d: %d images: want %d", label, counts[label], want)
				}
			}
		})
	}
}

func moments(xs []float32) (mean, std float64) {
	var sum, squares float64
	for _, x := range xs {
		sum += float64(x)
		squares += float64(x) * float64(x)
	}
	n := float64(len(xs))
	mean = sum / n
	return mean, math.Sqrt(squares/n - mean*mean)
}

func BenchmarkLoad(b *testing.B) {
	dir := "../../../shared/data"
	if _, err := os.Stat(dir + "/mnist"); err != nil {
		b.Skip("no mnist files")
	}
	for b.Loop() {
		if _, _, err := Load(dir); err != nil {
			b.Fatal(err)
		}
	}
}
