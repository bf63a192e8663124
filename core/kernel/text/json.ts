/** Any JSON value. Callers' documents (attributes, properties) stay JSON text and are parsed only where needed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * The JSON text of an object from a caller (attributes, properties). It stays text from the gateway to every sink: its
 * keys never become properties of the service's own objects, and stages that only forward it need no parsing.
 */
export type JsonText = string;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** One part of a JSON Pointer (RFC 6901). */
export function pointerPart(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Appends one part to a JSON Pointer. */
export function below(path: string, part: string | number): string {
  return `${path}/${pointerPart(String(part))}`;
}
