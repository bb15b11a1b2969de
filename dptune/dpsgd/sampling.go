package dpsgd

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/check"
	"github.com/dplab/dplab/dptune/streams"
)

// Sampling is a scheme of sampling: which examples take part in a step, and what that does to any
// one of them. It is [Poisson], [FullBatch] or [FixedBatches]. There is no default.
//
// Only this package has schemes, while [Clipping] and [Optimizer] are open: the engine finds or
// caps their faults. A scheme states its event, and no trial shows whether that is true.
// Amplification rests on coins that are independent of each other and of the data, and a batch
// that was drawn does not show that they were.
//
// The section "A scheme of sampling" of dptune/README.md lists what a new one needs. Shuffling is
// left out on purpose: its privacy is not that of any of these.
type Sampling interface {
	// String names the scheme with its parameters.
	String() string

	// Validate returns every fault of the scheme for a data set of so many examples, -1 if that is
	// not known. A scheme whose event needs the number of examples has it as a public field, and
	// refuses another number here. An error begins with the name of the field.
	Validate(examples int) error

	// Event returns what the first steps of a run do to any one example. release is what one step
	// does to an example that takes part.
	Event(release accounting.Event, steps int) accounting.Event

	// Chosen returns what a run does to an example that can take part in count steps only, which
	// were chosen beforehand: see [Canary].
	Chosen(release accounting.Event, count int) accounting.Event

	// Secret reports whether Event rests on it being secret who takes part in a step.
	Secret() bool

	// Assumption returns what Event rests on, as a statement lists it.
	Assumption() string

	// Share returns the mean share of the examples that takes part in a step, in (0, 1].
	Share() float64

	// LikelyBatch returns the largest size that a batch of so many examples is likely to have.
	LikelyBatch(examples int) float64

	// Batch returns the indices, ascending, of the examples among n that take part in a step. Every
	// draw is from a stream of coins, named by what it is for.
	Batch(coins streams.Root, step, n int) ([]int32, error)

	// Canaries returns which of m canaries take part in a step, ascending, each as an example at
	// place n+i of the data would. Their coins do not depend on which others there are.
	Canaries(coins streams.Root, step, n, m int) ([]int32, error)

	sealed()
}

// schemes has a value of each type of Sampling.
var schemes = []Sampling{Poisson{}, FullBatch{}, FixedBatches{}}

// schemeName returns the name of a scheme's type, as in JSON.
func schemeName(s Sampling) string { return reflect.TypeOf(s).Name() }

// mustBeScheme is the rule of Config.Sampling.
func mustBeScheme() string {
	var names []string
	for _, s := range schemes {
		names = append(names, schemeName(s))
	}
	last := len(names) - 1
	return "must be " + strings.Join(names[:last], ", ") + " or " + names[last]
}

// validateSampling adds the faults of the config's scheme. A type that embeds a scheme is not one.
func (c Config) validateSampling(f *check.Faults) {
	if c.Sampling == nil {
		f.That(false, "Sampling", "is nil", mustBeScheme())
		return
	}
	for _, s := range schemes {
		if reflect.TypeOf(s) == reflect.TypeOf(c.Sampling) {
			f.Below("Sampling", c.Sampling.Validate(-1))
			return
		}
	}
	f.That(false, "Sampling", fmt.Sprintf("is a %T", c.Sampling), mustBeScheme())
}

// Event returns what the run does to any one example, for an accountant. Its Validate fails
// if the config's would on σ, T or the sampling.
func (c Config) Event() accounting.Event { return c.EventAfter(c.Steps) }

// EventAfter returns what the first steps of the run do, as Event does for all of them.
func (c Config) EventAfter(steps int) accounting.Event { return c.eventOf(Sampling.Event, steps) }

// eventOf returns what a number of steps does, by a method of the scheme.
func (c Config) eventOf(method func(s Sampling, release accounting.Event, count int) accounting.Event, count int) accounting.Event {
	switch {
	case c.NonPrivate:
		return accounting.NonPrivate{}
	case c.Sampling == nil:
		return accounting.SelfComposed{} // not a valid event
	}
	return method(c.Sampling, accounting.Gaussian{NoiseMultiplier: c.NoiseMultiplier}, count)
}

// MarshalJSON writes the scheme of sampling as an object with its name, such as
// {"Scheme":"Poisson","Rate":0.1}.
func (c Config) MarshalJSON() ([]byte, error) {
	type fields Config // without this method
	written := struct {
		fields
		Sampling json.RawMessage
	}{fields: fields(c), Sampling: json.RawMessage("null")}
	if c.Sampling != nil {
		parameters, err := json.Marshal(c.Sampling)
		if err != nil {
			return nil, err
		}
		text := fmt.Sprintf(`{"Scheme":%q,%s`, schemeName(c.Sampling), parameters[1:])
		written.Sampling = json.RawMessage(strings.Replace(text, ",}", "}", 1))
	}
	return json.Marshal(written)
}

// UnmarshalJSON reads what MarshalJSON writes. It also reads configs of older code, which have a
// SamplingRate and a number as Sampling.Scheme.
func (c *Config) UnmarshalJSON(text []byte) error {
	type fields Config // without this method
	read := struct {
		*fields
		Sampling     json.RawMessage
		SamplingRate float64
	}{fields: (*fields)(c)}
	err := json.Unmarshal(text, &read)
	if err == nil {
		c.Sampling, err = readSampling(read.Sampling, read.SamplingRate)
	}
	return err
}

// readSampling reads a scheme. rate is the SamplingRate of a config of older code.
func readSampling(text json.RawMessage, rate float64) (Sampling, error) {
	var old struct{ Scheme, Period int }
	var named struct{ Scheme string }
	switch {
	case len(text) == 0 || string(text) == "null":
		if rate == 0 {
			return nil, nil
		}
		return Poisson{Rate: rate}, nil
	case json.Unmarshal(text, &old) == nil:
		switch {
		case old.Scheme == 0 && old.Period == 0:
			return Poisson{Rate: rate}, nil
		case old.Scheme == 1 && old.Period == 0 && rate == 0:
			return FullBatch{}, nil
		case old.Scheme == 2 && rate == 0:
			return FixedBatches{Period: old.Period}, nil
		}
		return nil, fmt.Errorf("dpsgd: Config.Sampling %s with SamplingRate %g: must be 0 with a rate, 1, or 2 with a period, as older code wrote schemes", text, rate)
	case json.Unmarshal(text, &named) != nil:
		return nil, fmt.Errorf("dpsgd: Config.Sampling %s: must be an object with a Scheme", text)
	case rate != 0:
		return nil, errors.New("dpsgd: Config.SamplingRate: must not be there with a named Sampling.Scheme")
	}
	for _, s := range schemes {
		if schemeName(s) == named.Scheme {
			read := reflect.New(reflect.TypeOf(s))
			if err := json.Unmarshal(text, read.Interface()); err != nil {
				return nil, fmt.Errorf("dpsgd: Config.Sampling: %w", err)
			}
			return read.Elem().Interface().(Sampling), nil
		}
	}
	return nil, fmt.Errorf("dpsgd: Config.Sampling: Scheme %q: %s", named.Scheme, mustBeScheme())
}
