package kernel

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/gomlx/gomlx/core/graph"
)

// Variant is another way to write a part of a program for a device with its own memory. Results
// differ by rounding only. A variant is off until a device has measured that it is faster.
type Variant string

// The variants.
const (
	// ChaChaTurns computes ChaCha20 on sixteen arrays, two rounds in each turn of a loop.
	ChaChaTurns Variant = "chacha-turns"

	// ChaChaUnrolled computes all twenty rounds of ChaCha20 on sixteen arrays, without a loop.
	ChaChaUnrolled Variant = "chacha-unrolled"

	// TinyProducts writes products with two small sides as broadcasts, multiplications and sums.
	TinyProducts Variant = "tiny-products"

	// OneProduct computes the gradient at the inputs of a convolution as one product.
	OneProduct Variant = "one-product"

	// UnrolledSteps writes the steps of one call one after the other, without a loop.
	UnrolledSteps Variant = "unrolled-steps"

	// ContractedPhases sums the phases of a pooled convolution in the product of each example.
	ContractedPhases Variant = "contracted-phases"
)

// all lists the variants.
var all = []Variant{ChaChaTurns, ChaChaUnrolled, TinyProducts, OneProduct, UnrolledSteps, ContractedPhases}

// VariantsVariable is the environment variable that lists variants, separated by commas. It is read
// once.
const VariantsVariable = "DPLAB_GPU_VARIANTS"

// chosen are the variants of the environment.
var chosen = sync.OnceValue(func() []Variant { return parseVariants(os.Getenv(VariantsVariable)) })

// parseVariants returns the variants of a list, sorted, each once.
func parseVariants(list string) []Variant {
	var variants []Variant
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			variants = append(variants, Variant(name))
		}
	}
	slices.Sort(variants)
	return slices.Compact(variants)
}

// Variants returns the variants of the environment, sorted. The identity of a run on a device
// depends on them, because its last bits do.
func Variants() []Variant { return slices.Clone(chosen()) }

// CheckVariants returns an error that names an unknown variant of the environment, or two that
// exclude each other.
func CheckVariants() error {
	given := chosen()
	for _, v := range given {
		if !slices.Contains(all, v) {
			return fmt.Errorf("%s %q: must be of %s", VariantsVariable, v, joined(all))
		}
	}
	if slices.Contains(given, ChaChaTurns) && slices.Contains(given, ChaChaUnrolled) {
		return fmt.Errorf("%s %s: must have only one of %s and %s", VariantsVariable, joined(given), ChaChaTurns, ChaChaUnrolled)
	}
	return nil
}

func joined(variants []Variant) string {
	var names []string
	for _, v := range variants {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// Uses reports whether the graph of x runs on a device with its own memory, and the environment
// lists the variant.
func Uses(x *graph.Node, v Variant) bool {
	return slices.Contains(chosen(), v) && !IsGo(x) && !x.Graph().Backend().HasSharedBuffers()
}

// tiny is the largest small side of TinyProducts.
const tiny = 16

// tinyProduct reports whether products [m, k] by [k, n] have two small sides and the variant is on.
func tinyProduct(x *graph.Node, m, k, n int) bool {
	sides := []int{m, k, n}
	slices.Sort(sides)
	return sides[1] <= tiny && Uses(x, TinyProducts)
}

// broadcastProduct returns the products of [R or 1, m, k] by [R or 1, k, n], written as a
// multiplication of [R, m, k, n] values and a sum. XLA does both in one kernel, with what follows.
func broadcastProduct(lhs, rhs *graph.Node) *graph.Node {
	return graph.ReduceSum(graph.Mul(graph.InsertAxes(lhs, -1), graph.InsertAxes(rhs, 1)), 2)
}
