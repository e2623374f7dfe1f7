package overhttp

import (
	"context"
	"net/http"
	"strings"

	"isthmus.internal/httpmcp"
	"isthmus.internal/mcp"
)

// NewSite mounts an endpoint of s at /tools/mcp, for users who bring a token.
func NewSite(s *mcp.Server, users map[string]*mcp.Principal) (http.Handler, *httpmcp.Endpoint) {
	o := &httpmcp.Options{
		Principal: func(r *http.Request) *mcp.Principal {
			p, _ := r.Context().Value(principalKey{}).(*mcp.Principal)
			return p
		},
		AllowedOrigins: []string{"https://app.example"},
	}
	endpoint := httpmcp.Handler(s, o)
	mux := http.NewServeMux()
	mux.Handle("/tools/mcp", httpmcp.Guard(authenticate(users, endpoint), o))
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return mux, endpoint
}

type principalKey struct{}

// authenticate lets requests pass whose token it knows, and notes whose it is.
func authenticate(users map[string]*mcp.Principal, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		p := users[token]
		if p == nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "a token is needed", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), principalKey{}, p)))
	})
}
