package handlers

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strings"

	"github.com/rollsmith/rollsmith/designer"
	"github.com/rollsmith/rollsmith/designer/pattern"
)

// giveSchema serves the JSON Schema of a design document.
func (h *Handlers) giveSchema(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/schema+json; charset=utf-8")
	w.Header().Set("Cache-Control", "public, max-age=300")
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(Schema())
}

// Schema derives the JSON Schema of a design document from the Go types, so
// that the two cannot part. Words and allowed values stand in the tables below.
func Schema() map[string]any {
	s := schemaOf(reflect.TypeFor[designer.Design](), "")
	s["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	s["title"] = "Rollsmith design document, format 1"
	s["required"] = []string{"format", "name", "source", "metrics"}
	return s
}

func schemaOf(t reflect.Type, path string) map[string]any {
	var s map[string]any
	switch t.Kind() {
	case reflect.Pointer:
		return schemaOf(t.Elem(), path)
	case reflect.Struct:
		properties := map[string]any{}
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			properties[name] = schemaOf(t.Field(i).Type, strings.TrimPrefix(path+"."+name, "."))
		}
		s = map[string]any{"type": "object", "additionalProperties": false, "properties": properties}
	case reflect.Map:
		s = map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem(), path+".*")}
	case reflect.Slice:
		s = map[string]any{"type": "array", "items": schemaOf(t.Elem(), path+"[]")}
	case reflect.Bool:
		s = map[string]any{"type": "boolean"}
	case reflect.Int:
		s = map[string]any{"type": "integer"}
	case reflect.Float64:
		s = map[string]any{"type": "number"}
	default:
		s = map[string]any{"type": "string"}
	}
	for key, value := range schemaRules()[path] {
		s[key] = value
	}
	return s
}

func schemaRules() map[string]map[string]any {
	stability := []string{designer.Stable, designer.Mutable, designer.Unknown}
	interval := `^\s*[1-9][0-9]*\s+(second|minute|hour|day|week|month|quarter|year)s?\s*$`
	says := func(text string) map[string]any { return map[string]any{"description": text} }
	enum := func(text string, values any) map[string]any {
		return map[string]any{"description": text, "enum": values}
	}
	return map[string]map[string]any{
		"format":                 {"const": 1},
		"name":                   {"description": "What the design is called; the target's prefix by default.", "minLength": 1, "maxLength": 200},
		"source":                 {"description": "The table the rollup is built from, as introspect prints it.", "required": []string{"database", "table", "engine", "columns", "feed"}},
		"source.feed":            enum("How changes arrive.", append([]designer.Feed{}, designer.Feeds...)),
		"source.key":             says("The columns that identify one logical row; by default the sorting key."),
		"source.order_by":        says("The sorting key: SQL expressions, or names of columns."),
		"source.tombstones":      enum("What the other columns of a delete row hold. Upsert only.", []string{"", "old_values", "defaults", "unknown"}),
		"source.columns":         {"minItems": 1, "maxItems": designer.MaxColumns},
		"source.columns[]":       {"required": []string{"name", "type"}},
		"filter":                 says("A condition over the source's columns that every counted row meets."),
		"grain":                  says("What one answer row stands for."),
		"grain.time":             {"required": []string{"column", "bucket"}},
		"grain.time.bucket":      {"description": "Such as 5 minute.", "pattern": interval},
		"grain.time.timezone":    says("An IANA zone; UTC by default."),
		"grain.dimensions":       {"maxItems": designer.MaxDimensions},
		"grain.dimensions[]":     {"required": []string{"name", "expr"}},
		"metrics":                {"minItems": 1, "maxItems": designer.MaxMetrics},
		"metrics[]":              {"required": []string{"name", "kind"}},
		"metrics[].kind":         enum("What is computed.", designer.Kinds),
		"metrics[].exact":        says("false allows an approximation within 5 %."),
		"metrics[].level":        {"minimum": 0, "maximum": 1},
		"metrics[].k":            {"minimum": 1},
		"stability":              says("Which values never change across the versions of one entity; unknown is treated as mutable."),
		"stability.time":         {"enum": append([]string{""}, stability...)},
		"stability.filter":       {"enum": append([]string{""}, stability...)},
		"stability.dimensions.*": {"enum": stability},
		"stability.settles":      says("How long after its time an entity can still arrive, repeat or change, such as 7 day."),
		"freshness":              says("insert, or the staleness allowed, such as 10 minute."),
		"pattern":                enum("auto, or the pattern to take.", append([]string{"auto"}, pattern.IDs()...)),
		"tiers[]":                {"required": []string{"bucket"}},
		"tiers[].bucket":         {"pattern": interval},
		"backfill.mode":          {"enum": []string{designer.BackfillNone, designer.BackfillOverlap, designer.BackfillWatermark, designer.BackfillPause}},
		"target":                 says("Where what is created goes: the read view is <database>.<prefix>."),
		"deployment":             says("Where the statements run."),
	}
}
