/** Any JSON value. Callers' documents (attributes, properties) stay JSON text and are parsed only where needed. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** A JSON object. */
export type JsonObject = { [key: string]: Json };

/**
 * The JSON text of an object from a caller (attributes, properties). It stays text from the gateway to every sink: its
 * keys never become properties of the service's own objects, and stages that only forward it need no parsing.
 */
export type JsonText = string;
