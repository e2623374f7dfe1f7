package bench

import "testing"

func BenchmarkTmp(b *testing.B) {
	dir := build(b, b.TempDir())
	f := []string{dir + "/overhttp"}
	var rs []result
	for _, w := range []int{1, 16} {
		h := hits{era: modernEra, body: modernEra.body(callRequest(64)), wires: w, requests: 1600}
		c := contest{name: "ff", aim: 1.1, server: f, floor: f, request: h.body, enter: h.enter}
		b.Run(c.name, func(b *testing.B) { rs = append(rs, c.run(b)) })
	}
	h := hits{era: legacyEra, body: legacyEra.body(callRequest(64 << 10)), wires: 1, requests: 400}
	c := contest{name: "ff64", aim: 1.1, server: []string{dir + "/overhttp", "-legacy"}, floor: []string{dir + "/overhttp", "-legacy"}, request: h.body, enter: h.enter}
	b.Run(c.name, func(b *testing.B) { rs = append(rs, c.run(b)) })
	printTable(rs)
}
