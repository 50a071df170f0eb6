package designer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/rollsmith/rollsmith/problem"
)

// MaxDocument is the largest document that is read, in bytes.
const MaxDocument = 1 << 20

// Parse reads a design document, strictly: an unknown or repeated key is an
// error that names it and its line. What it returns is checked (Check) and has
// every default filled in (Normalise).
func Parse(data []byte) (*Design, error) {
	d, err := Decode(data)
	if err != nil {
		return nil, err
	}
	d.Normalise()
	if err := d.Check(); err != nil {
		return nil, err
	}
	return d, nil
}

// Decode reads a document without judging it: a draft may be incomplete.
func Decode(data []byte) (*Design, error) {
	if len(data) > MaxDocument {
		return nil, problem.Field("document-too-large", "", "", fmt.Sprintf("the document has %d bytes", len(data)), fmt.Sprintf("at most %d are read", MaxDocument))
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	k := keys{dec: json.NewDecoder(bytes.NewReader(data)), data: data}
	k.dec.UseNumber()
	if err := k.value(reflect.TypeFor[Design](), ""); err != nil {
		return nil, k.explain(err)
	}
	if _, err := k.dec.Token(); !errors.Is(err, io.EOF) {
		return nil, problem.Field("document-syntax", "", "", fmt.Sprintf("line %d: text after the end of the document", k.line()), "a document is one JSON object")
	}
	var d Design
	if err := json.Unmarshal(data, &d); err != nil {
		return nil, k.explain(err)
	}
	return &d, nil
}

// JSON gives the document as it is stored and bundled: normalised, indented,
// the same bytes for the same design.
func (d *Design) JSON() []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(d); err != nil {
		panic(err) // a Design holds nothing that JSON cannot
	}
	return b.Bytes()
}

// keys walks a document beside the Go types to find keys that no field takes.
type keys struct {
	dec  *json.Decoder
	data []byte
}

func (k *keys) line() int { return lineAt(k.data, k.dec.InputOffset()) }

func lineAt(data []byte, offset int64) int {
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}

func (k *keys) value(t reflect.Type, path string) error {
	tok, err := k.dec.Token()
	if err != nil {
		return err
	}
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch tok {
	case json.Delim('{'):
		return k.object(t, path)
	case json.Delim('['):
		var elem reflect.Type
		if t != nil && t.Kind() == reflect.Slice {
			elem = t.Elem()
		}
		for i := 0; k.dec.More(); i++ {
			if err := k.value(elem, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
		_, err = k.dec.Token()
	}
	return err
}

func (k *keys) object(t reflect.Type, path string) error {
	seen := map[string]bool{}
	for k.dec.More() {
		tok, err := k.dec.Token()
		if err != nil {
			return err
		}
		name, _ := tok.(string)
		at := strings.TrimPrefix(path+"."+name, ".")
		if seen[name] {
			return problem.Field("repeated-key", at, "", fmt.Sprintf("line %d: the key %q stands there twice", k.line(), name), "keep one of them")
		}
		seen[name] = true
		var field reflect.Type
		if t != nil && t.Kind() == reflect.Map {
			field = t.Elem()
		} else if t != nil && t.Kind() == reflect.Struct {
			var known []string
			if field, known = fieldOf(t, name); field == nil {
				return problem.Field("unknown-key", at, "", fmt.Sprintf("line %d: unknown key %q", k.line(), name), "known here: "+strings.Join(known, ", "))
			}
		}
		if err := k.value(field, at); err != nil {
			return err
		}
	}
	_, err := k.dec.Token()
	return err
}

// fieldOf gives the type of the field that a JSON key fills, and all keys.
func fieldOf(t reflect.Type, key string) (reflect.Type, []string) {
	var known []string
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name == key {
			return t.Field(i).Type, nil
		}
		known = append(known, name)
	}
	return nil, known
}

// explain turns what encoding/json says into words with a field and a line.
func (k *keys) explain(err error) error {
	if p, ok := problem.As(err); ok {
		return p
	}
	var syntax *json.SyntaxError
	var typed *json.UnmarshalTypeError
	switch {
	case errors.As(err, &typed):
		return problem.Field("wrong-type", typed.Field, typed.Value,
			fmt.Sprintf("line %d: a %s stands where %s is needed", lineAt(k.data, typed.Offset), typed.Value, kindWord(typed.Type)), "see /schema/design.json")
	case errors.As(err, &syntax):
		return problem.Field("document-syntax", "", "", fmt.Sprintf("line %d: not JSON: %v", lineAt(k.data, syntax.Offset), err), "a document is one JSON object")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return problem.Field("document-syntax", "", "", fmt.Sprintf("line %d: the document ends too early", lineAt(k.data, int64(len(k.data)))), "a document is one JSON object")
	}
	return problem.Field("document-syntax", "", "", "not JSON: "+err.Error(), "a document is one JSON object")
}

func kindWord(t reflect.Type) string {
	if t == nil {
		return "another value"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	case reflect.Struct, reflect.Map, reflect.Pointer:
		return "an object"
	case reflect.Bool:
		return "true or false"
	}
	return "a number"
}
