package handlers_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/rollsmith/rollsmith/designer"
)

func TestTheSchemaTakesWhatParseTakes(t *testing.T) {
	s := open(t)
	served, err := jsonschema.UnmarshalJSON(strings.NewReader(s.do("GET", "/schema/design.json", nil).body))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("design.json", served); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("design.json")
	if err != nil {
		t.Fatal(err)
	}
	good := s.do("GET", s.walk(walks[0])+"/r/1/design.json", nil).body
	for _, c := range []struct {
		name, old, new string
		taken          bool
	}{
		{"a saved document", "", "", true},
		{"an unknown key", `"format": 1,`, `"format": 1, "colour": "red",`, false},
		{"an unknown key deep inside", `"bucket": "1 day",`, `"bucket": "1 day", "offset": 3,`, false},
		{"another format", `"format": 1,`, `"format": 2,`, false},
		{"an unknown feed", `"feed": "upsert"`, `"feed": "upserts"`, false},
		{"an unknown metric kind", `"kind": "count_distinct"`, `"kind": "unique"`, false},
		{"a bucket without a unit", `"bucket": "1 day"`, `"bucket": "1"`, false},
		{"a number for a name", `"name": "daily_revenue"`, `"name": 7`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := good
			if c.old != "" {
				if text = strings.Replace(good, c.old, c.new, 1); text == good {
					t.Fatalf("%s is not in the document", c.old)
				}
			}
			value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); (err == nil) != c.taken {
				t.Errorf("the schema says %v", err)
			}
			if _, err := designer.Parse([]byte(text)); (err == nil) != c.taken {
				t.Errorf("Parse says %v", err)
			}
		})
	}
}

// Every object of the schema is closed, and knows exactly the keys of its type.
func TestTheSchemaIsClosed(t *testing.T) {
	s := open(t)
	var schema map[string]any
	if err := json.Unmarshal([]byte(s.do("GET", "/schema/design.json", nil).body), &schema); err != nil {
		t.Fatal(err)
	}
	objects := 0
	var walk func(string, any)
	walk = func(path string, v any) {
		node, ok := v.(map[string]any)
		if !ok {
			return
		}
		if properties, ok := node["properties"].(map[string]any); ok {
			objects++
			if node["additionalProperties"] != false {
				t.Errorf("%s is open", path)
			}
			for name, p := range properties {
				walk(path+"."+name, p)
			}
		}
		walk(path+"[]", node["items"])
	}
	walk("design", schema)
	if objects != 12 {
		t.Errorf("%d objects, the document has 12", objects)
	}
}
