/** Any JSON value. Callers' documents (attributes, properties) stay JSON text and are parsed only where needed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * The JSON text of an object from a caller (attributes, properties). It stays text from the gateway to every sink: its
 * keys never become properties of the service's own objects, and stages that only forward it need no parsing.
 */
export type JsonText = string;

/**
 * The text of an object from a caller, which ClickHouse can read: one whole number beyond 64 bits in digits, as
 * `JSON.stringify` writes 1e20, takes all properties of the text away from it.
 */
export function jsonText(value: object): JsonText {
  const text = JSON.stringify(value);
  return hasLongNumber(text) ? readableText(value) : text;
}

const BEYOND_64_BITS = 2 ** 63;
const ITS_DIGITS = 19;

/** Whether a text has that many digits in a row. One of them is at every such step: few characters are looked at. */
function hasLongNumber(text: string): boolean {
  const isDigit = (at: number): boolean => {
    const code = text.charCodeAt(at);
    return code >= 48 && code <= 57;
  };
  for (let at = ITS_DIGITS - 1; at < text.length; at += ITS_DIGITS) {
    if (!isDigit(at)) continue;
    let [first, last] = [at, at];
    while (isDigit(first - 1)) first -= 1;
    while (isDigit(last + 1)) last += 1;
    if (last - first + 1 >= ITS_DIGITS) return true;
  }
  return false;
}

/** As `JSON.stringify`, but with an exponent in numbers that 64 bits do not hold. */
function readableText(value: unknown): string {
  if (typeof value === 'number' && Math.abs(value) >= BEYOND_64_BITS && Number.isFinite(value)) {
    return value.toExponential();
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(readableText).join(',')}]`;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${readableText(member)}`).join(',')}}`;
}

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
