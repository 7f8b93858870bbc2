"""Text to nodes: libyaml's events through ruamel.yaml's C parser, or its pure parser where no wheel exists."""
