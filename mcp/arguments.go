package mcp

import "isthmus.internal/jsonrpc"

// arguments are those of a call, with its members looked up once.
type arguments struct {
	whole   jsonrpc.Raw
	members []argument
	few     [2]argument // room for members of the usual call
}

type argument struct {
	name  []byte
	value jsonrpc.Raw
}

var noArguments = jsonrpc.Raw(`{}`)

// readArguments checks params.arguments: an object, or absent (2026-07-28 schema,
// CallToolRequestParams). No member may stand twice, since two readers might take
// a different one of the two.
func (c *Call) readArguments() error {
	a := &c.arguments
	a.whole = c.message.Param("arguments")
	if a.whole == nil {
		a.whole = noArguments
		return nil
	}
	a.members = a.few[:0]
	o := jsonrpc.ReadObject(a.whole)
	for o.Next() {
		a.members = append(a.members, argument{o.Name(), o.Value()})
	}
	if o.Err() != nil {
		return objectFault("params.arguments", a.whole)
	}
	return nil
}

// Arguments is the object of the tool's arguments, {} when there are none.
func (c *Call) Arguments() jsonrpc.Raw { return c.arguments.whole }

// Argument is one argument of the tool by its exact name, nil when it is absent:
//
//	text, ok := c.Argument("text").Text()
func (c *Call) Argument(name string) jsonrpc.Raw {
	for _, m := range c.arguments.members {
		if string(m.name) == name {
			return m.value
		}
	}
	return nil
}
