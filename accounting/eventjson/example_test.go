package eventjson_test

import (
	"fmt"
	"slices"

	"github.com/dplab/dplab/accounting"
	"github.com/dplab/dplab/accounting/eventjson"
)

// Events are data: they are stored as JSON, and read back equal.
func ExampleMarshal() {
	text, err := eventjson.Marshal(accounting.SelfComposed{Count: 10, Event: accounting.Laplace{NoiseMultiplier: 30}})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	event, err := eventjson.Unmarshal(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(event)
	// Output:
	// {"type":"self_composed","count":10,"event":{"type":"laplace","noise_multiplier":30}}
	// 10 x Laplace(b=30)
}

// The types of event that JSON can name. Packages add their own.
func ExampleTypes() {
	fmt.Println(slices.Contains(eventjson.Types(), "poisson_sampled"))
	// Output:
	// true
}

// ownRelease is an event of a package of your own.
type ownRelease struct{ accounting.PureDP }

func init() {
	eventjson.Register("own_release",
		func(e ownRelease) []eventjson.Field { return []eventjson.Field{{Name: "epsilon", Value: e.Epsilon}} },
		func(o *eventjson.Object) ownRelease {
			return ownRelease{accounting.PureDP{Epsilon: o.Float("epsilon")}}
		})
}

// An event of your own is written and read like all others once its type has a format.
func ExampleRegister() {
	text, err := eventjson.Marshal(ownRelease{accounting.PureDP{Epsilon: 0.5}})
	fmt.Println(string(text), err)
	_, err = eventjson.Unmarshal([]byte(`{"type":"own_release","epsilon":-1}`))
	fmt.Println(err)
	// Output:
	// {"type":"own_release","epsilon":0.5} <nil>
	// eventjson: epsilon: -1: must be > 0 and finite (for a mechanism that reads no data use randomized_response of probability 0.5)
}
