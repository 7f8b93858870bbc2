"""The CEL libraries that Kubernetes adds, one module a library (apiserver pkg/cel/library).

A module declares its functions with types, implementation and costs, and the Kubernetes version that brought them.
Implementations import what only evaluation needs when they are called: a check of types loads none of it.
"""
