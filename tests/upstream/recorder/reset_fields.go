//go:build !merge_v4 && !reset_by_sets

package main

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// resetting is a strategy that names the fields that a request cannot change.
type resetting interface {
	GetResetFields() map[fieldpath.APIVersion]*fieldpath.Set
}

func resetFields(strategy resetting) map[fieldpath.APIVersion]fieldpath.Filter {
	return fieldpath.NewExcludeFilterSetMap(strategy.GetResetFields())
}
