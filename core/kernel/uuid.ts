const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether a text is a UUID, of any version and in any case. */
export function isUuid(text: string): boolean {
  return UUID.test(text);
}
