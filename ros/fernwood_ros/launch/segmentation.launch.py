# SPDX-License-Identifier: MIT
"""Labels a camera's topics: ros2 launch fernwood_ros segmentation.launch.py model:=rooms.fernwood"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    model = DeclareLaunchArgument("model", description="A model of fernwood train or fernwood teach")
    defaults = PathJoinSubstitution([FindPackageShare("fernwood_ros"), "config", "segmentation.yaml"])
    parameters = DeclareLaunchArgument("parameters", default_value=defaults, description="A file of parameters")
    node = Node(
        package="fernwood_ros",
        executable="segmentation_node",
        name="fernwood",
        output="screen",
        parameters=[LaunchConfiguration("parameters"), {"model": LaunchConfiguration("model")}],
    )
    return LaunchDescription([model, parameters, node])
