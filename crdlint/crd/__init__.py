"""The CRD as typed data: model, decoding, defaulting, conversion, field paths and errors."""
