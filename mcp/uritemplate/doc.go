// Package uritemplate reads URI templates (RFC 6570), levels 1 to 4, expands them,
// and, where that is defined, finds the values in a uri that a template expanded to.
//
//	t, err := uritemplate.Parse("docs://{area}{/path*}{?lang}")
//	…
//	uri, err := t.Expand(uritemplate.Values{
//		"area": uritemplate.Text("guide"),
//		"path": uritemplate.List("server", "tools"),
//	}) // docs://guide/server/tools
//	m, err := t.Matcher()
//	…
//	values, ok := m.Match(uri) // the same values again
//
// # Matching
//
// RFC 6570 defines expansion alone and says that its inverse is not always there
// (section 1.4). Matching here is an inverse: what a uri gives would expand to that
// uri, but for the spelling of percent-encoded characters. It looks at each byte of the
// uri a fixed number of times and never goes back, so the work grows with the length
// of the uri and no more, whatever the uri is.
//
//   - An expression matches the characters that it can expand to. {x}, {.x}, {/x},
//     {;x}, {?x} and {&x} take unreserved characters and percent-encoded ones; so a
//     "/" as such is never part of a value. {+x} and {#x} take reserved characters as
//     well.
//   - A value ends at the first place where what follows in the template can begin; the
//     value before the literal that ends the template takes all up to that end. So a
//     value that itself holds what follows it is not found again.
//   - {x}, {x,y} and {+x} need all of their values, and at least one character. The
//     expressions with a first character of their own may be absent; their values are
//     then undefined. {/x,y} and {.x,y} fill their variables from the left. The
//     variables of {;x,y}, {?x,y} and {&x,y} may be absent one by one, and come in the
//     order of the template.
//   - A variable with * takes a list, any other one text. Maps are not found again:
//     their keys could be anything.
//   - Values are percent-decoded once. A % without two hexadecimal digits behind it, and
//     bytes that are no UTF-8, do not match. A decoded value may hold any character,
//     "/" and "..", too: a uri that spells them %2F and %2E%2E is what expansion makes of
//     them. Never join a value to a path.
//
// [Template.Matcher] refuses, with the expression and the reason, the templates that
// would leave a choice:
//
//   - {x}{y}: nothing tells where one value ends and the next begins;
//   - {x:3}: what the rest of the value was is lost;
//   - {x*,y}, {/x*,y}: which values are whose is open;
//   - {+x,y}, {+x*} and the same with #: values may hold the comma between them;
//   - {/x*}/y, {/x*}{/y}, {.x}.y: what follows begins as a further value would;
//   - a variable that stands twice.
package uritemplate
