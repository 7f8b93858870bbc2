"""The typed check of server-side apply: which values the types of structured-merge-diff accept.

A server checks an applied object against types that it derives from its OpenAPI documents, before it merges, converts or
validates the object. These types are neither the schema of a CRD nor Go's types: they know only scalars, lists and maps,
and which fields, keys and set items may occur once. Upstream: sigs.k8s.io/structured-merge-diff, kube-openapi
pkg/schemaconv, apimachinery pkg/util/managedfields.
"""
