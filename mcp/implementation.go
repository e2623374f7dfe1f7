package mcp

import (
	"fmt"
	"strings"

	"isthmus.internal/jsonrpc"
)

// Implementation names a piece of software, client or server (2026-07-28 schema,
// Implementation). It is what that software says of itself: to be shown and
// logged, not to be relied on.
type Implementation struct {
	Name    string
	Version string
	// Title is the name for people (since 2025-06-18).
	Title string
	// Description and WebsiteURL tell people more (since 2025-11-25).
	Description string
	WebsiteURL  string
	// Icons (since 2025-11-25).
	Icons []Icon
}

// Icon is a picture for user interfaces (2026-07-28 basic/index, icons).
type Icon struct {
	// Src is an http, https or data URI. Clients need not load it from anywhere but
	// the server's own origin.
	Src string
	// MIMEType overrides what the server of Src says; may be empty.
	MIMEType string
	// Sizes holds entries like "48x48" or "any"; may be empty.
	Sizes []string
	// Theme is "light", "dark" or empty.
	Theme string
}

// write appends the members of i.
func (i *Implementation) write(w *writer, f *Form) {
	w.text("name", i.Name)
	if f.Title {
		w.optional("title", i.Title)
	}
	w.text("version", i.Version)
	if f.Icons {
		w.optional("description", i.Description)
		if i.WebsiteURL != "" {
			w.needURI("a website", i.WebsiteURL)
			w.text("websiteUrl", i.WebsiteURL)
		}
	}
	w.icons(i.Icons, f)
}

func (w *writer) icons(icons []Icon, f *Form) {
	if !f.Icons || len(icons) == 0 {
		return
	}
	w.open("icons", '[')
	for _, icon := range icons {
		switch {
		case icon.Src == "":
			w.fail("an icon has no src")
		case !isIconSource(icon.Src):
			w.fail("the src of an icon must be an http, https or data URI")
		case checkURI(icon.Src) != nil:
			w.needURI("an icon", icon.Src)
		case icon.Theme != "" && icon.Theme != "light" && icon.Theme != "dark":
			w.fail(fmt.Sprintf(`the theme %q of an icon is neither "light" nor "dark"`, icon.Theme))
		}
		w.open("", '{')
		w.text("src", icon.Src)
		w.optional("mimeType", icon.MIMEType)
		w.texts("sizes", icon.Sizes)
		w.optional("theme", icon.Theme)
		w.close('}')
	}
	w.close(']')
}

// isIconSource reports whether clients may load an icon from there: they must refuse
// every other scheme (2026-07-28 basic/index, icons).
func isIconSource(src string) bool {
	for _, scheme := range []string{"https:", "http:", "data:"} {
		if strings.HasPrefix(strings.ToLower(src[:min(len(src), len(scheme))]), scheme) {
			return true
		}
	}
	return false
}

// ReadImplementation reads an Implementation that a peer sent. where names the
// value in the error, which is one to tell the peer: name and version must be
// there and strings, everything else that is known must have its type, and what
// is not known is passed over.
func ReadImplementation(raw jsonrpc.Raw, where string) (Implementation, *jsonrpc.Error) {
	var i Implementation
	err := i.read(raw, where)
	return i, err
}

// CheckImplementation tells whether [ReadImplementation] would succeed, without
// the cost of its result.
func CheckImplementation(raw jsonrpc.Raw, where string) *jsonrpc.Error {
	return (*Implementation)(nil).read(raw, where)
}

// read fills i, unless it is nil.
func (i *Implementation) read(raw jsonrpc.Raw, where string) *jsonrpc.Error {
	if len(raw) > longestDeclared {
		return tooLong(where)
	}
	var hasName, hasVersion bool
	o := jsonrpc.ReadObject(raw)
	for o.Next() {
		field := i.field(o.Name())
		if field == nil {
			continue
		}
		if o.Value().Kind() != jsonrpc.KindString {
			return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s.%s must be a string", where, o.Name())
		}
		if i != nil {
			*field, _ = o.Value().Text()
		}
		hasName = hasName || string(o.Name()) == "name"
		hasVersion = hasVersion || string(o.Name()) == "version"
	}
	switch {
	case o.Err() != nil:
		return objectFault(where, raw)
	case !hasName:
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s.name must be a string", where)
	case !hasVersion:
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s.version must be a string", where)
	}
	return nil
}

// field is where the string member of this name goes; nil when there is none.
func (i *Implementation) field(name []byte) *string {
	if i == nil {
		i = &Implementation{}
	}
	switch string(name) {
	case "name":
		return &i.Name
	case "version":
		return &i.Version
	case "title":
		return &i.Title
	case "description":
		return &i.Description
	case "websiteUrl":
		return &i.WebsiteURL
	}
	return nil
}

// objectFault says, to the peer, why the value at where could not be read as an
// object. The message has passed the scanner, so all that can be wrong with an
// object in it is a member that stands twice.
func objectFault(where string, raw jsonrpc.Raw) *jsonrpc.Error {
	if raw == nil {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s must be an object: it is missing", where)
	}
	if raw.Kind() != jsonrpc.KindObject {
		return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s must be an object", where)
	}
	return jsonrpc.Errorf(jsonrpc.InvalidParams, "%s has a member twice", where)
}

// String renders name and version.
func (i Implementation) String() string { return fmt.Sprintf("%s %s", i.Name, i.Version) }
