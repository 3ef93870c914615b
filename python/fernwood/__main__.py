# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""``python -m fernwood`` runs the program ``fernwood``."""

from _fernwood_program import main

main()
