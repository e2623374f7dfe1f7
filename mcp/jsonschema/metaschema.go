package jsonschema

import "isthmus.internal/jsonrpc"

var metaschemas = map[string]jsonrpc.Raw{}
