package probed_test

import (
	"net/http/httptest"
	"testing"

	"isthmus.internal/httpmcp"
	"isthmus.internal/testfixtures/probed"
)

// B188: the era is found right of each site.
func TestClientFindsSites(t *testing.T) {
	for _, row := range probed.Sites() {
		t.Run(row.Name, func(t *testing.T) {
			var m methods
			site := httptest.NewServer(row.Handler(m.saw))
			defer site.Close()
			find(t, &row, httpmcp.Dial(site.URL+"/mcp", nil), options(&row))
			if row.Era == probed.Modern && m.has("initialize") || row.Name == "no-common-version" && m.has("initialize") {
				t.Errorf("the server has seen %q", m.seen)
			}
		})
	}
}
