package accounting

import "reflect"

// Options are what answers may do without, for less time. A search asks with them, and asks about
// its answer without them.
type Options struct {
	Unchecked bool // guarantees have no certificates
	// Quick answers have an upper end of ε from some of the bounds, without a lower end. It is never
	// below that of the whole answer. It may lack a certificate and warnings, whether or not
	// Unchecked is set. An event without a quick answer gets the whole one.
	Quick bool
}

// Optional is an Accountant with Options.
type Optional interface {
	Accountant
	// Options returns the options of its answers.
	Options() Options
	// WithOptions returns the accountant with other options. Those that save it nothing are dropped.
	WithOptions(o Options) Accountant
}

// optional returns the accountant with other options. ok is false if it has none. An accountant of
// another type is not taken: it is that of a field that a embeds, and answers other questions.
func optional(a Accountant, o Options) (with Accountant, ok bool) {
	if own, ok := a.(Optional); ok {
		with = own.WithOptions(o)
	}
	return with, with != nil && reflect.TypeOf(with) == reflect.TypeOf(a)
}

// WithOptions returns the accountant with other options, or a itself if it has none.
func WithOptions(a Accountant, o Options) Accountant {
	if with, ok := optional(a, o); ok {
		return with
	}
	return a
}

// OptionsOf returns the options of an accountant, and the zero value if it has none.
func OptionsOf(a Accountant) Options {
	if _, ok := optional(a, Options{}); ok {
		return a.(Optional).Options()
	}
	return Options{}
}

// Unchecked returns the accountant without checks, or a itself if it has none.
func Unchecked(a Accountant) Accountant {
	return WithOptions(a, Options{Unchecked: true, Quick: OptionsOf(a).Quick})
}
