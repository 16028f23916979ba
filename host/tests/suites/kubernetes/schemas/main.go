// Writes the JSON Schemas with which kubeconform checks what the chart renders: one file for each kind, out of the
// OpenAPI document in the module of Kubernetes and out of custom resource definitions. Unknown keys are errors.
//
//	schemas OUT SWAGGER_JSON CRD_YAML...
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

type object = map[string]any

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: schemas OUT SWAGGER_JSON CRD_YAML...")
		os.Exit(64)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out, swagger string, crds []string) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	text, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	var document struct{ Definitions map[string]object }
	if err := json.Unmarshal(text, &document); err != nil {
		return fmt.Errorf("%s: %w", swagger, err)
	}
	for name, definition := range document.Definitions {
		strict(definition)
		if strings.HasSuffix(name, ".resource.Quantity") {
			definition["type"] = []any{"string", "number"}
		}
	}
	for name, definition := range document.Definitions {
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		// Those with several kinds are options of requests, such as DeleteOptions.
		if len(kinds) != 1 {
			continue
		}
		kind := kinds[0].(object)
		used := map[string]object{}
		collect(definition, document.Definitions, used)
		whole := object{"$ref": "#/definitions/" + name, "definitions": used}
		used[name] = definition
		if err := write(out, kind["group"].(string), kind["version"].(string), kind["kind"].(string), whole); err != nil {
			return err
		}
	}
	for _, path := range crds {
		if err := definitions(out, path); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// Writes the versions of a custom resource that are served.
func definitions(out, path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var crd struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Name   string
				Served bool
				Schema struct{ OpenAPIV3Schema object }
			}
		}
	}
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return err
	}
	for _, version := range crd.Spec.Versions {
		if !version.Served {
			continue
		}
		schema := version.Schema.OpenAPIV3Schema
		strict(schema)
		if properties, ok := schema["properties"].(object); ok {
			properties["metadata"] = object{"type": "object"}
		}
		if err := write(out, crd.Spec.Group, version.Name, crd.Spec.Names.Kind, schema); err != nil {
			return err
		}
	}
	return nil
}

// Makes of OpenAPI what JSON Schema understands, and forbids keys that are not listed.
func strict(node any) {
	switch node := node.(type) {
	case []any:
		for _, each := range node {
			strict(each)
		}
	case object:
		for _, each := range node {
			strict(each)
		}
		if node["format"] == "int-or-string" || node["x-kubernetes-int-or-string"] == true {
			node["type"] = []any{"string", "integer"}
		}
		// Kubernetes' formats are hints for clients. A property may have that name, too.
		if _, is := node["format"].(string); is {
			delete(node, "format")
		}
		_, properties := node["properties"].(object)
		_, open := node["additionalProperties"]
		if properties && !open && node["type"] == "object" && node["x-kubernetes-preserve-unknown-fields"] != true {
			node["additionalProperties"] = false
		}
	}
}

// Collects the definitions that a schema refers to.
func collect(node any, all, used map[string]object) {
	switch node := node.(type) {
	case []any:
		for _, each := range node {
			collect(each, all, used)
		}
	case object:
		for key, each := range node {
			name, is := strings.CutPrefix(fmt.Sprint(each), "#/definitions/")
			if key != "$ref" || !is {
				collect(each, all, used)
			} else if _, seen := used[name]; !seen {
				used[name] = all[name]
				collect(all[name], all, used)
			}
		}
	}
}

func write(out, group, version, kind string, schema object) error {
	// As kubeconform names them: the group of the core is its version.
	if group == "" {
		group = version
	}
	text, err := json.Marshal(schema)
	if err != nil {
		return err
	}
	name := strings.ToLower(strings.Join([]string{kind, group, version}, "_") + ".json")
	return os.WriteFile(filepath.Join(out, name), text, 0o644)
}
