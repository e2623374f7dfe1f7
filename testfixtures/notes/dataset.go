package notes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"isthmus.internal/jsonrpc"
)

// Note is one entry of the dataset.
type Note struct {
	ID   int64 // 1 or more, and no other note's
	Tag  string
	Text string
}

// maxFile bounds a dataset file, in bytes.
const maxFile = 16 << 20

// Default returns the notes that the server holds when it is given no others.
func Default() []Note {
	return []Note{
		{1, "release", "v2.1 shipped with streaming fixes"},
		{2, "incident", "gateway 502 spike traced to upstream pool"},
		{3, "release", "v2.2 rolled out canary to 5%"},
	}
}

// Load reads the notes of a file: a JSON array of objects, each with exactly the
// members id (an integer from 1 on, not used twice), tag and text (strings). The
// array may be empty. A file holds at most 16 MiB, and may begin with a byte
// order mark.
//
// The error is for the person who wrote the file: one line that names the file
// and, where it applies, the entry, counted from 1, and the member.
func Load(path string) ([]Note, error) {
	data, err := read(path)
	if err != nil {
		// The path may be named in it, so it is the whole message.
		return nil, err
	}
	notes, err := decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return notes, nil
}

func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("%s: larger than %d bytes, the most a dataset may have", path, maxFile)
	}
	return data, nil
}

func decode(data []byte) ([]Note, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	data, err := jsonrpc.AppendCompact(nil, data)
	if err != nil {
		return nil, plain(err)
	}
	notes := []Note{}
	entryOf := make(map[int64]int) // by id
	entries := jsonrpc.ReadArray(data)
	for n := 1; entries.Next(); n++ {
		note, err := decodeNote(entries.Value())
		if err == nil && entryOf[note.ID] != 0 {
			err = fmt.Errorf("id %d is taken by entry %d already", note.ID, entryOf[note.ID])
		}
		if err != nil {
			return nil, fmt.Errorf("entry %d: %w", n, err)
		}
		entryOf[note.ID] = n
		notes = append(notes, note)
	}
	if entries.Err() != nil {
		return nil, errors.New(`must be an array of notes, as in [{"id":1,"tag":"a","text":"b"}]`)
	}
	return notes, nil
}

func decodeNote(raw jsonrpc.Raw) (note Note, err error) {
	if raw.Kind() != jsonrpc.KindObject {
		return note, errors.New("must be an object with the members id, tag and text")
	}
	seen := make(map[string]bool)
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		name, value, ok := string(o.Name()), o.Value(), false
		seen[name] = true
		switch name {
		case "id":
			if note.ID, ok = value.Int(); !ok || note.ID < 1 {
				return note, errors.New("id must be an integer from 1 on")
			}
		case "tag":
			if note.Tag, ok = value.Text(); !ok {
				return note, errors.New("tag must be a string")
			}
		case "text":
			if note.Text, ok = value.Text(); !ok {
				return note, errors.New("text must be a string")
			}
		default:
			return note, fmt.Errorf("unknown member %q: id, tag and text are known", name)
		}
	}
	if o.Err() != nil {
		return note, plain(o.Err())
	}
	for _, name := range []string{"id", "tag", "text"} {
		if !seen[name] {
			return note, fmt.Errorf("%s is missing", name)
		}
	}
	return note, nil
}

// plain is err without the name of the package it comes from, which says nothing
// to the person who wrote the file.
func plain(err error) error {
	return errors.New(strings.TrimPrefix(err.Error(), "jsonrpc: "))
}

// appendNote appends the note as a JSON object, members in the order of the
// dataset file.
func appendNote(dst []byte, n Note) []byte {
	dst = append(dst, `{"id":`...)
	dst = jsonrpc.AppendInt(dst, n.ID)
	dst = append(dst, `,"tag":`...)
	dst = jsonrpc.AppendString(dst, n.Tag)
	dst = append(dst, `,"text":`...)
	dst = jsonrpc.AppendString(dst, n.Text)
	return append(dst, '}')
}

// appendNotes appends an array of those notes that keep lets through.
func appendNotes(dst []byte, notes []Note, keep func(Note) bool) []byte {
	dst = append(dst, '[')
	begin := len(dst)
	for _, n := range notes {
		if !keep(n) {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = appendNote(dst, n)
	}
	return append(dst, ']')
}
