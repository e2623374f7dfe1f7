package mcp

// RemoveTool takes a tool away and reports whether it was there. Calls of it that run
// go on; later ones are answered as for every unknown tool. Clients that have asked
// for changes of the list are told. The other functions whose names begin with Remove
// do the same for their kind.
func (s *Server) RemoveTool(name string) bool {
	found := false
	s.change(func(reg *registry) {
		var t *tool
		if t, found = reg.toolsByName[name]; found {
			delete(reg.toolsByName, name)
			reg.tools = without(reg.tools, t)
		}
	})
	return s.removed(found, ToolsListChanged)
}

// RemoveResource takes the resource of this uri away and reports whether it was there.
// Subscriptions to it stay, for when it comes back.
func (s *Server) RemoveResource(uri string) bool {
	found := false
	s.change(func(reg *registry) {
		var r *resource
		if r, found = reg.resourcesByURI[uri]; found {
			delete(reg.resourcesByURI, uri)
			reg.resources = without(reg.resources, r)
		}
	})
	return s.removed(found, ResourcesListChanged)
}

// RemoveResourceTemplate takes the template with this text away and reports whether it
// was there.
func (s *Server) RemoveResourceTemplate(uriTemplate string) bool {
	found := false
	s.change(func(reg *registry) {
		var t *resourceTemplate
		if t, found = reg.templatesByText[uriTemplate]; found {
			delete(reg.templatesByText, uriTemplate)
			reg.templates = without(reg.templates, t)
		}
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
