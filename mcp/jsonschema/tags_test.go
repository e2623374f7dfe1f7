package jsonschema_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"isthmus.internal/mcp/jsonschema"
)

// fieldSchema infers a struct of one optional field F and returns the field's schema.
func fieldSchema(typ reflect.Type, tag string) (string, error) {
	s := reflect.StructOf([]reflect.StructField{{Name: "F", Type: typ, Tag: reflect.StructTag(tag)}})
	got, err := jsonschema.Infer(s)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(got), `{"type":"object","properties":{"F":`)
	text = strings.TrimSuffix(text, `,"additionalProperties":false}`)
	text = strings.TrimSuffix(text, `,"required":["F"]`)
	return strings.TrimSuffix(text, "}"), nil
}

func TestTags(t *testing.T) {
	tests := []struct {
		typ       reflect.Type
		tag, want string
	}{
		{typ[string](), `mcp:"what \"it\" is"`, `{"type":"string","description":"what \"it\" is"}`},
		{typ[string](), `mcp:"d" title:"T"`, `{"type":"string","title":"T","description":"d"}`},
		{typ[any](), `mcp:"anything" default:"{\"a\": 1}"`, `{"description":"anything","default":{"a":1}}`},
		{typ[*tree](), `mcp:"a tree"`, ``},
		{typ[string](), `enum:"a, b,c"`, `{"type":"string","enum":["a","b","c"]}`},
		{typ[string](), `enum:"[\"a,b\",\"c\"]"`, `{"type":"string","enum":["a,b","c"]}`},
		{typ[int](), `enum:"1,2,3" default:"2"`, `{"type":"integer","enum":[1,2,3],"default":2}`},
		{typ[float64](), `enum:"1.50,2"`, `{"type":"number","enum":[1.50,2]}`},
		{typ[string](), `default:""`, `{"type":"string","default":""}`},
		{typ[string](), `default:"10"`, `{"type":"string","default":"10"}`},
		{typ[bool](), `default:"true"`, `{"type":"boolean","default":true}`},
		{typ[[]int](), `default:"[1, 2]"`, `{"type":"array","default":[1,2],"items":{"type":"integer"}}`},
		{typ[map[string]int](), `default:"{\"a\":1}" minProperties:"1" maxProperties:"2"`,
			`{"type":"object","default":{"a":1},"minProperties":1,"maxProperties":2,"additionalProperties":{"type":"integer"}}`},
		{typ[int](), `minimum:"1" maximum:"9007199254740993"`, `{"type":"integer","minimum":1,"maximum":9007199254740993}`},
		{typ[float64](), `exclusiveMinimum:"0" exclusiveMaximum:"1e3" multipleOf:"0.5"`,
			`{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1e3,"multipleOf":0.5}`},
		{typ[uint8](), `minimum:"1"`, `{"type":"integer","minimum":1,"maximum":255}`},
		{typ[string](), `minLength:"1" maxLength:"9" pattern:"^[a-z]+$" format:"uri"`,
			`{"type":"string","minLength":1,"maxLength":9,"pattern":"^[a-z]+$","format":"uri"}`},
		{typ[[]string](), `minItems:"1" maxItems:"3" uniqueItems:"true" enum:"a,b" maxLength:"1"`,
			`{"type":"array","minItems":1,"maxItems":3,"uniqueItems":true,"items":{"type":"string","enum":["a","b"],"maxLength":1}}`},
		{typ[string](), `x-mcp-header:"Region"`, `{"type":"string","x-mcp-header":"Region"}`},
		{typ[bool](), `x-mcp-header:"Flag"`, `{"type":"boolean","x-mcp-header":"Flag"}`},
		{typ[int](), `x-mcp-header:"Count"`, `{"type":"integer","x-mcp-header":"Count","minimum":-9007199254740991,"maximum":9007199254740991}`},
		{typ[uint](), `x-mcp-header:"Count" maximum:"10"`, `{"type":"integer","minimum":0,"maximum":10,"x-mcp-header":"Count"}`},
		{typ[string](), `yaml:"x" db:"y,z" validate:"min=1" bson:"a" toml:"b" xml:"c" form:"d" query:"e" header:"f" binding:"required" env:"g" gorm:"h" ` +
			`mapstructure:"i" msgpack:"j" protobuf:"k" schema:"l" example:"m" help:"n" name:"o" type:"p" csv:"q" cbor:"r" ini:"s" uri:"t" json5:"u" url:"v" avro:"w" m:"x"`, `{"type":"string"}`},
		{typ[time.Time](), `format:"date-time"`, `{"type":"string","format":"date-time"}`},
		{typ[string](), `format:"com.example/part"`, `{"type":"string","format":"com.example/part"}`},
		{typ[color](), `default:"red"`, `{"type":"string","enum":["red","green"],"default":"red"}`},
	}
	for _, test := range tests {
		got, err := fieldSchema(test.typ, test.tag)
		if test.want == "" { // beside a reference
			if want := `"description":"a tree"}`; err != nil || !strings.Contains(got, want) {
				t.Errorf("%v `%s`\n got %s, %v\nwant it with %s", test.typ, test.tag, got, err, want)
			}
			continue
		}
		if err != nil || got != test.want {
			t.Errorf("%v `%s`\n got %s, %v\nwant %s", test.typ, test.tag, got, err, test.want)
		}
	}
}

func TestTagFaults(t *testing.T) {
	tests := []struct {
		typ       reflect.Type
		tag, want string
	}{
		{typ[string](), `minimum:"1"`, "tag minimum: it is for integer, number, and the field is string"},
		{typ[int](), `minLength:"1"`, "tag minLength: it is for string, and the field is integer"},
		{typ[int](), `minItems:"1"`, "tag minItems: it is for array"},
		{typ[bool](), `enum:"true"`, "tag enum: it is for string, integer, number, and the field is boolean"},
		{typ[any](), `pattern:"a"`, "and the field is any value"},
		{typ[list](), `pattern:"a"`, "and the field is a type that contains itself"},
		{typ[int](), `minimum:"one"`, `tag minimum: "one" is no integer`},
		{typ[int](), `minimum:"1.5"`, `tag minimum: "1.5" is no integer`},
		{typ[float64](), `minimum:"x"`, `tag minimum: "x" is not JSON`},
		{typ[float64](), `minimum:"\"1\""`, `is no number`},
		{typ[float64](), `multipleOf:"0"`, "0 is not above 0"},
		{typ[string](), `minLength:"-1"`, `"-1" is no count`},
		{typ[string](), `minLength:"1.0"`, `"1.0" is no count`},
		{typ[int](), `minimum:"2" maximum:"1"`, "tag minimum: 2 is above maximum, 1"},
		{typ[[]string](), `minLength:"2" maxLength:"1"`, "tag minLength: 2 is above maxLength, 1"},
		{typ[uint8](), `maximum:"256"`, "tag maximum: 256 is beyond 255, which the type has"},
		{typ[int8](), `minimum:"-129"`, "tag minimum: -129 is beyond -128"},
		{typ[int](), `enum:"1,x"`, `tag enum: "x" is no integer`},
		{typ[string](), `enum:"a,,b"`, `"a,,b" has an empty value`},
		{typ[string](), `enum:"a,a"`, `"a" stands twice`},
		{typ[string](), `enum:"[1]"`, `1 is no string`},
		{typ[string](), `enum:"[\"a\""`, `is no JSON array of strings`},
		{typ[int](), `default:"x"`, `tag default: "x" is no integer`},
		{typ[bool](), `default:"1"`, `tag default: "1" is no boolean`},
		{typ[[]int](), `default:"1"`, `"1" is no array`},
		{typ[map[string]int](), `default:"[]"`, `"[]" is no object`},
		{typ[[]int](), `uniqueItems:"yes"`, `"yes" is neither true nor false`},
		{typ[int8](), `default:"200"`, `tag default: the value: expected a number of at most 127, got the number 200`},
		{typ[string](), `default:"c" enum:"a,b"`, `tag default: the value: expected`},
		{typ[uint](), `enum:"-1"`, `tag enum: the value: expected`},
		{typ[string](), `enum:"a,B" pattern:"^[a-z]$"`, `tag enum: the value: expected`},
		{typ[[]string](), `enum:"a,bb" maxLength:"1"`, `tag enum: the value: expected`},
		{typ[[]int8](), `default:"[1,200]"`, `tag default: `},
		{typ[int](), `required:"maybe"`, `tag required: "maybe" is neither true nor false`},
		{typ[int](), `required:"true" default:"1"`, "a field that is required has no default"},
		{typ[string](), `mcp:""`, "tag mcp: it is empty"},
		{typ[float64](), `x-mcp-header:"A"`, "tag x-mcp-header: it is for string, integer, boolean, and the field is number"},
		{typ[[]string](), `x-mcp-header:"A"`, "and the field is array"},
		{typ[string](), `minlength:"1"`, "tag minlength: it would be passed over; it is spelt minLength"},
		{typ[string](), `max_length:"1"`, "tag max_length: it would be passed over; it is spelt maxLength"},
		{typ[string](), `X-MCP-Header:"1"`, "it is spelt x-mcp-header"},
		{typ[string](), `description:"1"`, "tag description: it would be passed over; it is spelt mcp"},
		{typ[string](), `jsonschema:"description=foo"`, `tag jsonschema: it would be passed over; it is spelt mcp:"…" for the description, and minimum:"…"`},
		{typ[string](), `jsonschema_description:"foo"`, "it is spelt mcp"},
		{typ[int](), `min:"3"`, "tag min: it would be passed over; it is spelt minimum, or minLength, or minItems"},
		{typ[int](), `max:"3"`, "it is spelt maximum, or maxLength, or maxItems"},
		{typ[string](), `desc:"a"`, "it is spelt mcp"},
		{typ[string](), `describe:"a"`, "it is spelt mcp"},
		{typ[string](), `minLen:"1"`, "tag minLen: it would be passed over; it is spelt minLength"},
		{typ[string](), `max-len:"1"`, "it is spelt maxLength"},
		{typ[string](), `regex:"a"`, "it is spelt pattern"},
		{typ[string](), `Regexp:"a"`, "it is spelt pattern"},
		{typ[string](), `enums:"a,b"`, "it is spelt enum"},
		{typ[string](), `minLenght:"1"`, "it is spelt minLength"},
		{typ[string](), `defualt:"1"`, "it is spelt default"},
		{typ[string](), `requird:"true"`, "it is spelt required"},
		{typ[string](), `titel:"a"`, "it is spelt title"},
		{typ[string](), `optional:"true"`, `it is spelt required:"false"`},
		{typ[string](), `format:"datetime"`, `tag format: "datetime" would be passed over; it is spelt date-time`},
		{typ[string](), `format:"url"`, `it is spelt uri`},
		{typ[[]string](), `format:"URI"`, `it is spelt uri`},
		{typ[time.Time](), `format:"date"`, `tag format: "date" is another form than "date-time", which the type has`},
		{typ[string](), `format:"email" default:"a"`, "tag default: the value: expected a string of the format email"},
		{typ[string](), `format:"email" enum:"a@example.com,b"`, "tag enum: the value: expected a string of the format email"},
		{typ[string](), `mcp:"a" mcp:"b"`, "tag mcp: it stands twice"},
		{typ[string](), `mcp: "a"`, "the struct tag is malformed"},
		{typ[string](), `mcp`, "the struct tag is malformed"},
		{typ[string](), `mcp:"a`, "the value does not end"},
		{typ[string](), `json:"a,omitemtpy"`, `tag json: the option "omitemtpy" is none of`},
		{typ[[]int](), `json:"a,string"`, "the option string is for strings, numbers and booleans, not for []int"},
		{typ[level](), `json:"a,string"`, "which has a form of its own"},
		{typ[string](), `json:"a\"b"`, "is no name for a member"},
	}
	for _, test := range tests {
		got, err := fieldSchema(test.typ, test.tag)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "field F: ") {
			t.Errorf("%v `%s`\n got %s, %v\nwant an error about field F with %q", test.typ, test.tag, got, err, test.want)
		}
	}
}

// What is wrong with fields as such.
func TestFieldFaults(t *testing.T) {
	type hidden struct{ A int }
	tests := []struct {
		typ  reflect.Type
		want string
	}{
		{reflect.StructOf([]reflect.StructField{
			{Name: "A", Type: typ[int](), Tag: `json:"x"`}, {Name: "B", Type: typ[int](), Tag: `json:"x"`},
		}), `field B: another field has the name "x", too`},
		{typ[struct{ *hidden }](), "a pointer to an unexported struct cannot be set"},
		{typ[struct {
			hidden `json:"h"`
		}](), "an embedded struct with a member of its own must be exported"},
		{typ[struct {
			Other `mcp:"it"`
		}](), "tag mcp: the fields of an embedded struct are described each for itself"},
		{typ[struct {
			Other `required:"true"`
		}](), "tag required: the fields of an embedded"},
	}
	for _, test := range tests {
		got, err := jsonschema.Infer(test.typ)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("Infer(%v)\n got %s, %v\nwant an error with %q", test.typ, got, err, test.want)
		}
	}
}
