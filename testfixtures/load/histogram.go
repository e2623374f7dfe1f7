package load

import (
	"math/bits"
	"sort"
	"time"
)

// Histogram counts durations in classes that are less than a fiftieth of their values wide, so that it has
// one size however many there are. The zero value is ready.
type Histogram struct {
	classes [classes]uint32
	n       uint64
	max     time.Duration
}

const (
	fine    = 6                                 // each power of two has 1<<fine classes
	classes = (63-fine)<<fine + 1<<(fine+1) + 1 // of all that a Duration may be
)

// Add counts one. Less than 0 is 0.
func (h *Histogram) Add(d time.Duration) {
	d = max(d, 0)
	h.classes[class(uint64(d))]++
	h.n++
	h.max = max(h.max, d)
}

// class is the number of the class of v.
func class(v uint64) int {
	shift := max(0, bits.Len64(v)-fine-1)
	return shift<<fine + int(v>>shift)
}

// middle is the value in the middle of a class.
func middle(class int) time.Duration {
	shift := max(0, class>>fine-1)
	return time.Duration(class-shift<<fine)<<shift + 1<<shift/2
}

// Merge counts all of other, too.
func (h *Histogram) Merge(other *Histogram) {
	for i, n := range other.classes {
		h.classes[i] += n
	}
	h.n += other.n
	h.max = max(h.max, other.max)
}

// Quantile is the duration that this part of all, from 0 to 1, do not exceed, within a hundredth of it; 0
// when there are none.
//
//go:noinline
func (h *Histogram) Quantile(part float64) time.Duration {
	if h.n == 0 {
		return 0
	}
	rank := min(uint64(part*float64(h.n)), h.n-1)
	for i, n := range h.classes {
		if rank < uint64(n) {
			return min(middle(i), h.max)
		}
		rank -= uint64(n)
	}
	return h.max
}

// Max is the longest one, exactly.
func (h *Histogram) Max() time.Duration { return h.max }

// Spread is how values lie.
type Spread struct{ Median, Least, Most float64 }

// SpreadOf is that of these values, which it sorts. It is zero for none.
func SpreadOf(values []float64) Spread {
	n := len(values)
	if n == 0 {
		return Spread{}
	}
	sort.Sort(sort.Float64Slice(values)) // slices.Sort of another type is code of many kilobytes
	return Spread{Median: (values[n/2] + values[(n-1)/2]) / 2, Least: values[0], Most: values[n-1]}
}
