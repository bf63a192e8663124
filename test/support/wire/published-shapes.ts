import { Ajv2020 } from 'ajv/dist/2020.js';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';

/** Compares answers with the published OpenAPI document. */
export interface PublishedShapes {
  /** The faults of an answer: an undocumented status, a shape that differs, or an undocumented field. */
  faultsOf(method: string, path: string, status: number, body: unknown): string[];
}

/** @param document the parsed OpenAPI document */
export function publishedShapes(document: unknown): PublishedShapes {
  const root = 'openapi';
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  ajv.addFormat('email', /^[^@]+@[^@]+$/);
  ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  ajv.addSchema(Object(exact(document)), root);
  return {
    faultsOf(method, path, status, body) {
      const place = [
        'paths',
        path,
        method.toLowerCase(),
        'responses',
        String(status),
        'content',
        'application/json',
        'schema',
      ];
      const pointer = place.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
      const validate = ajv.getSchema(`${root}#/${pointer}`);
      if (validate === undefined) return [`${method} ${path} documents no ${status}`];
      if (validate(body) === true) return [];
      return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
    },
  };
}

/** The document with every object closed, so that an undocumented field is a fault. Free-form objects stay open. */
function exact(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(exact);
  if (!isPlainObject(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, exact(value)]));
  const describes = copy['type'] === 'object' && isPlainObject(copy['properties']);
  const isOpen = Object.keys(Object(copy['properties'])).length === 0 || copy['additionalProperties'] !== undefined;
  return describes && !isOpen ? { ...copy, additionalProperties: false } : copy;
}
