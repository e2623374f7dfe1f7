package mcp

import (
	"maps"
	"slices"
	"sync"
)

// registry is what is registered at one moment. One that requests see is never
// changed, so that they read it without a lock; see [Server.change].
type registry struct {
	tools           []*tool // in the order of registration, as all of these
	toolsByName     map[string]*tool
	resources       []*resource
	resourcesByURI  map[string]*resource
	templates       []*resourceTemplate
	templatesByText map[string]*resourceTemplate
	prompts         []*prompt
	promptsByName   map[string]*prompt

	rows       rows   // of what is registered
	registered uint64 // how many items ever were

	lists sync.Map // listKey to *joined: see list.go
}

// rows are handlers that stand in the table by way of the registry. Who registers what
// they answer for sets them, so that a program which has no prompts does not have the
// code for them either.
type rows struct{ listPrompts, getPrompt, complete Handler }

func newRegistry() *registry {
	return &registry{
		toolsByName:     make(map[string]*tool),
		resourcesByURI:  make(map[string]*resource),
		templatesByText: make(map[string]*resourceTemplate),
		promptsByName:   make(map[string]*prompt),
	}
}

// number is the number of an item that is registered now.
func (reg *registry) number() uint64 {
	reg.registered++
	return reg.registered
}

func (reg *registry) clone() *registry {
	return &registry{
		tools:           slices.Clone(reg.tools),
		toolsByName:     maps.Clone(reg.toolsByName),
		resources:       slices.Clone(reg.resources),
		resourcesByURI:  maps.Clone(reg.resourcesByURI),
		templates:       slices.Clone(reg.templates),
		templatesByText: maps.Clone(reg.templatesByText),
		prompts:         slices.Clone(reg.prompts),
		promptsByName:   maps.Clone(reg.promptsByName),
		rows:            reg.rows,
		registered:      reg.registered,
	}
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

// offersTools and its like tell which capabilities are declared: those that
// something is registered for.
func (s *Server) offersTools(reg *registry) bool { return len(reg.tools) > 0 }

func (s *Server) offersResources(reg *registry) bool {
	return len(reg.resources)+len(reg.templates) > 0 || s.opts.UnknownResource != nil
}

func (s *Server) offersPrompts(reg *registry) bool { return len(reg.prompts) > 0 }

// offersCompletions: something that is registered has suggestions.
func (s *Server) offersCompletions(reg *registry) bool {
	return slices.ContainsFunc(reg.prompts, (*prompt).completes) ||
		slices.ContainsFunc(reg.templates, func(t *resourceTemplate) bool { return len(t.Complete) > 0 })
}
