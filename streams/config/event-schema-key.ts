/** The key of an event's schema: event names may hold characters that keys of the log may not. */
export function eventSchemaKey(eventName: string): string {
  return Buffer.from(eventName).toString('base64url');
}

/** The name of the events that the schema with this key describes. */
export function eventNameOf(key: string): string {
  return Buffer.from(key, 'base64url').toString();
}
