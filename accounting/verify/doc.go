// Package verify checks an upper end of ε once more, from its proof. It does not search: it has
// rules, intervals that are rounded outward, and exact arithmetic. README.md has the format for
// other programs.
//
//	answer, err := verify.Read(text) // the JSON of a guarantee, of a statement, or of dpcost -json
//	verdict, err := answer.Verify()
//	fmt.Println(verdict)
//
// Each step from the event to what is bounded is done again by code that accountants do not use:
// its form under the relation, samples, reserves, the worst of several, and the event as a bound
// takes it. The bounds are those of accounting/internal/certificate. An accountant's certificate
// comes from the same code. What is taken as given is in Believed.
//
// It promises nothing to other modules.
package verify
