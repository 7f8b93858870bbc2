"""The prompt of `crdlint eval`, the only room that imports prompt_toolkit."""
