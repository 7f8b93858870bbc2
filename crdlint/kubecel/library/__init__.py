"""The CEL libraries of Kubernetes, one module per library. Upstream: apiserver pkg/cel/library.

A module declares its functions with types, implementation and costs, and the Kubernetes version that introduced them.
Imports that only evaluation needs are inside of the implementations, because type checks do not need them.
"""
