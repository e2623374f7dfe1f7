package mcptest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// event is one of a stream of the media type text/event-stream (WHATWG HTML, Server-sent
// events).
type event struct {
	name, data string
	id         string // "" without one
	retry      time.Duration
}

// readEvent reads the next event: io.EOF when there is none. It is stricter than
// clients are: what a server of this module writes has no field that means nothing, and no
// event that stays open.
func readEvent(r *bufio.Reader) (e event, err error) {
	var data []string
	for begun := false; ; {
		line, err := r.ReadString('\n')
		switch {
		case err == io.EOF && line == "" && !begun:
			return event{}, io.EOF
		case err != nil:
			return event{}, fmt.Errorf("the stream ends within an event, at %q: %w", line, err)
		}
		line = strings.TrimSuffix(line, "\n")
		if line == "" {
			if !begun {
				continue // behind a comment
			}
			e.data = strings.Join(data, "\n")
			return e, nil
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		begun = begun || field != ""
		switch field {
		case "": // a comment
		case "data":
			data = append(data, value)
		case "event":
			e.name = value
		case "id":
			e.id = value
		case "retry":
			ms, err := strconv.Atoi(value)
			if err != nil {
				return event{}, fmt.Errorf("the line %q has no number", line)
			}
			e.retry = time.Duration(ms) * time.Millisecond
		default:
			return event{}, errors.New("a line that means nothing: " + strconv.Quote(line))
		}
	}
}
