package jsonschema

// format is a named syntax for strings.
type format struct {
	name    string
	valid   func(string) bool
	example string
}

// hint shows what a string of the format looks like.
func (f *format) hint() string {
	if f.example == "" {
		return ""
	}
	return " (such as " + f.example + ")"
}

func formatOf(name string, d *dialect) *format { return nil }
