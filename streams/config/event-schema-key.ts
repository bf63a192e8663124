/** The key an event's schema is stored under: names may hold anything, keys of the log may not. */
export function eventSchemaKey(eventName: string): string {
  return Buffer.from(eventName).toString('base64url');
}
