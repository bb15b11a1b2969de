package accounting_test

import (
	"fmt"

	"github.com/dplab/dplab/accounting"
)

// Events are data: they are stored as JSON, and read back equal.
func ExampleMarshalEvent() {
	text, err := accounting.MarshalEvent(accounting.SelfComposed{Count: 10, Event: accounting.Laplace{NoiseMultiplier: 30}})
	if err != nil {
		panic(err)
	}
	fmt.Println(string(text))
	event, err := accounting.UnmarshalEvent(text)
	if err != nil {
		panic(err)
	}
	fmt.Println(event)
	// Output:
	// {"type":"self_composed","count":10,"event":{"type":"laplace","noise_multiplier":30}}
	// 10 x Laplace(b=30)
}
