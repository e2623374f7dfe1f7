package jsonrpc_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"isthmus.internal/jsonrpc"
)

func TestErrorf(t *testing.T) {
	tests := []struct {
		name string
		e    *jsonrpc.Error
		want string
	}{
		{"no arguments", jsonrpc.Errorf(jsonrpc.InvalidParams, "wrong"), "jsonrpc: error -32602: wrong"},
		{"arguments", jsonrpc.Errorf(-1, "at most %d of %q", 3, "a"), `jsonrpc: error -1: at most 3 of "a"`},
		{"lines, escapes and what is no text", &jsonrpc.Error{Code: -1, Message: "a\r\nb\x1b[31m\u202e\xff"}, "jsonrpc: error -1: a  b [31m \ufffd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.e.Error(); got != tt.want {
				t.Errorf("Error() = %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCodeOf(t *testing.T) {
	found := jsonrpc.Errorf(jsonrpc.MethodNotFound, "x")
	tests := []struct {
		name string
		err  error
		want jsonrpc.Code
	}{
		{"nil", nil, 0},
		{"an *Error", found, jsonrpc.MethodNotFound},
		{"wrapped", fmt.Errorf("a: %w", found), jsonrpc.MethodNotFound},
		{"joined", errors.Join(io.EOF, found), jsonrpc.MethodNotFound},
		{"another error", io.EOF, jsonrpc.InternalError},
		{"code 0", &jsonrpc.Error{}, jsonrpc.InternalError},
		{"a nil *Error", nilError(), jsonrpc.InternalError},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := jsonrpc.CodeOf(tt.err); got != tt.want {
				t.Errorf("CodeOf(%#v) = %d, want %d", tt.err, got, tt.want)
			}
		})
	}
}

func TestErrorIs(t *testing.T) {
	err := fmt.Errorf("a: %w", &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "x", Data: jsonrpc.Raw("1")})
	tests := []struct {
		name   string
		target error
		want   bool
	}{
		{"the same code", &jsonrpc.Error{Code: jsonrpc.MethodNotFound}, true},
		{"another code", &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "x"}, false},
		{"another error", io.EOF, false},
		{"a nil *Error", nilError(), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := errors.Is(err, tt.target); got != tt.want {
				t.Errorf("errors.Is(%v, %#v) = %v, want %v", err, tt.target, got, tt.want)
			}
		})
	}
}

func TestAppendErrorAndReadError(t *testing.T) {
	tests := []struct {
		name string
		id   jsonrpc.ID
		e    *jsonrpc.Error
		want string
	}{
		{"no id", jsonrpc.ID{}, jsonrpc.Errorf(jsonrpc.ParseError, "x"), `{"jsonrpc":"2.0","error":{"code":-32700,"message":"x"}}`},
		{"id 0", jsonrpc.IntID(0), jsonrpc.Errorf(1, "x"), `{"jsonrpc":"2.0","id":0,"error":{"code":1,"message":"x"}}`},
		{"the empty id", jsonrpc.StringID(""), jsonrpc.Errorf(1, "x"), `{"jsonrpc":"2.0","id":"","error":{"code":1,"message":"x"}}`},
		{"data", jsonrpc.IntID(1), &jsonrpc.Error{Code: -32022, Message: "a \"b\"\n<&>", Data: jsonrpc.Raw(`{"a":[1.50]}`)},
			`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"a \"b\"\n<&>","data":{"a":[1.50]}}}`},
		{"data that is null", jsonrpc.IntID(1), &jsonrpc.Error{Code: 1, Data: jsonrpc.Raw(`null`)},
			`{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"","data":null}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := string(jsonrpc.AppendError([]byte("."), tt.id, tt.e))
			if got != "."+tt.want {
				t.Errorf("AppendError gives\n     %s\nwant .%s", got, tt.want)
			}
			var m jsonrpc.Message
			if fault := mcpScanner.Scan([]byte(tt.want), &m); fault != nil {
				t.Fatal(fault)
			}
			e := jsonrpc.ReadError(m.Error)
			if e.Code != tt.e.Code || e.Message != tt.e.Message || string(e.Data) != string(tt.e.Data) {
				t.Errorf("ReadError(%s) = %#v, want %#v", m.Error, e, tt.e)
			}
		})
	}
}

func TestReadErrorOfABadObject(t *testing.T) {
	for _, raw := range []string{``, `null`, `7`, `[]`, `{}`, `{"message":"x"}`, `{"code":0,"message":"x"}`, `{"code":"1","message":"x"}`,
		`{"code":1.5}`, `{"code":1e400}`, `{"code":1,"code":2}`, `{"code":1`, `{"Code":1}`} {
		if e := jsonrpc.ReadError(jsonrpc.Raw(raw)); e == nil || e.Code != jsonrpc.InternalError || e.Data != nil {
			t.Errorf("ReadError(%s) = %#v, want an internal error", raw, e)
		}
	}
}

func TestAppendMessage(t *testing.T) {
	tests := []struct {
		name   string
		id     jsonrpc.ID
		method string
		params []byte
		want   string
	}{
		{"a request", jsonrpc.IntID(0), "ping", nil, `{"jsonrpc":"2.0","id":0,"method":"ping"}`},
		{"a request with params", jsonrpc.StringID("a\n"), "x/y", []byte(`{"a":1}`), `{"jsonrpc":"2.0","id":"a\n","method":"x/y","params":{"a":1}}`},
		{"a notification", jsonrpc.ID{}, "n", nil, `{"jsonrpc":"2.0","method":"n"}`},
		{"a method that needs escapes", jsonrpc.ID{}, "\"\u2028", []byte(`{}`), `{"jsonrpc":"2.0","method":"\"\u2028","params":{}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := string(jsonrpc.AppendMessage([]byte("."), tt.id, tt.method, tt.params)); got != "."+tt.want {
				t.Errorf("got  %s\nwant .%s", got, tt.want)
			}
		})
	}
}
