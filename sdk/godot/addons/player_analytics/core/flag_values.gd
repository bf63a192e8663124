extends RefCounted
# What a flag gives the game, and what an exposure names.


# A copy of the served value, or the fallback: without a value, and for one of another type. Null fits every type.
static func served_or(flag: Dictionary, fallback: Variant) -> Variant:
	var value: Variant = flag.get("value")
	if value == null or (fallback != null and _kind_of(value) != _kind_of(fallback)):
		return fallback
	return _typed(value, fallback)


# Why `served_or` gives the fallback although the game asked for something; "" if nothing is wrong.
static func fault(key: String, flag: Dictionary, fallback: Variant) -> String:
	if flag.is_empty():
		return "Flag \"%s\" is not known: misspelt, archived, for servers only, or not among `flags`." % key
	var value: Variant = flag["value"]
	if value == null or fallback == null or _kind_of(value) == _kind_of(fallback):
		return ""
	return "Flag \"%s\" serves a %s, the fallback is a %s: the game gets the fallback." % [
		key, type_string(typeof(value)), type_string(typeof(fallback))
	]


# The key of the variant, or the value of a boolean flag that is on; null if there is none.
static func shown_variant(flag: Dictionary) -> Variant:
	if flag.has("variant"):
		return flag["variant"]
	return flag["value"] if flag.get("value") is bool and flag.get("reason") != "flag_disabled" else null


static func _kind_of(value: Variant) -> int:
	match typeof(value):
		TYPE_INT:
			return TYPE_FLOAT
		TYPE_STRING_NAME:
			return TYPE_STRING
	return typeof(value)


# JSON has one type of numbers: a whole one is an int where the game's own value is.
static func _typed(value: Variant, like: Variant) -> Variant:
	if value is float and like is int and floor(value) == value:
		return int(value)
	if value is int and like is float:
		return float(value)
	if value is Array:
		return value.duplicate(true)
	if not value is Dictionary:
		return value
	var members := {}
	for key in value:
		members[key] = _typed(value[key], like.get(key) if like is Dictionary else null)
	return members
