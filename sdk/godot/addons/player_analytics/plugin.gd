@tool
extends EditorPlugin


func _enable_plugin() -> void:
	add_autoload_singleton("PlayerAnalytics", "res://addons/player_analytics/player_analytics.gd")


func _disable_plugin() -> void:
	remove_autoload_singleton("PlayerAnalytics")
