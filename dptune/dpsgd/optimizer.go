package dpsgd

import (
	"cmp"
	"fmt"
	"math"

	"github.com/gomlx/gomlx/core/graph"

	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/internal/kernel"
)

// Optimizer turns noisy sums into moves of the weights. It is [SGD], [Adam], [AdamBC] or your own.
// It costs no privacy, because it post-processes sums that are noisy already.
//
// A value holds the numbers of one replica. The replicas of a plan have optimizers of one type and
// run as one program, the one of the replica with the most slots. So Move must depend on its
// arguments only. What differs between replicas goes through Coefficients.
//
// engine.NewTrainer tries your own optimizer on random numbers and returns an error with its name
// if
//
//   - an array is missing, or has another shape or type;
//   - a number is not finite;
//   - replicas mix;
//   - equal numbers give different results;
//   - a replica of a plan gives other results than the same run by itself.
//
// Your own code has no hash. From a secret root each run with it draws new noise; see
// engine.Checkpoint.
type Optimizer interface {
	// String returns the name of the optimizer and all of its numbers. Checkpoints distinguish runs
	// by it.
	String() string
	// Validate returns every fault of its numbers, joined. An error begins with the name of the field.
	Validate() error
	// Slots returns the number of arrays, shaped like the weights, that are kept from step to step.
	// They start as zeros. Checkpoints hold them.
	Slots() int
	// Coefficients returns the numbers of a replica that Move needs at a step, in float64, equally
	// many for every step and replica. It must return the same numbers in every call and must not
	// depend on the data. It may be called from several goroutines.
	Coefficients(u Update) []float64
	// Move returns the weights after a step and the new slots. weights, sum and slots are [R, P],
	// one row for each replica. Each coefficient is [R, 1]; graph.Mul and similar functions repeat
	// it along rows. Rows must not mix.
	Move(weights, sum *graph.Node, coefficients, slots []*graph.Node) (moved *graph.Node, kept []*graph.Node)
}

// Update describes a replica's step to an [Optimizer].
type Update struct {
	Step              int     // t, from 0
	Steps             int     // T, of the whole run
	LearningRate      float64 // η_t, the config's rate times the factor of the schedule
	ExpectedBatchSize float64 // B, the divisor of the noisy sum
	LastBatchSize     float64 // B of the step before, that of this step at first; Config.Phases may differ in B
	ClipNorm          float64 // C, 0 without clipping
	NoiseStdDev       float64 // standard deviation of each number of the noise in this step's sum; 0 without noise
}

// SGD is stochastic gradient descent, the default. With s_t the noisy sum of a step:
//
//	v ← m·v + s_t,  w ← w - η_t/B · v
//
// If B changes between phases, v is scaled to the new B first.
type SGD struct {
	Momentum float64 // m in [0, 1). 0 is plain SGD, without a slot.
}

// String names the optimizer with its momentum.
func (o SGD) String() string { return fmt.Sprintf("SGD(momentum %v)", o.Momentum) }

// Validate returns an error unless the momentum is in [0, 1).
func (o SGD) Validate() error { return check.BelowOne.Of("SGD.Momentum", o.Momentum) }

// Slots returns 1, or 0 without momentum.
func (o SGD) Slots() int {
	if o.Momentum == 0 {
		return 0
	}
	return 1
}

// Coefficients returns η_t/B and m, times the ratio of B to that of the step before.
func (o SGD) Coefficients(u Update) []float64 {
	momentum := o.Momentum
	if u.LastBatchSize > 0 {
		momentum *= u.ExpectedBatchSize / u.LastBatchSize
	}
	return []float64{u.LearningRate / u.ExpectedBatchSize, momentum}
}

// Move is a step of SGD.
func (SGD) Move(weights, sum *graph.Node, coefficients, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	if len(slots) > 0 {
		sum = graph.Add(kernel.Scaled(slots[0], coefficients[1]), sum)
		slots = []*graph.Node{sum}
	}
	return graph.Sub(weights, kernel.Scaled(sum, coefficients[0])), slots
}

// Adam scales each coordinate by its own history. With the noisy sum s_t of step t = 1, 2, ... and
// g_t = s_t/B:
//
//	u ← β1 u + (1-β1) g_t,  v ← β2 v + (1-β2) g_t²
//	w ← w - η_t · (u/(1-β1^t)) / (√(v/(1-β2^t)) + ε)
//
// With Config.WeightDecay it is AdamW.
//
// References: Kingma and Ba (2015), arXiv:1412.6980v9, Algorithm 1; Loshchilov and Hutter (2019),
// arXiv:1711.05101v3, for the decoupled weight decay.
type Adam struct {
	Beta1   float64 // in (0, 1). 0 is 0.9.
	Beta2   float64 // in (0, 1). 0 is 0.999.
	Epsilon float64 // > 0. 0 is 1e-8. The noise in g² is not subtracted: see AdamBC.
}

// String names the optimizer with its numbers, defaults filled in.
func (o Adam) String() string {
	o = o.withDefaults()
	return fmt.Sprintf("Adam(β1 %v, β2 %v, ε %v)", o.Beta1, o.Beta2, o.Epsilon)
}

// Validate returns every fault of the numbers, joined.
func (o Adam) Validate() error {
	f := check.In("Adam.")
	f.Number("Beta1", o.Beta1, check.BelowOne.With("(0 for 0.9)"))
	f.Number("Beta2", o.Beta2, check.BelowOne.With("(0 for 0.999)"))
	f.That(o.Epsilon == 0 || representable(o.Epsilon), "Epsilon", o.Epsilon, "must be in [1e-18, 1e18], or 0 for 1e-8")
	return f.Err()
}

// withDefaults fills in what is not given.
func (o Adam) withDefaults() Adam {
	return Adam{cmp.Or(o.Beta1, 0.9), cmp.Or(o.Beta2, 0.999), cmp.Or(o.Epsilon, 1e-8)}
}

// Slots returns 2, for the two moments.
func (Adam) Slots() int { return 2 }

// Coefficients returns η_t/(1-β1^t), 1/B, β1, 1-β1, β2, 1-β2, 1/(1-β2^t) and ε.
func (o Adam) Coefficients(u Update) []float64 {
	o = o.withDefaults()
	t := float64(u.Step + 1)
	return []float64{
		u.LearningRate / (1 - math.Pow(o.Beta1, t)), 1 / u.ExpectedBatchSize,
		o.Beta1, 1 - o.Beta1, o.Beta2, 1 - o.Beta2, 1 / (1 - math.Pow(o.Beta2, t)), o.Epsilon,
	}
}

// Move is a step of Adam.
func (Adam) Move(weights, sum *graph.Node, coefficients, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	g := graph.Mul(sum, coefficients[1])
	mean := graph.Add(graph.Mul(slots[0], coefficients[2]), graph.Mul(g, coefficients[3]))
	square := graph.Add(graph.Mul(slots[1], coefficients[4]), graph.Mul(graph.Square(g), coefficients[5]))
	step := graph.Div(graph.Mul(mean, coefficients[0]), graph.Add(graph.Sqrt(graph.Mul(square, coefficients[6])), coefficients[7]))
	return graph.Sub(weights, step), []*graph.Node{mean, square}
}

// AdamBC is [Adam] without the bias of the noise. The noise adds s_t² to the mean of g_t², with
// s_t = Update.NoiseStdDev/B. Adam divides by it, so it moves all coordinates with small gradients
// by nearly the same. AdamBC subtracts it:
//
//	u ← β1 u + (1-β1) g_t,  v ← β2 v + (1-β2) (g_t² - s_t²)
//	w ← w - η_t · (u/(1-β1^t)) / √(max(v/(1-β2^t), γ))
//
// The paper subtracts s² from v/(1-β2^t). This is the same for equal s_t, and right for others.
// Without noise it is Adam with another floor.
//
// Reference: Tang, Shpilevskiy and Lécuyer (2023), arXiv:2312.14334, DP-AdamBC.
type AdamBC struct {
	Beta1 float64 // in (0, 1). 0 is 0.9.
	Beta2 float64 // in (0, 1). 0 is 0.999.
	Floor float64 // γ > 0, least second moment. 0 is 5e-8. It bounds a move by η_t |u|/√γ.
}

// String names the optimizer with its numbers, defaults filled in.
func (o AdamBC) String() string {
	o = o.withDefaults()
	return fmt.Sprintf("AdamBC(β1 %v, β2 %v, γ %v)", o.Beta1, o.Beta2, o.Floor)
}

// Validate returns every fault of the numbers, joined.
func (o AdamBC) Validate() error {
	f := check.In("AdamBC.")
	f.Number("Beta1", o.Beta1, check.BelowOne.With("(0 for 0.9)"))
	f.Number("Beta2", o.Beta2, check.BelowOne.With("(0 for 0.999)"))
	f.That(o.Floor == 0 || representable(o.Floor), "Floor", o.Floor, "must be in [1e-18, 1e18], or 0 for 5e-8")
	return f.Err()
}

// withDefaults fills in what is not given.
func (o AdamBC) withDefaults() AdamBC {
	return AdamBC{cmp.Or(o.Beta1, 0.9), cmp.Or(o.Beta2, 0.999), cmp.Or(o.Floor, 5e-8)}
}

// Slots returns 2, for the two moments.
func (AdamBC) Slots() int { return 2 }

// Coefficients returns those of Adam, with γ in place of ε, and (1-β2) s_t².
func (o AdamBC) Coefficients(u Update) []float64 {
	o = o.withDefaults()
	noise := u.NoiseStdDev / u.ExpectedBatchSize
	return append(Adam{o.Beta1, o.Beta2, o.Floor}.Coefficients(u), (1-o.Beta2)*noise*noise)
}

// Move is a step of AdamBC.
func (AdamBC) Move(weights, sum *graph.Node, coefficients, slots []*graph.Node) (*graph.Node, []*graph.Node) {
	g := graph.Mul(sum, coefficients[1])
	mean := graph.Add(graph.Mul(slots[0], coefficients[2]), graph.Mul(g, coefficients[3]))
	square := graph.Sub(graph.Mul(graph.Square(g), coefficients[5]), coefficients[8])
	square = graph.Add(graph.Mul(slots[1], coefficients[4]), square)
	unbiased := graph.Max(graph.Mul(square, coefficients[6]), coefficients[7])
	return graph.Sub(weights, graph.Div(graph.Mul(mean, coefficients[0]), graph.Sqrt(unbiased))), []*graph.Node{mean, square}
}

// Schedule returns the factor on every learning rate at a step, counted from 0. It must be >= 0 and
// finite, equal in every call, and must not depend on the data.
type Schedule func(step int) float64

// At returns the factor at a step, 1 for nil.
func (s Schedule) At(step int) float64 {
	if s == nil {
		return 1
	}
	return s(step)
}

// Cosine falls along half a cosine wave from 1 at step 0 to 0 at the given step. It stays 0
// afterwards:
//
//	(1 + cos(π t/T)) / 2
//
// Reference: Loshchilov and Hutter (2017), arXiv:1608.03983v5, equation 5, one cycle.
func Cosine(steps int) Schedule {
	return func(t int) float64 {
		if t >= steps {
			return 0
		}
		return (1 + math.Cos(math.Pi*float64(t)/float64(steps))) / 2
	}
}

// StepDecay multiplies the factor by decay after every so many steps: decay^⌊t/every⌋.
// It stays 1 if every < 1.
func StepDecay(every int, decay float64) Schedule {
	return func(t int) float64 {
		if every < 1 {
			return 1
		}
		return math.Pow(decay, float64(t/every))
	}
}

// Warmup rises linearly over the first steps: it is (t+1)/(steps+1) at step t. Then it follows
// another schedule from that schedule's step 0. A nil schedule is the constant 1.
func Warmup(steps int, then Schedule) Schedule {
	return func(t int) float64 {
		if t < steps {
			return float64(t+1) / float64(steps+1)
		}
		if then == nil {
			return 1
		}
		return then(t - steps)
	}
}
