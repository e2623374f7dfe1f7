package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"

	"isthmus.internal/mcp"
	"isthmus.internal/stdio"
	"isthmus.internal/testfixtures/echo"
	"isthmus.internal/testfixtures/everything"
	"isthmus.internal/testfixtures/notes"
)

// fault is one way in which a server can be at fault. The zero fault is none.
type fault struct {
	mute   bool                     // says nothing on standard error
	reply  func(line string) string // what becomes of a reply; nil: nothing
	last   string                   // printed after the last reply
	deaf   bool                     // does not end at the end of input
	status int                      // exit status
}

// faults are the servers at fault that the tour is held against, by name.
var faults = map[string]fault{
	"none":      {},
	"mute":      {mute: true},
	"altered":   {reply: edit(alter)},
	"stuffed":   {reply: edit(stuff)},
	"hollow":    {reply: edit(hollow)},
	"renamed":   {reply: edit(rename)},
	"misnamed":  {reply: edit(misname)},
	"no JSON":   {reply: func(line string) string { return "reply: " + line }},
	"cut short": {reply: func(line string) string { return line[:len(line)-1] }},
	"silent":    {reply: func(string) string { return "" }},
	"notices":   {reply: func(line string) string { return `{"jsonrpc":"2.0","method":"notifications/x"}` + "\n" + line }},
	"flood":     {reply: func(string) string { return strings.Repeat(`{"jsonrpc":"2.0","method":"x"}`+"\n", 1<<20) }},
	"terminal":  {reply: func(string) string { return "\x1b[2J" }},
	"stray":     {last: "goodbye"},
	"deaf":      {deaf: true},
	"status":    {status: 3},
}

// server is the fixture server of this name.
func server(name string, page int) *mcp.Server {
	quiet := slog.New(slog.DiscardHandler)
	switch name {
	case "notes":
		return notes.NewServer(quiet, notes.Default())
	case "everything":
		return everything.NewServer(&everything.Options{Logger: quiet, Page: page})
	}
	return echo.NewServer(quiet)
}

// serve is the life of a process that is a fixture server with a fault.
func (f fault) serve(name string, page int) int {
	s := server(name, page)
	if f.mute {
		os.Stderr.Close()
	} else {
		fmt.Fprintf(os.Stderr, "%s-server 1.0.0 ready\n", name)
	}
	read, write := io.Pipe()
	go func() {
		stdio.ServeStream(context.Background(), struct {
			io.Reader
			io.WriteCloser
		}{os.Stdin, write}, s, nil)
	}()
	for lines := bufio.NewScanner(read); lines.Scan(); {
		line := lines.Text()
		if f.reply != nil {
			line = f.reply(line)
		}
		if line != "" {
			fmt.Println(line)
		}
	}
	if f.last != "" {
		fmt.Println(f.last)
	}
	if f.deaf {
		never := make(chan os.Signal, 1)
		signal.Notify(never, os.Interrupt)
		<-never // the tour has to kill it
	}
	return f.status
}

// edit makes a fault of a change to the decoded message.
func edit(change func(reply map[string]any)) func(string) string {
	return func(line string) string {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.UseNumber()
		var reply map[string]any
		if err := decoder.Decode(&reply); err != nil {
			panic(err)
		}
		change(reply)
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(reply); err != nil {
			panic(err)
		}
		return strings.TrimSuffix(out.String(), "\n")
	}
}

// alter changes every string and number below result, error or params.
func alter(reply map[string]any) {
	for _, kind := range []string{"result", "error", "params"} {
		if value, ok := reply[kind]; ok {
			reply[kind] = altered(value)
		}
	}
}

func altered(value any) any {
	switch v := value.(type) {
	case string:
		return v + "!"
	case json.Number:
		return json.Number("-1")
	case []any:
		for i := range v {
			v[i] = altered(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = altered(v[name])
		}
	}
	return value
}

// stuff adds a member to every object, an element to every array, and to a result
// what no result of these servers has.
func stuff(reply map[string]any) {
	result, ok := reply["result"].(map[string]any)
	if !ok {
		return
	}
	reply["result"] = stuffed(result)
	for name, value := range map[string]any{"resultType": "partial", "ttlMs": -1, "cacheScope": "all", "isError": true} {
		result[name] = value
	}
	for _, name := range []string{"content", "structuredContent", "nextCursor"} {
		if result[name] == nil {
			result[name] = "more"
		}
	}
}

func stuffed(value any) any {
	switch v := value.(type) {
	case []any:
		for i := range v {
			v[i] = stuffed(v[i])
		}
		return append(v, "more")
	case map[string]any:
		for name := range v {
			v[name] = stuffed(v[name])
		}
		if v["type"] == "object" && v["required"] == nil {
			v["required"] = []any{"more"}
		}
		v["more"] = true
	}
	return value
}

// hollow takes everything out of the result or error.
func hollow(reply map[string]any) {
	for _, kind := range []string{"result", "error"} {
		if reply[kind] != nil {
			reply[kind] = map[string]any{}
		}
	}
}

// rename answers another request.
func rename(reply map[string]any) {
	if reply["method"] == nil {
		reply["id"] = "another"
	}
}

// misname asks for, and tells of, something else.
func misname(reply map[string]any) {
	if method, ok := reply["method"].(string); ok {
		reply["method"] = method + "!"
	}
}

// faultNames are in order, so that the tests run in the same one each time.
func faultNames() []string {
	var names []string
	for name := range faults {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
