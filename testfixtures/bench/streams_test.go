package bench

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// The streams of the benchmarks.
const (
	idleStreams = 2_000
	listeners   = 500
)

// isFloor reports whether the program is bare net/http.
func (e *endpoint) isFloor() bool {
	return filepath.Base(e.cmd.Path) == "overhttp" || slices.Contains(e.cmd.Args, "-floor")
}

// tell has the program streams do something, and returns what it says.
func (e *endpoint) tell(line string) (string, error) {
	if _, err := fmt.Fprintln(e.stdin, line); err != nil {
		return "", err
	}
	said, err := e.stdout.ReadString('\n')
	if err == nil && !strings.HasSuffix(said, "<nil>\n") {
		err = fmt.Errorf("%s: %s: %s", e.cmd.Path, line, said)
	}
	return said, err
}

// memory is what a process uses, in bytes: what it holds on heap and stacks, and what it has resident.
type memory struct{ inUse, resident float64 }

func (e *endpoint) memory() (m memory, err error) {
	said, err := e.tell("memory")
	if err == nil {
		_, err = fmt.Sscan(said, &m.inUse, &m.resident)
	}
	return m, err
}

// footprint is what one of so many streams, or sessions, adds to a process.
func footprint(before, after memory, count int) memory {
	return memory{(after.inUse - before.inUse) / float64(count), (after.resident - before.resident) / float64(count)}
}

// BenchmarkIdleStreams tells what a stream costs that waits. One round is enough: bytes do not depend on how
// busy the machine is.
func BenchmarkIdleStreams(b *testing.B) {
	dir := build(b, b.TempDir())
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "\nbytes a stream\tin use\tfloor\tx floor\tresident\tfloor\tx floor\taim\ta session: in use\tresident\t")
	for _, e := range []era{modernEra, legacyEra} {
		b.Run(e.version, func(b *testing.B) {
			var each [2]memory
			var session memory
			for b.Loop() {
				for i, program := range [][]string{{filepath.Join(dir, "streams"), "-floor"}, {filepath.Join(dir, "streams")}} {
					var err error
					if each[i], session, err = idle(program, e); err != nil {
						b.Fatal(err)
					}
				}
			}
			floor, got := each[0], each[1]
			b.ReportMetric(got.inUse/floor.inUse, "x-floor")
			b.ReportMetric(got.resident/floor.resident, "x-floor-resident")
			b.ReportMetric(got.inUse, "B/stream")
			b.ReportMetric(0, "ns/op")
			fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%.2f\t%.0f\t%.0f\t%.2f\t1.3\t%.0f\t%.0f\t\n", e.version, got.inUse, floor.inUse,
				got.inUse/floor.inUse, got.resident, floor.resident, got.resident/floor.resident, session.inUse, session.resident)
		})
	}
	table.Flush()
	fmt.Println("in use is what is reachable on the heap, and the stacks; resident is what the operating system counts.")
}

// idle opens streams and returns what each of them, and each session of theirs, costs a process.
func idle(program []string, e era) (each, session memory, err error) {
	at, err := startEndpoint(program)
	if err != nil {
		return each, session, err
	}
	defer func() { err = errors.Join(err, at.stop()) }()
	s := streamsOf{era: e}
	// The first ones bring what is there once.
	const first = 100
	if err := s.openSessions(at, first); err != nil {
		return each, session, err
	}
	streams, err := s.open(at, first)
	if err = errors.Join(err, closeAll(streams)); err != nil {
		return each, session, err
	}
	nothing, err1 := at.memory()
	err2 := s.openSessions(at, first+idleStreams)
	before, err3 := at.memory()
	if err := errors.Join(err1, err2, err3); err != nil {
		return each, session, err
	}
	s.sessions = s.sessions[min(first, len(s.sessions)):]
	if streams, err = s.open(at, idleStreams); err != nil {
		return each, session, err
	}
	after, err := at.memory()
	err = errors.Join(err, closeAll(streams))
	return footprint(before, after, idleStreams), footprint(nothing, before, idleStreams), err
}

// BenchmarkSpread has one change reach many listeners: from the change to the last byte that one of them reads.
func BenchmarkSpread(b *testing.B) {
	dir := build(b, b.TempDir())
	server := []string{filepath.Join(dir, "streams")}
	var results []result
	for _, e := range []era{modernEra, legacyEra} {
		text, err := spread{era: e, listeners: 1}.record(server)
		if err != nil {
			b.Fatal(err)
		}
		s := spread{era: e, listeners: listeners, text: text}
		c := contest{name: fmt.Sprintf("%s-%d-listeners", e.version, listeners), aim: 3, byWall: true,
			server: server, floor: append(server[:1:1], "-floor"), enter: s.enter}
		b.Run(c.name, func(b *testing.B) { results = append(results, c.run(b)) })
	}
	printTable(results)
}

// spread is a change that goes to many listeners.
type spread struct {
	era       era
	listeners int
	text      string // what the floor writes to each
}

// enter starts a program and opens the streams. A round is one change, and its measures are of all of it.
func (s spread) enter(program []string) (entrant, error) {
	at, err := startEndpoint(program)
	if err != nil {
		return entrant{}, err
	}
	streams, err := s.open(at)
	leave := func() error { return errors.Join(closeAll(streams), at.stop()) }
	if err != nil {
		return entrant{}, errors.Join(err, leave())
	}
	round := func() (m measure, err error) {
		// Listeners are left in peace for a while after each change.
		<-time.After(100 * time.Millisecond)
		before, err := cpuTime(at.cmd.Process.Pid)
		if err != nil {
			return m, err
		}
		m.wall, _, err = s.change(at, streams)
		after, err1 := cpuTime(at.cmd.Process.Pid)
		m.cpu = after - before
		return m, errors.Join(err, err1)
	}
	return entrant{round: round, leave: leave}, nil
}

func (s spread) open(at *endpoint) ([]*stream, error) {
	if at.isFloor() {
		at.path = "/spread"
	}
	of := streamsOf{era: s.era}
	if err := of.openSessions(at, s.listeners); err != nil {
		return nil, err
	}
	return of.open(at, s.listeners)
}

// change has something change and waits until each stream has told of it.
func (s spread) change(at *endpoint, streams []*stream) (took time.Duration, last []byte, err error) {
	told := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := at.tell("change " + strconv.Quote(s.text))
		told <- err
	}()
	err = onEach(streams, func(t *stream) error {
		event, err := t.until(endOfEvent)
		// A stream of the legacy era begins with an event that tells its id and no more.
		for bytes.Contains(event, []byte("\ndata: \n")) && err == nil {
			event, err = t.until(endOfEvent)
		}
		if err == nil && !bytes.Contains(event, []byte("notifications/tools/list_changed")) {
			err = fmt.Errorf("got %.500q, want the change", event)
		}
		if t == streams[0] {
			last = event
		}
		return err
	})
	took = time.Since(began)
	return took, last, errors.Join(err, <-told)
}

// record returns what the server writes on one stream, without the marks of the chunk.
func (s spread) record(server []string) (text string, err error) {
	at, err := startEndpoint(server)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, at.stop()) }()
	streams, err := s.open(at)
	if err != nil {
		return "", err
	}
	_, chunk, err := s.change(at, streams)
	if err = errors.Join(err, closeAll(streams)); err != nil {
		return "", err
	}
	_, event, _ := bytes.Cut(chunk, []byte("\r\n"))
	return strings.TrimSuffix(string(event), "\r\n"), nil
}
