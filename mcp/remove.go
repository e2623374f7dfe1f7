package mcp

// RemoveTool takes a tool away and reports whether it was there. Calls of it that run
// go on; later ones are answered as for every unknown tool. Clients that have asked
// for changes of the list are told. The other functions whose names begin with Remove
// do the same for their kind.
func (s *Server) RemoveTool(name string) bool { return s.remove(toolKind, name) }

// RemoveResource takes the resource of this uri away and reports whether it was there.
// Subscriptions to it stay, for when it comes back.
func (s *Server) RemoveResource(uri string) bool { return s.remove(resourceKind, uri) }

// RemoveResourceTemplate takes the template with this text away and reports whether it
// was there.
func (s *Server) RemoveResourceTemplate(uriTemplate string) bool {
	return s.remove(templateKind, uriTemplate)
}

// RemovePrompt takes a prompt away and reports whether it was there.
func (s *Server) RemovePrompt(name string) bool { return s.remove(promptKind, name) }
