package verify

import (
	"maps"
	"slices"

	"github.com/dplab/dplab/accounting/internal/certificate/selected"
)

// StepRules returns the rules of steps, and RuleNames those of a simplest form too.
func StepRules() []string {
	return append(slices.AppendSeq(slices.Collect(maps.Keys(rules)), maps.Keys(profilers)), selected.RuleValues)
}

func RuleNames() []string {
	return append(StepRules(), ruleOrder, ruleSum, ruleBatches, ruleSamples, ruleWorst)
}
