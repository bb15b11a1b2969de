package audit

// steps are the counts of every distinct threshold test, from the strictest (nobody is
// called a member) to the laxest (everybody is). Tied scores are called together.
type steps struct {
	tp, fp []int32
	n1, n0 int
}

func (s sample) steps() steps {
	out := steps{n1: len(s.member), n0: len(s.nonMember)}
	out.tp = append(make([]int32, 0, out.n1+1), 0)
	out.fp = append(make([]int32, 0, out.n1+1), 0)
	i, j := out.n1, out.n0 // scores not yet called members
	for i > 0 || j > 0 {
		x := s.next(i, j)
		for i > 0 && s.member[i-1] == x {
			i--
		}
		for j > 0 && s.nonMember[j-1] == x {
			j--
		}
		out.tp = append(out.tp, int32(out.n1-i))
		out.fp = append(out.fp, int32(out.n0-j))
	}
	return out
}

// next returns the largest score among the first i members and the first j non-members.
func (s sample) next(i, j int) float64 {
	if j == 0 || i > 0 && s.member[i-1] >= s.nonMember[j-1] {
		return s.member[i-1]
	}
	return s.nonMember[j-1]
}

func (s steps) len() int { return len(s.tp) }

// counts returns the errors at step i.
func (s steps) counts(i int) Counts {
	return Counts{Members: s.n1, NonMembers: s.n0, FalseNegatives: s.n1 - int(s.tp[i]), FalsePositives: int(s.fp[i])}
}
