extends RefCounted
# The clocks and the randomness of the device.


# The device's clock, ms since 1970. It may be wrong, and may jump.
func wall_ms() -> float:
	return Time.get_unix_time_from_system() * 1000.0


# Milliseconds since the start; never goes back.
func steady_ms() -> float:
	return Time.get_ticks_usec() / 1000.0


# Between 0 and 1.
func random() -> float:
	return randf()


func random_hex(bytes: int) -> String:
	return Crypto.new().generate_random_bytes(bytes).hex_encode()
