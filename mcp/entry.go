package mcp

import (
	"slices"
	"sync/atomic"
)

// entry is what every registered item has: a number, which grows from one registration
// to the next and is never used again, and its bytes in the forms that were asked for.
// So lists are in the order of numbers.
type entry struct {
	number uint64
	kept   atomic.Pointer[encoding]
}

// listed is an item of a list.
type listed interface {
	body
	registration() *entry
	// filter says who may see the item, nil when everybody may.
	filter() func(*Principal) bool
	// completes reports whether suggestions belong to the item.
	completes() bool
}

func (e *entry) registration() *entry { return e }

func (e *entry) completes() bool { return false }

// visible reports whether the one who asks may know of the item.
func (c *Call) visible(item listed) bool {
	filter := item.filter()
	return filter == nil || filter(c.Principal())
}

// encoding is an item's bytes in one form, and those in others.
type encoding struct {
	form  *Form
	bytes []byte
	count int // of this one and those behind it
	next  *encoding
}

// mostForms bounds the forms in which an item's bytes are kept. There are fewer
// revisions.
const mostForms = 16

// encoded returns the item's bytes in a form, which are made once and kept.
func encoded(item listed, f *Form) ([]byte, error) {
	e := item.registration()
	head := e.kept.Load()
	for known := head; known != nil; known = known.next {
		if known.form == f {
			return known.bytes, nil
		}
	}
	w := writer{}
	item.write(&w, f)
	if w.err != nil {
		return nil, w.err
	}
	made := &encoding{form: f, bytes: slices.Clip(w.dst), count: 1, next: head}
	if head != nil {
		made.count += head.count
	}
	if made.count <= mostForms {
		// Whoever loses this race has encoded the same once more than needed.
		e.kept.CompareAndSwap(head, made)
	}
	return made.bytes, nil
}

// position is the index of the first of items whose number is greater than after.
func position(items []listed, after uint64) int {
	if after == 0 {
		return 0
	}
	i, _ := slices.BinarySearchFunc(items, after, func(item listed, after uint64) int {
		if item.registration().number <= after {
			return -1
		}
		return 1
	})
	return i
}
