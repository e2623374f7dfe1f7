package mcp_test

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"isthmus.internal/jsonrpc"
	"isthmus.internal/mcp"
)

func TestReadImplementation(t *testing.T) {
	tests := []struct {
		name, raw string
		want      mcp.Implementation
		err       string
	}{
		{"least", `{"name":"t","version":"0"}`, mcp.Implementation{Name: "t", Version: "0"}, ""},
		{"empty strings", `{"name":"","version":""}`, mcp.Implementation{}, ""},
		{"all that is read", `{"websiteUrl":"u","description":"d","title":"T","version":"0","name":"\u0074"}`,
			mcp.Implementation{Name: "t", Version: "0", Title: "T", Description: "d", WebsiteURL: "u"}, ""},
		{"unknown members", `{"name":"t","future":[{}],"version":"0","Name":7}`, mcp.Implementation{Name: "t", Version: "0"}, ""},
		{"no name", `{"version":"0"}`, mcp.Implementation{}, "where.name must be a string"},
		{"no version", `{"name":"t"}`, mcp.Implementation{}, "where.version must be a string"},
		{"name in other case", `{"Name":"t","version":"0"}`, mcp.Implementation{}, "where.name must be a string"},
		{"name is a number", `{"name":1,"version":"0"}`, mcp.Implementation{}, "where.name must be a string"},
		{"version is null", `{"name":"t","version":null}`, mcp.Implementation{}, "where.version must be a string"},
		{"title is an object", `{"name":"t","version":"0","title":{}}`, mcp.Implementation{}, "where.title must be a string"},
		{"description is true", `{"name":"t","version":"0","description":true}`, mcp.Implementation{}, "where.description must be a string"},
		{"websiteUrl is an array", `{"name":"t","version":"0","websiteUrl":[]}`, mcp.Implementation{}, "where.websiteUrl must be a string"},
		{"name twice", `{"name":"t","version":"0","name":"u"}`, mcp.Implementation{}, "where has a member twice"},
		{"absent", ``, mcp.Implementation{}, "where must be an object"},
		{"null", `null`, mcp.Implementation{}, "where must be an object"},
		{"string", `"t"`, mcp.Implementation{}, "where must be an object"},
		{"array", `[{"name":"t","version":"0"}]`, mcp.Implementation{}, "where must be an object"},
	}
	for _, test := range tests {
		got, err := mcp.ReadImplementation(jsonrpc.Raw(test.raw), "where")
		check := mcp.CheckImplementation(jsonrpc.Raw(test.raw), "where")
		if (err == nil) != (check == nil) || err != nil && err.Message != check.Message {
			t.Errorf("%s: %s: ReadImplementation says %v, CheckImplementation %v", test.name, test.raw, err, check)
		}
		if test.err != "" {
			if err == nil || err.Message != test.err || err.Code != jsonrpc.InvalidParams {
				t.Errorf("%s: %s\n got %v\nwant -32602 %s", test.name, test.raw, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %s\n got %+v, %v\nwant %+v", test.name, test.raw, got, err, test.want)
		}
	}
	same(t, "String", mcp.Implementation{Name: "n", Version: "1", Title: "T"}.String(), "n 1")
}

func TestReadClientCapabilities(t *testing.T) {
	type raws = map[string]jsonrpc.Raw
	tests := []struct {
		name, raw string
		want      mcp.ClientCapabilities
		err       string
	}{
		{"none", `{}`, mcp.ClientCapabilities{}, ""},
		{"roots", `{"roots":{}}`, mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}}, ""},
		{"roots that change", `{"roots":{"listChanged":true}}`, mcp.ClientCapabilities{Roots: &mcp.RootsCapability{ListChanged: true}}, ""},
		{"sampling", `{"sampling":{}}`, mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{}}, ""},
		{"sampling with all", `{"sampling":{"tools":{},"context":{}}}`, mcp.ClientCapabilities{Sampling: &mcp.SamplingCapability{Context: true, Tools: true}}, ""},
		{"elicitation of old", `{"elicitation":{}}`, mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: true}}, ""},
		{"elicitation by form", `{"elicitation":{"form":{}}}`, mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: true}}, ""},
		{"elicitation by url alone", `{"elicitation":{"url":{}}}`, mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{URL: true}}, ""},
		{"elicitation by both", `{"elicitation":{"url":{},"form":{}}}`, mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapability{Form: true, URL: true}}, ""},
		{"experimental", `{"experimental":{"a":{"b":1.0},"c":{}}}`,
			mcp.ClientCapabilities{Experimental: raws{"a": jsonrpc.Raw(`{"b":1.0}`), "c": jsonrpc.Raw(`{}`)}}, ""},
		{"extensions", `{"extensions":{"com.example/e":{"v":[9007199254740993]}}}`,
			mcp.ClientCapabilities{Extensions: raws{"com.example/e": jsonrpc.Raw(`{"v":[9007199254740993]}`)}}, ""},
		{"unknown members are kept", `{"tasks":{"list":{}},"future":7,"Roots":null}`,
			mcp.ClientCapabilities{Other: raws{"tasks": jsonrpc.Raw(`{"list":{}}`), "future": jsonrpc.Raw(`7`), "Roots": jsonrpc.Raw(`null`)}}, ""},
		{"unknown members inside", `{"roots":{"future":1}}`, mcp.ClientCapabilities{Roots: &mcp.RootsCapability{}}, ""},
		{"roots is true", `{"roots":true}`, mcp.ClientCapabilities{}, "where.roots must be an object"},
		{"sampling is null", `{"sampling":null}`, mcp.ClientCapabilities{}, "where.sampling must be an object"},
		{"elicitation is an array", `{"elicitation":[]}`, mcp.ClientCapabilities{}, "where.elicitation must be an object"},
		{"experimental is a string", `{"experimental":"x"}`, mcp.ClientCapabilities{}, "where.experimental must be an object"},
		{"extensions is a number", `{"extensions":1}`, mcp.ClientCapabilities{}, "where.extensions must be an object"},
		{"a member twice", `{"roots":{},"roots":{}}`, mcp.ClientCapabilities{}, "where has a member twice"},
		{"a member twice inside", `{"extensions":{"a":{},"a":{}}}`, mcp.ClientCapabilities{}, "where.extensions has a member twice"},
		{"absent", ``, mcp.ClientCapabilities{}, "where must be an object"},
		{"null", `null`, mcp.ClientCapabilities{}, "where must be an object"},
		{"array", `[]`, mcp.ClientCapabilities{}, "where must be an object"},
	}
	for _, test := range tests {
		raw := jsonrpc.Raw(test.raw)
		got, err := mcp.ReadClientCapabilities(raw, "where")
		clear(raw) // the result must keep no span of it
		if test.err != "" {
			if err == nil || err.Message != test.err || err.Code != jsonrpc.InvalidParams {
				t.Errorf("%s: %s\n got %v\nwant -32602 %s", test.name, test.raw, err, test.err)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %s\n got %+v, %v\nwant %+v", test.name, test.raw, got, err, test.want)
		}
	}
}

// What a handler sees of the request's _meta.
func TestCallMeta(t *testing.T) {
	s := quiet(mcp.ServerOptions{})
	s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		return mcp.TextResult(string(c.Meta("traceparent")) + " " + string(c.Meta("absent")) + " " + string(c.Meta("name"))), nil
	})
	inForms(t, func(t *testing.T, f *mcp.Form) {
		same(t, "_meta", ask(t, s, bare(f.Revision), "tools/call", `{"name":"a","_meta":{"traceparent":"00-0a-0b-01"}}`),
			`{"content":[{"type":"text","text":"\"00-0a-0b-01\"  "}]}`)
	})
}

// What a handler learns of the client.
func TestCallClient(t *testing.T) {
	tests := []struct {
		name               string
		info, capabilities jsonrpc.Raw
		want               string
	}{
		{"nothing", nil, nil, " , roots false, other 0"},
		{"both", jsonrpc.Raw(`{"name":"t","version":"2","x":1}`), jsonrpc.Raw(`{"roots":{},"future":{}}`), "t 2, roots true, other 1"},
	}
	for _, test := range tests {
		s := quiet(mcp.ServerOptions{})
		s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			k := c.ClientCapabilities()
			return mcp.TextResult(fmt.Sprintf("%s %s %s, roots %t, other %d", c.Name(), c.ProtocolVersion(), c.ClientInfo(), k.Roots != nil, len(k.Other))), nil
		})
		inForms(t, func(t *testing.T, f *mcp.Form) {
			x := &exchange{server: s, form: bare(f.Revision), info: test.info, capabilities: test.capabilities}
			same(t, test.name, x.ask(t, context.Background(), "tools/call", `{"name":"a"}`),
				`{"content":[{"type":"text","text":"a `+f.Revision+` `+test.want+`"}]}`)
		})
	}
}
