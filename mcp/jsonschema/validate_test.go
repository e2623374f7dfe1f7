package jsonschema_test

import (
	"fmt"
	"strings"
	"testing"
)

// manyStrings are more choices than are compared one by one.
var manyStrings = func() string {
	var b strings.Builder
	for k := range 40 {
		fmt.Fprintf(&b, `"s%d",`, k)
	}
	return b.String()
}()

func TestValidateAnyKind(t *testing.T) {
	runTable(t, nil, []schemaRow{
		{"true", `true`, []valueRow{{`1`, ``, ``}, {` {"a" : [ ] } `, ``, ``}}},
		{"false", `{"properties":{"a":false}}`, []valueRow{
			{`{}`, ``, ``},
			{`{"a":1}`, `args.a: expected no value at all here, got the number 1`, `#/properties/a`},
		}},
		{"empty", `{}`, []valueRow{{`null`, ``, ``}}},
		{"type", `{"type":"string"}`, []valueRow{
			{`"x"`, ``, ``},
			{`null`, `args: expected a string, got null`, `#/type`},
			{`true`, `args: expected a string, got true`, `#/type`},
			{`[]`, `args: expected a string, got an empty array`, `#/type`},
			{`{ }`, `args: expected a string, got an empty object`, `#/type`},
			{`{ "a" : 1 }`, `args: expected a string, got the object {"a":1}`, `#/type`},
		}},
		{"integer", `{"type":"integer"}`, []valueRow{
			{`1`, ``, ``}, {`1.0`, ``, ``}, {`2e0`, ``, ``}, {`1.50e1`, ``, ``}, {`-0.0`, ``, ``}, {`10e-1`, ``, ``},
			{`1e1000000000000000000000`, ``, ``}, {`0e-99999999999999999999`, ``, ``},
			{`123456789012345678901234567890`, ``, ``},
			{`1.5`, `args: expected an integer, got the number 1.5`, `#/type`},
			{`15e-1`, `args: expected an integer, got the number 15e-1`, `#/type`},
			{`1e-1000000000000000000000`, `args: expected an integer, got the number 1e-1000000000000000000000`, `#/type`},
			{`"5"`, `args: expected an integer, got the string "5"`, `#/type`},
		}},
		{"types", `{"type":["object","null","integer"]}`, []valueRow{
			{`{}`, ``, ``}, {`null`, ``, ``}, {`3`, ``, ``},
			{`3.5`, `args: expected null, an object or an integer, got the number 3.5`, `#/type`},
		}},
		{"enum", `{"enum":["fast",1,{"a":[1,2],"b":"\u00e9"},null]}`, []valueRow{
			{`"f\u0061st"`, ``, ``}, {`1.0`, ``, ``}, {`10e-1`, ``, ``}, {`null`, ``, ``},
			{`{"b":"é","a":[1.0,2e0]}`, ``, ``},
			{`{"b":"é","a":[1.0,2e0],"c":1}`, `args: expected one of "fast", 1, {"a":[1,2],"b":"\u00e9"}, null, got the object {"b":"é","a":[1.0,2e0],"c":1}`, `#/enum`},
			{`false`, `args: expected one of "fast", 1, {"a":[1,2],"b":"\u00e9"}, null, got false`, `#/enum`},
			{`"Fast"`, `args: expected one of "fast", 1, {"a":[1,2],"b":"\u00e9"}, null, got the string "Fast"`, `#/enum`},
		}},
		{"enum of many", `{"enum":[` + manyStrings + `null,1]}`, []valueRow{
			{`"s7"`, ``, ``}, {`"\u007339"`, ``, ``}, {`1.0`, ``, ``}, {`null`, ``, ``},
			{`"s40"`, `args: expected one of "s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "s12", "s13", ` +
				`"s14", "s15", "s16", "s17", "s18", "s19", ... (22 more), got the string "s40"`, `#/enum`},
		}},
		{"const", `{"const":[true,{"a":1}]}`, []valueRow{
			{`[true,{"a":1.00}]`, ``, ``},
			{`[true,{"b":1}]`, `args: expected [true,{"a":1}], got the array [true,{"b":1}]`, `#/const`},
			{`[true]`, `args: expected [true,{"a":1}], got the array [true]`, `#/const`},
		}},
		{"const and enum", `{"enum":[1,2],"const":2}`, []valueRow{
			{`2`, ``, ``},
			{`1`, `args: expected 2, got the number 1`, `#/const`},
			{`3`, `args: expected 2, got the number 3`, `#/const`},
		}},
		{"null is not 0", `{"const":null}`, []valueRow{{`null`, ``, ``}, {`0`, `args: expected null, got the number 0`, `#/const`}}},
	})
}

func TestValidateNumbers(t *testing.T) {
	const precise = `100000000000000000000000000000000.000000000000000000000000000001`
	runTable(t, nil, []schemaRow{
		{"minimum", `{"minimum":-2.50}`, []valueRow{
			{`-2.5`, ``, ``}, {`-25e-1`, ``, ``}, {`0`, ``, ``}, {`"-3"`, ``, ``}, {`1e999999999999`, ``, ``},
			{`-2.500000000000000000000000000000001`, `args: expected a number of at least -2.50, got the number -2.500000000000000000000000000000001`, `#/minimum`},
			{`-3`, `args: expected a number of at least -2.50, got the number -3`, `#/minimum`},
			{`-1e999999999999`, `args: expected a number of at least -2.50, got the number -1e999999999999`, `#/minimum`},
		}},
		{"whole bounds", `{"minimum":1,"maximum":1e2}`, []valueRow{
			{`1`, ``, ``}, {`100`, ``, ``}, {`99.99`, ``, ``},
			{`0`, `args: expected a number of at least 1, got the number 0`, `#/minimum`},
			{`101`, `args: expected a number of at most 1e2, got the number 101`, `#/maximum`},
			{`9223372036854775808`, `args: expected a number of at most 1e2, got the number 9223372036854775808`, `#/maximum`},
			{`-99999999999999999999`, `args: expected a number of at least 1, got the number -99999999999999999999`, `#/minimum`},
		}},
		{"exclusive bounds", `{"exclusiveMinimum":0,"exclusiveMaximum":10}`, []valueRow{
			{`1e-400`, ``, ``}, {`9.999`, ``, ``}, {`1`, ``, ``}, {`9`, ``, ``},
			{`0`, `args: expected a number above 0, got the number 0`, `#/exclusiveMinimum`},
			{`-0.0`, `args: expected a number above 0, got the number -0.0`, `#/exclusiveMinimum`},
			{`10`, `args: expected a number below 10, got the number 10`, `#/exclusiveMaximum`},
			{`10.0`, `args: expected a number below 10, got the number 10.0`, `#/exclusiveMaximum`},
		}},
		{"many digits", `{"maximum":` + precise + `}`, []valueRow{
			{precise, ``, ``}, {`1e32`, ``, ``},
			{`100000000000000000000000000000000.000000000000000000000000000002`,
				`args: expected a number of at most 100000000000000000000000000000000.000000000000000000000000000001, got the number 100000000000000000000000000000000.000000000000000000000000000002`, `#/maximum`},
		}},
		{"multipleOf", `{"multipleOf":0.01}`, []valueRow{
			{`0.07`, ``, ``}, {`19.99`, ``, ``}, {`0`, ``, ``}, {`-4`, ``, ``}, {`1e1000000000000`, ``, ``},
			{`123456789012345678901234567890.12`, ``, ``},
			{`0.075`, `args: expected a multiple of 0.01, got the number 0.075`, `#/multipleOf`},
			{`1e-1000000000000`, `args: expected a multiple of 0.01, got the number 1e-1000000000000`, `#/multipleOf`},
		}},
		{"multipleOf 7", `{"multipleOf":7}`, []valueRow{
			{`7e1000000000`, ``, ``}, {`123456789012345678901234567890`, ``, ``}, {`-14.0`, ``, ``},
			{`1e1000000000`, `args: expected a multiple of 7, got the number 1e1000000000`, `#/multipleOf`},
			{`123456789012345678901234567891`, `args: expected a multiple of 7, got the number 123456789012345678901234567891`, `#/multipleOf`},
		}},
		{"multipleOf of many digits", `{"multipleOf":123456789012345678901}`, []valueRow{
			{`246913578024691357802`, ``, ``}, {`123456789012345678901e100000`, ``, ``},
			{`246913578024691357803`, `args: expected a multiple of 123456789012345678901, got the number 246913578024691357803`, `#/multipleOf`},
		}},
		{"multipleOf 1e-8", `{"type":"number","multipleOf":1e-8}`, []valueRow{{`12391239123`, ``, ``}, {`0.00000001`, ``, ``}}},
	})
}

func TestValidateStrings(t *testing.T) {
	runTable(t, nil, []schemaRow{
		{"length", `{"minLength":2,"maxLength":3}`, []valueRow{
			{`"ab"`, ``, ``}, {`"😀é天"`, ``, ``}, {`"\ud83d\ude00\u00e9"`, ``, ``}, {`12345`, ``, ``},
			{`"😀"`, `args: expected a string of 2 to 3 characters, got the string "😀", which has 1`, `#/minLength`},
			{`"abcd"`, `args: expected a string of 2 to 3 characters, got the string "abcd", which has 4`, `#/maxLength`},
		}},
		{"exact length", `{"minLength":1.0,"maxLength":1}`, []valueRow{
			{`"a"`, ``, ``},
			{`""`, `args: expected a string of exactly 1 character, got the string "", which has 0`, `#/minLength`},
		}},
		{"no length", `{"maxLength":0}`, []valueRow{
			{`""`, ``, ``},
			{`"a"`, `args: expected a string of at most 0 characters, got the string "a", which has 1`, `#/maxLength`},
		}},
		{"huge length", `{"maxLength":1e30,"minLength":0}`, []valueRow{{`"a"`, ``, ``}}},
		{"pattern", `{"pattern":"^a+$"}`, []valueRow{
			{`"aa"`, ``, ``}, {`"\u0061"`, ``, ``}, {`1`, ``, ``},
			{`"a\n"`, `args: expected a string that matches the regular expression ^a+$, got the string "a\n"`, `#/pattern`},
		}},
		{"format is an annotation", `{"format":"date"}`, []valueRow{{`"yesterday"`, ``, ``}}},
		{"content is an annotation", `{"contentMediaType":"application/json","contentEncoding":"base64","contentSchema":{"type":"object"}}`,
			[]valueRow{{`"?"`, ``, ``}}},
	})
}

func TestValidateArrays(t *testing.T) {
	runTable(t, nil, []schemaRow{
		{"items", `{"items":{"type":"integer"}}`, []valueRow{
			{`[]`, ``, ``}, {`[1,2.0]`, ``, ``}, {`{"0":"x"}`, ``, ``},
			{`[1,"x",null]`, `args[1]: expected an integer, got the string "x"; args[2]: expected an integer, got null`, `#/items/type`},
		}},
		{"prefixItems", `{"prefixItems":[{"type":"string"},true],"items":false}`, []valueRow{
			{`["a",1]`, ``, ``}, {`["a"]`, ``, ``},
			{`["a",1,2,3]`, `args: expected an array of at most 2 elements, got an array of 4 elements`, `#/items`},
			{`[1]`, `args[0]: expected a string, got the number 1`, `#/prefixItems/0/type`},
		}},
		{"lengths", `{"minItems":1,"maxItems":2}`, []valueRow{
			{`[1]`, ``, ``},
			{`[]`, `args: expected an array of 1 to 2 elements, got an array of 0 elements`, `#/minItems`},
			{`[1,2,3]`, `args: expected an array of 1 to 2 elements, got an array of 3 elements`, `#/maxItems`},
		}},
		{"uniqueItems", `{"uniqueItems":true}`, []valueRow{
			{`[1,true,"1",[1],{"a":1},null,0,false,"",{}]`, ``, ``},
			{`[{"a":1,"b":[2]},3,{"b":[2.0],"a":1e0}]`, `args: expected an array without equal elements, got an array in which the elements 0 and 2 are equal`, `#/uniqueItems`},
			{`[0,1,2,3,4,5,6,7,8,9,"a",["a",1],10e-1]`, `args: expected an array without equal elements, got an array in which the elements 1 and 12 are equal`, `#/uniqueItems`},
			{`[0,2,3,4,5,6,7,8,9,{"\u0061":[1,"é"]},"a",{"a":[1.0,"\u00e9"]}]`, `args: expected an array without equal elements, got an array in which the elements 9 and 11 are equal`, `#/uniqueItems`},
		}},
		{"contains", `{"contains":{"type":"string"}}`, []valueRow{
			{`[1,"a"]`, ``, ``}, {`{}`, ``, ``},
			{`[1]`, `args: expected an array with at least 1 element of this form: a string, got the array [1]`, `#/contains`},
		}},
		{"contains a number of times", `{"contains":{"const":1},"minContains":2,"maxContains":3}`, []valueRow{
			{`[1,1,2]`, ``, ``},
			{`[1]`, `args: expected an array with 2 to 3 elements of this form: 1, got the array [1]`, `#/minContains`},
			{`[1,1,1,1]`, `args: expected an array with 2 to 3 elements of this form: 1, got the array [1,1,1,1]`, `#/maxContains`},
		}},
		{"unevaluatedItems", `{"allOf":[{"prefixItems":[true]}],"contains":{"const":7},"unevaluatedItems":{"type":"null"}}`, []valueRow{
			{`[1,7,null]`, ``, ``},
			{`[1,7,"x"]`, `args[2]: expected null, got the string "x"`, `#/unevaluatedItems/type`},
		}},
		{"unevaluatedItems false", `{"prefixItems":[true],"unevaluatedItems":false}`, []valueRow{
			{`[1,2]`, `args: expected an array without further elements, got an array of 2 elements`, `#/unevaluatedItems`},
		}},
	})
}

func TestValidateObjects(t *testing.T) {
	runTable(t, nil, []schemaRow{
		{"properties", `{"properties":{"a":{"type":"integer"},"\u00e9":{"type":"string"}}}`, []valueRow{
			{`{"\u0061":1,"é":"x","z":null}`, ``, ``}, {`[]`, ``, ``},
			{`{"\u0061":"1","\u00e9":2}`, `args.a: expected an integer, got the string "1"; args["é"]: expected a string, got the number 2`, `#/properties/a/type`},
			{`{"A":"1"}`, ``, ``},
		}},
		{"required names all that are missing", `{"properties":{"a":{"type":"integer"}},"required":["a","b","c"]}`, []valueRow{
			{`{"c":1,"b":1,"a":1}`, ``, ``},
			{`{}`, `args: expected the required members "a", "b" and "c", got an empty object`, `#/required`},
			{`{"a":"x"}`, `args: expected the required members "b" and "c", got an object with only "a"; args.a: expected an integer, got the string "x"`, `#/required`},
			{`{"b":1,"c":2}`, `args: expected the required member "a", got an object with "b" and "c"`, `#/required`},
		}},
		{"additionalProperties false suggests names", `{"properties":{"query":{},"max_results":{},"old":false},"patternProperties":{"^x-":{}},"additionalProperties":false}`, []valueRow{
			{`{"query":1,"x-1":2}`, ``, ``},
			{`{"qury":1,"maxResults":2,"zzz":3}`, `args: expected no other members than "query" and "max_results", ` +
				`got the unknown members "qury" (did you mean "query"?), "maxResults" (did you mean "max_results"?) and "zzz"`, `#/additionalProperties`},
		}},
		{"no members at all", `{"additionalProperties":false}`, []valueRow{
			{`{"a":1}`, `args: expected an object without such members, got the unknown member "a"`, `#/additionalProperties`},
		}},
		{"additionalProperties", `{"properties":{"a":true},"additionalProperties":{"type":"integer"}}`, []valueRow{
			{`{"a":"x","b":1}`, ``, ``},
			{`{"a b":"x"}`, `args["a b"]: expected an integer, got the string "x"`, `#/additionalProperties/type`},
		}},
		{"patternProperties", `{"patternProperties":{"^n":{"type":"number"},"m$":{"minimum":3}}}`, []valueRow{
			{`{"nm":3,"x":"y"}`, ``, ``},
			{`{"nm":"3"}`, `args.nm: expected a number, got the string "3"`, `#/patternProperties/^n/type`},
			{`{"nm":2}`, `args.nm: expected a number of at least 3, got the number 2`, `#/patternProperties/m$/minimum`},
		}},
		{"propertyNames", `{"propertyNames":{"maxLength":2}}`, []valueRow{
			{`{"ab":1,"\u0061\u0062":2}`, `args: expected objects without two members of one name, got the member "ab" twice`, `#`},
			{`{"ab":1,"\u0061":2}`, ``, ``},
			{`{"abc":1}`, `args.abc: expected a name of this form: {"maxLength":2}, got the name "abc"`, `#/propertyNames`},
			{`{"\u0061bc":1}`, `args.abc: expected a name of this form: {"maxLength":2}, got the name "abc"`, `#/propertyNames`},
		}},
		{"counts", `{"minProperties":1,"maxProperties":2}`, []valueRow{
			{`{"a":1}`, ``, ``},
			{`{}`, `args: expected an object of 1 to 2 members, got an object of 0 members`, `#/minProperties`},
			{`{"a":1,"b":1,"c":1}`, `args: expected an object of 1 to 2 members, got an object of 3 members`, `#/maxProperties`},
		}},
		{"dependentRequired", `{"dependentRequired":{"a":["b","c"]}}`, []valueRow{
			{`{"b":1}`, ``, ``}, {`{"a":1,"b":2,"c":3}`, ``, ``},
			{`{"a":1,"b":1}`, `args: expected the required member "c" beside "a", got an object with "a" and "b"`, `#/dependentRequired/a`},
		}},
		{"dependentSchemas", `{"dependentSchemas":{"a":{"minProperties":2}}}`, []valueRow{
			{`{"b":1}`, ``, ``},
			{`{"a":1}`, `args: expected an object of at least 2 members, got an object of 1 member`, `#/dependentSchemas/a/minProperties`},
		}},
		{"dependencies of old", `{"dependencies":{"a":["b"],"c":{"required":["d"]}}}`, []valueRow{
			{`{}`, ``, ``},
			{`{"a":1}`, `args: expected the required member "b" beside "a", got an object with only "a"`, `#/dependencies/a`},
			{`{"c":1}`, `args: expected the required member "d", got an object with only "c"`, `#/dependencies/c/required`},
		}},
		{"unevaluatedProperties", `{"allOf":[{"properties":{"a":true}}],"anyOf":[{"properties":{"b":{"const":1}}},{"properties":{"c":true}}],"unevaluatedProperties":false}`, []valueRow{
			{`{"a":1,"b":1,"c":1}`, ``, ``},
			{`{"a":1,"b":2}`, `args: expected no other members than "a", "b" and "c", got the unknown member "b"`, `#/unevaluatedProperties`},
			{`{"a":1,"d":2}`, `args: expected no other members than "a", "b" and "c", got the unknown member "d"`, `#/unevaluatedProperties`},
		}},
		{"paths", `{"additionalProperties":{"items":{"properties":{"b/c~":{"type":"null"}}}}}`, []valueRow{
			{`{"a":[{},{"b/c~":1}]}`, `args.a[1]["b/c~"]: expected null, got the number 1`, `#/additionalProperties/items/properties/b~1c~0/type`},
		}},
	})
}

func TestValidateBranches(t *testing.T) {
	const shapes = `{"oneOf":[
		{"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},
		{"properties":{"kind":{"const":"square"},"side":{"type":"number"}},"required":["kind","side"]}]}`
	runTable(t, nil, []schemaRow{
		{"allOf", `{"allOf":[{"minimum":1},{"maximum":3}]}`, []valueRow{
			{`2`, ``, ``},
			{`4`, `args: expected a number of at most 3, got the number 4`, `#/allOf/1/maximum`},
		}},
		{"anyOf of types", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, []valueRow{
			{`1`, ``, ``},
			{`true`, `args: expected a string or an integer, got true`, `#/anyOf`},
		}},
		{"anyOf explains the alternative of this type", `{"anyOf":[{"type":"string","minLength":3},{"$ref":"#/$defs/i"}],"$defs":{"i":{"type":"integer"}}}`, []valueRow{
			{`"a"`, `args: expected a string of at least 3 characters, got the string "a", which has 1`, `#/anyOf/0/minLength`},
			{`true`, `args: expected a string or an integer, got true`, `#/anyOf`},
		}},
		{"oneOf explains the alternative with the right const", shapes, []valueRow{
			{`{"kind":"square","side":3}`, ``, ``},
			{`{"kind":"square","r":3}`, `args: expected the required member "side", got an object with "kind" and "r"`, `#/oneOf/1/required`},
			{`{"kind":"circle","r":"3"}`, `args.r: expected a number, got the string "3"`, `#/oneOf/0/properties/r/type`},
		}},
		{"oneOf fits twice", `{"oneOf":[{"type":"integer"},{"minimum":3},{"type":"null"}]}`, []valueRow{
			{`2`, ``, ``},
			{`4`, `args: expected a value that fits exactly one of the alternatives, got the number 4, which fits the alternatives 0 and 1`, `#/oneOf`},
		}},
		{"not", `{"not":{"type":"string"}}`, []valueRow{
			{`1`, ``, ``},
			{`"a"`, `args: expected anything but a string, got the string "a"`, `#/not`},
		}},
		{"if", `{"if":{"properties":{"a":{"const":1}}},"then":{"required":["b"]},"else":{"maxProperties":1}}`, []valueRow{
			{`{"a":1,"b":2}`, ``, ``}, {`{"a":2}`, ``, ``},
			{`{"a":1}`, `args: expected the required member "b", got an object with only "a"`, `#/then/required`},
			{`{"a":2,"b":2}`, `args: expected an object of at most 1 member, got an object of 2 members`, `#/else/maxProperties`},
		}},
		{"then without if", `{"then":false,"else":false}`, []valueRow{{`1`, ``, ``}}},
		{"$ref", `{"$defs":{"t":{"$anchor":"T","type":"string"}},"properties":{"x":{"$ref":"#/$defs/t"},"y":{"$ref":"#T"}}}`, []valueRow{
			{`{"x":"a","y":"b"}`, ``, ``},
			{`{"x":1}`, `args.x: expected a string, got the number 1`, `#/$defs/t/type`},
			{`{"y":1}`, `args.y: expected a string, got the number 1`, `#/$defs/t/type`},
		}},
		{"$ref to a place that no keyword knows", `{"properties":{"a":{"$ref":"#/x/1"}},"x":[1,{"$id":"http://h/","items":{"$ref":"#/y"},"y":{"type":"null"}}]}`, []valueRow{
			{`{"a":[null]}`, ``, ``},
			{`{"a":[1]}`, `args.a[0]: expected null, got the number 1`, `#/x/1/y/type`},
		}},
		{"alternatives that say nothing at once", `{"anyOf":[{"not":{}},{"properties":{"a":false}}]}`, []valueRow{
			{`{"a":1}`, `args: expected anything but {}, got the object {"a":1}`, `#/anyOf/0/not`},
		}},
		{"anyOf of nothing", `{"anyOf":[false]}`, []valueRow{
			{`1`, `args: expected no value at all here, got the number 1`, `#/anyOf/0`},
		}},
		{"a tree", `{"type":"object","properties":{"next":{"$ref":"#"}},"additionalProperties":false}`, []valueRow{
			{`{"next":{"next":{}}}`, ``, ``},
			{`{"next":{"next":1}}`, `args.next.next: expected an object, got the number 1`, `#/type`},
		}},
	})
}

func TestValidateDraft7(t *testing.T) {
	const d = `"$schema":"http://json-schema.org/draft-07/schema#",`
	runTable(t, nil, []schemaRow{
		{"items as a list", `{` + d + `"items":[{"type":"string"}],"additionalItems":{"type":"null"}}`, []valueRow{
			{`["a",null]`, ``, ``},
			{`["a",1]`, `args[1]: expected null, got the number 1`, `#/additionalItems/type`},
		}},
		{"what stands beside $ref is not there", `{` + d + `"properties":{"a":{"$ref":"#/definitions/s","maxLength":1}},"definitions":{"s":{"type":"string"}}}`, []valueRow{
			{`{"a":"xyz"}`, ``, ``},
			{`{"a":1}`, `args.a: expected a string, got the number 1`, `#/definitions/s/type`},
		}},
		{"keywords of later drafts", `{"$schema":"http://json-schema.org/draft-07/schema","prefixItems":[false],"unevaluatedItems":false,"dependentRequired":{"a":["b"]},"minContains":"x"}`,
			[]valueRow{{`[1]`, ``, ``}, {`{"a":1}`, ``, ``}}},
	})
}

func TestValidateWhatIsNotJSON(t *testing.T) {
	runTable(t, nil, []schemaRow{{"anything", `{}`, []valueRow{
		{``, `args: expected one JSON value, got text that is not one: unexpected end at byte 0`, `#`},
		{`nul`, `args: expected one JSON value, got text that is not one: unexpected character at byte 0`, `#`},
		{`1 2`, `args: expected one JSON value, got text that is not one: text after the value at byte 2`, `#`},
		{`01`, `args: expected one JSON value, got text that is not one: text after the value at byte 1`, `#`},
		{`[1,]`, `args: expected one JSON value, got text that is not one: unexpected character at byte 3`, `#`},
		{"\"\xff\"", `args: expected one JSON value, got text that is not one: a string that is not UTF-8 at byte 2`, `#`},
		{"\"\n\"", `args: expected one JSON value, got text that is not one: unexpected character at byte 1`, `#`},
		{`"\u12g4"`, `args: expected one JSON value, got text that is not one: unexpected character at byte 5`, `#`},
		{`"\x"`, `args: expected one JSON value, got text that is not one: unexpected character at byte 2`, `#`},
		{`"a`, `args: expected one JSON value, got text that is not one: unexpected end at byte 2`, `#`},
		{`1.`, `args: expected one JSON value, got text that is not one: unexpected end at byte 2`, `#`},
		{`1e+`, `args: expected one JSON value, got text that is not one: unexpected end at byte 3`, `#`},
		{`-`, `args: expected one JSON value, got text that is not one: unexpected end at byte 1`, `#`},
		{`{"a" 1}`, `args: expected one JSON value, got text that is not one: unexpected character at byte 5`, `#`},
		{`{1:1}`, `args: expected one JSON value, got text that is not one: unexpected character at byte 1`, `#`},
		{`{"\q":1}`, `args: expected one JSON value, got text that is not one: unexpected character at byte 3`, `#`},
		{`[1 2]`, `args: expected one JSON value, got text that is not one: unexpected character at byte 3`, `#`},
		{`{"a":[{"b":1,"\u0062":2}]}`, `args: expected objects without two members of one name, got the member "b" twice`, `#`},
	}}})
}
