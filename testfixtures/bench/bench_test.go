package bench

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
	"time"
)

// contest is one row of the result: a program, the floor it is measured against, and how.
type contest struct {
	name          string
	aim           float64  // the ratio not to be exceeded
	byWall        bool     // the ratio is of wall times; else of processor times
	server, floor []string // programs with their arguments
	request       []byte   // what is sent to either, with the id firstID
	turns         int      // of each program in a round; 0 for one
	enter         func(program []string) (entrant, error)
}

// entrant is a program that takes part in a contest.
type entrant struct {
	round func() (measure, error)
	leave func() error // after the last round
}

// afresh has a program started in each round.
func afresh(round func(program []string) (measure, error)) func([]string) (entrant, error) {
	return func(program []string) (entrant, error) {
		return entrant{
			round: func() (measure, error) { return round(program) },
			leave: func() error { return nil },
		}, nil
	}
}

// result is a contest after its rounds.
type result struct {
	contest
	ratios        []float64 // of the rounds, smallest first
	quiet         float64   // the least of the server by the least of the floor
	server, floor measure
}

// BenchmarkProcess runs every contest and prints a table of them at its end.
func BenchmarkProcess(b *testing.B) {
	var results []result
	for _, c := range contests(b, build(b, b.TempDir())) {
		b.Run(c.name, func(b *testing.B) {
			results = append(results, c.run(b))
		})
	}
	printTable(results)
}

// run plays rounds, the programs taking turns in going first.
func (c contest) run(b *testing.B) result {
	var servers, floors []measure
	var ratios []float64
	var entrants [2]entrant
	for i, program := range [][]string{c.server, c.floor} {
		var err error
		if entrants[i], err = c.enter(program); err != nil {
			b.Fatal(err)
		}
		defer func() {
			if err := entrants[i].leave(); err != nil {
				b.Error(err)
			}
		}()
	}
	for b.Loop() {
		var m [2]measure
		turns := max(c.turns, 1)
		for turn := range turns {
			first := (len(ratios) + turn) % 2
			for _, i := range []int{first, 1 - first} {
				got, err := entrants[i].round()
				if err != nil {
					b.Fatal(err)
				}
				m[i].cpu += got.cpu / time.Duration(turns)
				m[i].wall += got.wall / time.Duration(turns)
			}
		}
		servers, floors = append(servers, m[0]), append(floors, m[1])
		ratios = append(ratios, c.value(m[0])/c.value(m[1]))
	}
	slices.Sort(ratios)
	r := result{
		contest: c, ratios: ratios, server: middle(servers), floor: middle(floors),
		quiet: c.least(servers) / c.least(floors),
	}
	b.ReportMetric(median(ratios), "x-floor")
	b.ReportMetric(r.quiet, "x-floor-quiet")
	b.ReportMetric(micros(r.server.cpu), "cpu-µs/req")
	b.ReportMetric(micros(r.floor.cpu), "floor-cpu-µs/req")
	b.ReportMetric(micros(r.server.wall), "wall-µs/req")
	b.ReportMetric(micros(r.floor.wall), "floor-wall-µs/req")
	b.ReportMetric(0, "ns/op") // the length of a round says nothing
	return r
}

// value is the side of a measure that the contest is about.
func (c contest) value(m measure) float64 {
	if c.byWall {
		return float64(m.wall)
	}
	return float64(m.cpu)
}

// least is the value of the round that was disturbed the least.
func (c contest) least(measures []measure) float64 {
	least := c.value(measures[0])
	for _, m := range measures {
		least = min(least, c.value(m))
	}
	return least
}

// printTable writes to standard output, where go test shows benchmarks.
func printTable(results []result) {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nmicroseconds a request\tx floor\taim\t\tfrom\tto\tquiet\tCPU\tfloor\twall\tfloor\t")
	for _, r := range results {
		verdict := "reached"
		if median(r.ratios) > r.aim {
			verdict = "missed"
		}
		fmt.Fprintf(table, "%s\t%.2f\t%g\t%s\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", r.name,
			median(r.ratios), r.aim, verdict, r.ratios[0], r.ratios[len(r.ratios)-1], r.quiet,
			micros(r.server.cpu), micros(r.floor.cpu), micros(r.server.wall), micros(r.floor.wall))
	}
	table.Flush()
	fmt.Println("x floor is the median of the rounds, of CPU time (spawn, discover: of wall time), from and to are its extremes;")
	fmt.Println("quiet is the quickest round of the one by the quickest of the other: far from x floor, the machine was busy.")
}

func micros(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

func median(values []float64) float64 {
	slices.Sort(values)
	return (values[len(values)/2] + values[(len(values)-1)/2]) / 2
}

// middle takes the median of each side on its own.
func middle(measures []measure) measure {
	var cpu, wall []float64
	for _, m := range measures {
		cpu, wall = append(cpu, float64(m.cpu)), append(wall, float64(m.wall))
	}
	return measure{cpu: time.Duration(median(cpu)), wall: time.Duration(median(wall))}
}
