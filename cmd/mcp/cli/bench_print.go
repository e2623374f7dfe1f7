package cli

import (
	"encoding/json"
	"fmt"
	"time"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/testfixtures/load"
)

// print prints what was measured, for people.
func (b *bench) print() {
	b.row("request", "%s; every answer was compared with the first", b.call)
	b.row("client", "mcp.Client, %d in flight", b.bench.inFlight)
	for _, s := range b.sides {
		if len(b.sides) > 1 {
			b.printf("\n")
		}
		s.printTo(b)
	}
	if len(b.sides) < 2 {
		return
	}
	b.printf("\nThe first by the second, median of %d rounds (least to most):\n", b.bench.rounds)
	for _, x := range b.ratios() {
		if x.unknown != nil {
			b.row(x.label, "not known: %v", x.unknown)
			continue
		}
		b.row(x.label, "%.2f (%.2f to %.2f)", x.spread.Median, x.spread.Least, x.spread.Most)
	}
}

// fewRequests are so few in a round that chance decides what it measures.
const fewRequests = 100

// tellOfFew warns of ratios that mean little.
func (b *bench) tellOfFew() {
	if len(b.sides) < 2 {
		return
	}
	least := b.sides[0].rounds[0].requests
	for _, s := range b.sides {
		for _, one := range s.rounds {
			least = min(least, one.requests)
		}
	}
	if least < fewRequests {
		fmt.Fprintf(b.env.Err, "mcp bench: a round of %d requests says little: -count, -time or fewer -rounds give it %d and more, which ratios want\n", least, fewRequests)
	}
}

func (b *bench) row(name, format string, args ...any) {
	b.printf("%-16s%s\n", name, fmt.Sprintf(format, args...))
}

func (s *side) printTo(b *bench) {
	b.row("target", "%s, %s", oneLine(s.target.String()), s.version)
	b.row("requests", "%d in %s, %d errors", s.total.Requests, short(s.total.Took), s.total.Errors)
	b.row("rate", "%.0f requests/s", s.total.Rate())
	q := func(part float64) string { return short(s.total.Latency.Quantile(part)) }
	b.row("latency", "p50 %s, p90 %s, p99 %s, max %s", q(0.5), q(0.9), q(0.99), short(s.total.Latency.Max()))
	if s.noServer != nil {
		b.row("server CPU", "not known: %v", s.noServer)
	} else {
		b.row("server CPU", "%s/request", short(time.Duration(each(s.serverCPU, s.total.Requests))))
		b.row("server memory", "%.1f MiB at its peak", float64(s.memory)/(1<<20))
	}
	if s.noClient != nil {
		b.row("client CPU", "not known: %v", s.noClient)
	} else {
		b.row("client CPU", "%s/request", short(time.Duration(each(s.clientCPU, s.total.Requests))))
	}
}

// short is a time with three digits that count.
func short(d time.Duration) string {
	unit, name := time.Nanosecond, "ns"
	switch {
	case d >= time.Second:
		unit, name = time.Second, "s"
	case d >= time.Millisecond:
		unit, name = time.Millisecond, "ms"
	case d >= time.Microsecond:
		unit, name = time.Microsecond, "µs"
	}
	value := float64(d) / float64(unit)
	digits := 2
	if value >= 100 {
		digits = 0
	} else if value >= 10 {
		digits = 1
	}
	return fmt.Sprintf("%.*f %s", digits, value, name)
}

// ratio is that of a value of the first side to that of the second.
type ratio struct {
	label, name string
	spread      load.Spread
	unknown     error
}

// ratio is that of a value of each round. unknown is why a side has no such value, nil where it has.
func (b *bench) ratio(label, name string, value func(round) float64, unknown ...error) ratio {
	r := ratio{label: label, name: name}
	for _, err := range unknown {
		if err != nil {
			r.unknown = err
			return r
		}
	}
	one, two := b.sides[0].rounds, b.sides[1].rounds
	var values []float64
	for i := range one {
		if below := value(two[i]); below > 0 {
			values = append(values, value(one[i])/below)
		}
	}
	r.spread = load.SpreadOf(values)
	return r
}

// ratios are those of the rounds.
func (b *bench) ratios() []ratio {
	one, two := b.sides[0], b.sides[1]
	return []ratio{
		b.ratio("rate", "requestsPerSecond", func(r round) float64 { return r.rate }),
		b.ratio("latency p50", "p50", func(r round) float64 { return r.p50 }),
		b.ratio("latency p99", "p99", func(r round) float64 { return r.p99 }),
		b.ratio("server CPU", "serverCPU", func(r round) float64 { return r.serverCPU }, one.noServer, two.noServer),
		b.ratio("client CPU", "clientCPU", func(r round) float64 { return r.clientCPU }, one.noClient, two.noClient),
	}
}

// json is what was measured as one object. What is not known is null. Times are microseconds.
func (b *bench) json() (jsonrpc.Raw, error) {
	call := map[string]any{"method": b.call.method}
	if b.call.tool != "" {
		call = map[string]any{"tool": b.call.tool, "arguments": json.RawMessage(b.call.arguments)}
	}
	all := map[string]any{"client": "mcp.Client", "request": call, "inFlight": b.bench.inFlight, "rounds": b.bench.rounds}
	var targets []any
	for _, s := range b.sides {
		targets = append(targets, s.figures())
	}
	all["targets"] = targets
	if len(b.sides) > 1 {
		ratios := map[string]any{}
		for _, x := range b.ratios() {
			ratios[x.name] = nil
			if x.unknown == nil {
				ratios[x.name] = map[string]float64{"median": x.spread.Median, "least": x.spread.Least, "most": x.spread.Most}
			}
		}
		all["ratios"] = ratios
	}
	return json.Marshal(all)
}

func (s *side) figures() map[string]any {
	micros := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
	q := func(part float64) float64 { return micros(s.total.Latency.Quantile(part)) }
	f := map[string]any{
		"target": s.target.String(), "version": s.version,
		"requests": s.total.Requests, "errors": s.total.Errors,
		"seconds": s.total.Took.Seconds(), "requestsPerSecond": s.total.Rate(),
		"latency":   map[string]float64{"p50": q(0.5), "p90": q(0.9), "p99": q(0.99), "max": micros(s.total.Latency.Max())},
		"serverCPU": nil, "serverPeakBytes": nil, "clientCPU": nil,
	}
	if s.noServer == nil {
		f["serverCPU"], f["serverPeakBytes"] = each(s.serverCPU, s.total.Requests)/1000, s.memory
	}
	if s.noClient == nil {
		f["clientCPU"] = each(s.clientCPU, s.total.Requests) / 1000
	}
	return f
}
