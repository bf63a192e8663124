import { isObject, type Json, type JsonText } from '../../../core/kernel/text/json.ts';

/** The attributes by name. */
export function fieldsOf(attributes: JsonText): [string, Json][] {
  const value: Json = JSON.parse(attributes);
  return isObject(value) ? Object.entries(value) : [];
}
