package mcp

import "slices"

// RemoveTool takes a tool away and reports whether it was there. Calls of it that run
// go on; later ones are answered as for every unknown tool. Clients that have asked
// for changes of the list are told. The other functions whose names begin with Remove
// do the same for their kind.
func (s *Server) RemoveTool(name string) bool {
	found := false
	s.change(func(reg *registry) {
		_, found = reg.toolsByName[name]
		delete(reg.toolsByName, name)
		reg.tools = slices.DeleteFunc(reg.tools, func(t *tool) bool { return t.Name == name })
	})
	return s.removed(found, ToolsListChanged)
}

// RemoveResource takes the resource of this uri away and reports whether it was there.
// Subscriptions to it stay, for when it comes back.
func (s *Server) RemoveResource(uri string) bool {
	found := false
	s.change(func(reg *registry) {
		_, found = reg.resourcesByURI[uri]
		delete(reg.resourcesByURI, uri)
		reg.resources = slices.DeleteFunc(reg.resources, func(r *resource) bool { return r.URI == uri })
	})
	return s.removed(found, ResourcesListChanged)
}

// RemoveResourceTemplate takes the template with this text away and reports whether it
// was there.
func (s *Server) RemoveResourceTemplate(uriTemplate string) bool {
	found := false
	s.change(func(reg *registry) {
		before := len(reg.templates)
		reg.templates = slices.DeleteFunc(reg.templates, func(t *resourceTemplate) bool { return t.URITemplate == uriTemplate })
		found = len(reg.templates) < before
	})
	return s.removed(found, ResourcesListChanged)
}

// removed tells of a removal, if there was one.
func (s *Server) removed(found bool, kind ChangeKind) bool {
	if found {
		s.publish(Change{Kind: kind})
	}
	return found
}
