package everything

import (
	"context"
	"errors"
	"strings"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

// sumArguments and sum are those of add.
type sumArguments struct {
	A int64 `json:"a" mcp:"one number"`
	B int64 `json:"b" mcp:"the other"`
}

type sum struct {
	Sum int64 `json:"sum" mcp:"a and b together"`
}

// bigArguments are those of big.
type bigArguments struct {
	N int `json:"n" mcp:"how many letters" minimum:"0" maximum:"67108864"`
}

// headerArguments are those of test_x_mcp_header.
type headerArguments struct {
	Region string `json:"region" mcp:"the region to work in" x-mcp-header:"Region"`
}

// addPlainTools adds the tools that need nothing but their arguments.
func (s *server) addPlainTools() {
	s.AddTool(mcp.Tool{Name: "echo", Title: "Echo", Description: "Answers with its arguments, as text and as they are."}, echo)
	mcp.AddTool(s.Server, mcp.Tool{Name: "add", Title: "Add", Description: "Adds two integers.", Annotations: readOnly()}, add)
	mcp.AddTool(s.Server, mcp.Tool{Name: "big", Description: "Answers with so many letters x."},
		func(_ context.Context, _ *mcp.Call, in bigArguments) (string, error) {
			return strings.Repeat("x", in.N), nil
		})
	s.AddTool(mcp.Tool{Name: "boom", Description: "Panics.", InputSchema: noArguments},
		func(context.Context, *mcp.Call) (*mcp.Result, error) { panic("boom, as it should") })
	s.AddTool(mcp.Tool{Name: "test_error_handling", Description: "Always fails.", InputSchema: noArguments},
		func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return nil, errors.New("This tool intentionally returns an error for testing.")
		})
	mcp.AddTool(s.Server, mcp.Tool{Name: "json_schema_2020_12_tool", Description: "Has a schema with much of JSON Schema 2020-12.", InputSchema: schema2020},
		func(_ context.Context, _ *mcp.Call, in jsonrpc.Raw) (jsonrpc.Raw, error) { return in, nil })
	mcp.AddTool(s.Server, mcp.Tool{Name: "test_x_mcp_header", Description: "Has an argument that goes into a header over HTTP."},
		func(_ context.Context, _ *mcp.Call, in headerArguments) (string, error) {
			return "region: " + in.Region, nil
		})
}

// echo copies its arguments, since they are gone when the result is written.
func echo(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
	text := string(c.Arguments())
	r := mcp.TextResult(text)
	r.Structured = jsonrpc.Raw(text)
	return r, nil
}

func add(_ context.Context, _ *mcp.Call, in sumArguments) (sum, error) {
	total := in.A + in.B
	if (total > in.A) != (in.B > 0) && in.B != 0 {
		return sum{}, errors.New("the sum does not fit into 64 bits: take smaller numbers")
	}
	return sum{total}, nil
}

func readOnly() *mcp.ToolAnnotations {
	return &mcp.ToolAnnotations{ReadOnlyHint: mcp.Ptr(true), IdempotentHint: mcp.Ptr(true)}
}

// schema2020 is told to clients as it stands here.
var schema2020 = jsonrpc.Raw(`{
	"$schema": "https://json-schema.org/draft/2020-12/schema",
	"type": "object",
	"$defs": {
		"address": {
			"$anchor": "addressDef",
			"type": "object",
			"properties": {"street": {"type": "string"}, "city": {"type": "string"}}
		}
	},
	"properties": {
		"name": {"type": "string"},
		"address": {"$ref": "#/$defs/address"},
		"contactMethod": {"type": "string", "enum": ["phone", "email"]},
		"phone": {"type": "string"},
		"email": {"type": "string"}
	},
	"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
	"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
	"then": {"required": ["phone"]},
	"else": {"required": ["email"]},
	"additionalProperties": false
}`)
