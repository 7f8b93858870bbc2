//go:build reset_by_sets

package main

import "sigs.k8s.io/structured-merge-diff/v4/fieldpath"

// resetting is a strategy that names the fields that a request cannot change.
type resetting interface {
	GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set
}

// Older releases give a field manager the sets themselves.
func resetFields(strategy resetting) map[fieldpath.APIVersion]*fieldpath.Set {
	return strategy.GetResetFields()
}
