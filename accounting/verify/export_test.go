package verify

import (
	"maps"
	"slices"
)

// StepRules returns the rules of steps, and RuleNames those of a simplest form too.
func StepRules() []string {
	return slices.AppendSeq(slices.Collect(maps.Keys(rules)), maps.Keys(profilers))
}

func RuleNames() []string {
	return append(StepRules(), ruleOrder, ruleSum, ruleBatches, ruleSamples, ruleWorst)
}
