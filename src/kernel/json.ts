/** Any JSON value. Callers' documents (attributes, properties) travel as JSON text and are parsed only where needed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * The JSON text of an object a caller sent (attributes, properties). Kept as text from the gateway to every sink: no
 * key of it ever becomes a property of one of our own objects, and nobody pays for parsing what is only passed on.
 */
export type JsonText = string;
