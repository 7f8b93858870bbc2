// The modules of each version are in versions/; `go build -modfile=versions/1.37/go.mod` chooses one.
module crdlint/upstream/recorder

go 1.26.0
