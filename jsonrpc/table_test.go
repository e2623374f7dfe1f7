package jsonrpc_test

import (
	"testing"

	"isthmus.internal/jsonrpc"
)

func TestTable(t *testing.T) {
	var table jsonrpc.Table[int]
	if got, ok := table.Lookup([]byte("ping")); ok {
		t.Errorf("an empty table has %d", got)
	}
	adds := []struct {
		method string
		h      int
		want   bool
	}{
		{"tools/list", 1, true},
		{"ping", 2, true},
		{"tools/list", 3, false}, // is there
		{"", 4, false},
		{"Ping", 5, true}, // names are exact
		{"a", 6, true},
	}
	for _, a := range adds {
		if got := table.Add(a.method, a.h); got != a.want {
			t.Errorf("Add(%q, %d) = %v, want %v", a.method, a.h, got, a.want)
		}
	}
	lookups := []struct {
		method string
		want   int
		ok     bool
	}{
		{"tools/list", 1, true},
		{"ping", 2, true},
		{"Ping", 5, true},
		{"PING", 0, false},
		{"tools/lis", 0, false},
		{"tools/list\x00", 0, false},
		{"", 0, false},
	}
	for _, l := range lookups {
		if got, ok := table.Lookup([]byte(l.method)); got != l.want || ok != l.ok {
			t.Errorf("Lookup(%q) = %d, %v, want %d, %v", l.method, got, ok, l.want, l.ok)
		}
	}
}

func TestTableLookupAllocatesNothing(t *testing.T) {
	var table jsonrpc.Table[int]
	table.Add("notifications/resources/list_changed", 1)
	method := []byte("notifications/resources/list_changed")
	if n := testing.AllocsPerRun(100, func() { table.Lookup(method) }); n != 0 {
		t.Errorf("Lookup allocates %v times", n)
	}
}
