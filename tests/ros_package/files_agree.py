# SPDX-License-Identifier: MIT
# Copyright The fernwood authors.
"""Checks that the files of the ROS 2 package that are not compiled are valid and name the same package.

files_agree.py ros/fernwood_ros
"""

import ast
import pathlib
import sys
import xml.etree.ElementTree as xml

package = pathlib.Path(sys.argv[1])
ast.parse((package / "launch/segmentation.launch.py").read_text())
name = xml.parse(package / "package.xml").getroot().findtext("name")
if f"project({name} " not in (package / "CMakeLists.txt").read_text():
    sys.exit(f"package.xml names {name}, which is not the project of CMakeLists.txt")
