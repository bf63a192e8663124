/** With the bytes of a guest as a copy, if there are any: decoded bytes are a view into their message. */
export function ownGuest<T extends object>(value: T): T {
  return 'guest' in value && value.guest instanceof Uint8Array
    ? { ...value, guest: new Uint8Array(value.guest) }
    : value;
}
