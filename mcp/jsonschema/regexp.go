package jsonschema

import "regexp"

func compilePattern(source string) (*regexp.Regexp, error) { return regexp.Compile(source) }
