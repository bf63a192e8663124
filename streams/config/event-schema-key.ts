/** The key of an event's schema: event names may hold characters that keys of the log may not. */
export function eventSchemaKey(eventName: string): string {
  return Buffer.from(eventName).toString('base64url');
}
