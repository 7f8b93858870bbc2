"""The extension libraries that come with cel-go, as tables of declarations by version."""
