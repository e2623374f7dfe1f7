// Command cover reads a coverage profile and prints the share of statements that ran, for each room. It
// ends with status 1 when a room is below -min percent, or when the profile says nothing about a room.
//
//	go run ./testfixtures/tree/cover -min 90 bin/cover.out jsonrpc mcp
//
// A package below a room counts for the room, unless it is named itself.
//
// A profile of several test binaries names a block once for each binary. A block counts as run when any of
// them ran it: what a room is worth is shown by every test that goes through it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/tabwriter"
)

func main() {
	least := flag.Float64("min", 0, "least share of statements, in percent, that each room must reach")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: cover [-min PERCENT] PROFILE ROOM...")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() < 2 {
		flag.Usage()
		os.Exit(2)
	}
	profile, err := os.Open(flag.Arg(0))
	if err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(2)
	}
	defer profile.Close()
	if err := report(os.Stdout, profile, flag.Args()[1:], *least); err != nil {
		fmt.Fprintln(os.Stderr, "cover:", err)
		os.Exit(1)
	}
}

// report writes the table and returns an error that names the rooms below least.
func report(out io.Writer, profile io.Reader, rooms []string, least float64) error {
	blocks, err := read(profile)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "room\tstatements\trun\tshare\t")
	var below []string
	for _, room := range rooms {
		all, run := count(blocks, room, rooms)
		if all == 0 {
			return fmt.Errorf("the profile holds no statement of %s", room)
		}
		share := 100 * float64(run) / float64(all)
		if share < least {
			below = append(below, room)
		}
		fmt.Fprintf(table, "%s\t%d\t%d\t%.1f %%\t\n", room, all, run, share)
	}
	table.Flush()
	if len(below) > 0 {
		return fmt.Errorf("below %g %%: %s", least, strings.Join(below, ", "))
	}
	return nil
}

// block is a run of statements without a branch.
type block struct {
	statements int
	ran        bool
}

// read parses the text form of a profile: a mode line, then "module/room/file.go:from,to statements count".
func read(profile io.Reader) (map[string]block, error) {
	blocks := map[string]block{}
	lines := bufio.NewScanner(profile)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 2 && fields[0] == "mode:" {
			continue
		}
		if len(fields) != 3 {
			return nil, fmt.Errorf("%q is no line of a coverage profile", lines.Text())
		}
		statements, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, fmt.Errorf("%q: the number of statements is no number", lines.Text())
		}
		ran := fields[2] != "0" || blocks[fields[0]].ran
		blocks[fields[0]] = block{statements, ran}
	}
	return blocks, lines.Err()
}

// count adds up the statements of one room and of the packages below it, but for those
// that are other rooms.
func count(blocks map[string]block, room string, rooms []string) (all, run int) {
	for where, b := range blocks {
		if roomOf(where, rooms) != room {
			continue
		}
		all += b.statements
		if b.ran {
			run += b.statements
		}
	}
	return all, run
}

// roomOf is the innermost of rooms in which a block is, "" for none.
func roomOf(where string, rooms []string) (innermost string) {
	_, path, _ := strings.Cut(where, "/")
	for _, room := range rooms {
		if strings.HasPrefix(path, room+"/") && len(room) > len(innermost) {
			innermost = room
		}
	}
	return innermost
}
