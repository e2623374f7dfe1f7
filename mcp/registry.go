package mcp

import (
	"maps"
	"slices"
	"sync"
)

// registry is what is registered at one moment. One that requests see is never
// changed, so that they read it without a lock; see [Server.change].
type registry struct {
	shelves [kinds]shelf
	unknown ResourceHandler // reads the uris that nothing else answers to; nil for none

	rows       rows   // of what is registered
	registered uint64 // how many items ever were

	// derived holds what requests have worked out from the rest, for the next one:
	// listKey to *joined (list.go), hiddenKey to hidden resources (spelling.go).
	derived sync.Map
}

// kind is what an item is.
type kind uint8

const (
	toolKind kind = iota
	resourceKind
	templateKind
	promptKind
	kinds
)

// memberNames are the lists as results name them.
var memberNames = [kinds]string{"tools", "resources", "resourceTemplates", "prompts"}

// listChanged is what clients are told when a list has changed.
var listChanged = [kinds]ChangeKind{ToolsListChanged, ResourcesListChanged, ResourcesListChanged, PromptsListChanged}

// shelf holds the items of one kind. They stand there as what all items are, and not as
// what they are alone, so that a program which has none of a kind does not have its code.
type shelf struct {
	items []listed          // in the order of registration
	named map[string]listed // by name, uri or template

	offered, completes bool // some item ever was there, and one with suggestions
}

// rows are handlers that stand in the table by way of the registry. Who registers what
// they answer for sets them, so that a program which has no prompts does not have the
// code for them either.
type rows struct {
	listPrompts, getPrompt, complete           Handler
	listResources, listTemplates, readResource Handler
	subscribe, unsubscribe                     Handler
	knows                                      func(c *Call, uri string) bool // something reads the uri
}

func newRegistry() *registry {
	reg := &registry{}
	for i := range reg.shelves {
		reg.shelves[i].named = make(map[string]listed)
	}
	return reg
}

func (reg *registry) clone() *registry {
	c := &registry{unknown: reg.unknown, rows: reg.rows, registered: reg.registered}
	for i, shelf := range reg.shelves {
		shelf.items, shelf.named = slices.Clone(shelf.items), maps.Clone(shelf.named)
		c.shelves[i] = shelf
	}
	return c
}

// add registers an item, after all those registered before, with the rows that answer for
// its kind. It reports false, and does nothing, when the name is taken.
func (s *Server) add(k kind, name string, item listed, answer func(*rows)) (added bool) {
	s.change(func(reg *registry) {
		shelf := &reg.shelves[k]
		if shelf.named[name] != nil {
			return
		}
		reg.registered++
		item.registration().number = reg.registered
		shelf.items = append(shelf.items, item)
		shelf.named[name] = item
		shelf.offered = true
		shelf.completes = shelf.completes || item.completes()
		answer(&reg.rows)
		added = true
	})
	if added {
		s.publish(Change{Kind: listChanged[k]})
	}
	return added
}

// remove takes an item away and reports whether it was there.
func (s *Server) remove(k kind, name string) (found bool) {
	s.change(func(reg *registry) {
		shelf := &reg.shelves[k]
		item := shelf.named[name]
		if found = item != nil; found {
			delete(shelf.named, name)
			i := position(shelf.items, item.registration().number-1)
			shelf.items = slices.Delete(shelf.items, i, i+1)
		}
	})
	if found {
		s.publish(Change{Kind: listChanged[k]})
	}
	return found
}

// change changes what is registered, for all requests that begin from now on.
func (s *Server) change(edit func(reg *registry)) {
	s.changing.Lock()
	defer s.changing.Unlock()
	edit(s.draft)
	s.snapshot.Store(nil)
}

// registry is what is registered now. The copy is made for the first request after a
// change, so that a thousand changes in a row cost one copy and not a thousand.
func (s *Server) registry() *registry {
	if reg := s.snapshot.Load(); reg != nil {
		return reg
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	reg := s.snapshot.Load()
	if reg == nil {
		reg = s.draft.clone()
		s.snapshot.Store(reg)
	}
	return reg
}

// offersTools and its like tell which capabilities are declared. They stay when what they
// were declared for is removed: who knows of one may go on asking, and gets an empty list
// (2026-07-28 server/tools, Capabilities).
func (s *Server) offersTools(reg *registry) bool { return reg.shelves[toolKind].offered }

func (s *Server) offersResources(reg *registry) bool {
	return reg.shelves[resourceKind].offered || reg.shelves[templateKind].offered || reg.unknown != nil
}

func (s *Server) offersPrompts(reg *registry) bool { return reg.shelves[promptKind].offered }

// offersCompletions: something that was registered has suggestions.
func (s *Server) offersCompletions(reg *registry) bool {
	return reg.shelves[promptKind].completes || reg.shelves[templateKind].completes
}
