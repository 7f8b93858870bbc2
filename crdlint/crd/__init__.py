"""The typed CRD: model, decoding, defaulting, conversion, field paths and errors."""
