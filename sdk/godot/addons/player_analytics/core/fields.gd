extends RefCounted
# Reads members of JSON objects that may be absent or of another type.


static func object(members, name: String) -> Dictionary:
	var value = members.get(name) if members is Dictionary else null
	return value if value is Dictionary else {}


# "" if there is none.
static func text(members, name: String) -> String:
	var value = members.get(name) if members is Dictionary else null
	return value if value is String else ""


# null if there is none.
static func list(members, name: String):
	var value = members.get(name) if members is Dictionary else null
	return value if value is Array else null


# The texts in a list that are not empty.
static func texts(members, name: String) -> Array:
	var found := []
	var items = list(members, name)
	for item in items if items != null else []:
		if item is String and item != "":
			found.append(item)
	return found


# A whole number from 0 to the given one; -1 if there is none.
static func count(members, name: String, most: int) -> int:
	var value = members.get(name) if members is Dictionary else null
	if not (value is float or value is int) or value < 0 or value > most or floor(value) != value:
		return -1
	return int(value)


static func is_true(members, name: String) -> bool:
	var value = members.get(name) if members is Dictionary else null
	return value is bool and value
