// Package replicas runs three servers behind nginx, which hands requests to them in turn. They share
// a file of keys and nothing else. All of it is tests, which need nginx: make replicas.
//
// The configuration of nginx is the one that docs/http.md shows.
package replicas
