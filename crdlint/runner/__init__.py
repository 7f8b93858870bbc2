"""Checks made quick: results kept from run to run, and files spread over processes."""
