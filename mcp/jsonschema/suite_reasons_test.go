package jsonschema_test

import "strings"

// reason says why a case does not pass, and in which way: how the outcome begins.
type reason struct{ outcome, why string }

// reasons are the optional cases of the suite that do not pass. A key is the file below
// optional/, and behind a colon the description of the group or of the case.
type reasons map[string]reason

const (
	taken   = "the value is taken"
	idna    = "the tables of IDNA are not in the standard library; labels are checked for letters, digits and hyphens"
	content = "content is an annotation (draft-07 validation, section 8), and nothing is decoded"
	old     = "draft 2019-09 is not one of the two dialects"
)

var optionalReasons = reasons{
	"cross-draft.json: refs to historic drafts are processed as historic drafts": {"Compile: ", old},
	"cross-draft.json: refs to future drafts are processed as future drafts":     {"Compile: ", old},

	"content.json: validation of string-encoded content based on media type": {taken, content},
	"content.json: validation of binary string-encoding":                     {taken, content},
	"content.json: validation of binary-encoded media type documents":        {taken, content},

	"format/hostname.json: validation of A-label (punycode) host names":    {taken, idna},
	"format/idn-hostname.json: validation of internationalized host names": {taken, idna},
}

// find returns why a case does not pass, and the key of that.
func (r reasons) find(c suiteCase, outcome string) (why, key string) {
	_, file, _ := strings.Cut(c.file, "/optional/")
	for _, key := range []string{file + ": " + c.name, file + ": " + c.group} {
		if found := r[key]; found.why != "" && strings.HasPrefix(outcome, found.outcome) {
			return found.why, key
		}
	}
	return "", ""
}
