import type { Json } from '../../core/kernel/text/json.ts';

/** The kind of a keyword's value. */
export type Shape =
  | 'note'
  | 'value'
  | 'names'
  | 'schema'
  | 'schemas'
  | 'named'
  | 'patterned'
  | 'pattern'
  | 'ref'
  | 'definitions'
  | 'dialect';

/**
 * The keywords of draft 2020-12 that an event schema may use. Not allowed are keywords that name or fetch other
 * documents (`$id`, `$anchor`, `$dynamicRef` …), and unknown names: a misspelt keyword would accept the values it
 * should refuse.
 */
export const KEYWORDS: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['$schema', 'dialect'],
  ['$defs', 'definitions'],
  // The name of `$defs` before draft 2019-09.
  ['definitions', 'definitions'],
  ['$ref', 'ref'],
  ...shaped('note', '$comment title description default examples deprecated readOnly writeOnly'),
  ...shaped(
    'value',
    'type enum const multipleOf maximum exclusiveMaximum minimum exclusiveMinimum maxLength minLength format',
  ),
  ...shaped('value', 'maxItems minItems uniqueItems maxContains minContains maxProperties minProperties'),
  ...shaped('names', 'required dependentRequired'),
  ['pattern', 'pattern'],
  ['patternProperties', 'patterned'],
  ...shaped('named', 'properties dependentSchemas'),
  ...shaped('schemas', 'allOf anyOf oneOf prefixItems'),
  ...shaped('schema', 'items contains additionalProperties propertyNames unevaluatedItems unevaluatedProperties'),
  ...shaped('schema', 'if then else not'),
]);

function shaped(shape: Shape, names: string): [string, Shape][] {
  return names.split(' ').map((name) => [name, shape]);
}

export const LATEST = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Earlier drafts, with the keywords that mean nothing or something else in them. What they have of their own
 * (`dependencies`, `additionalItems`, a list in `items`) is no keyword here.
 */
const EARLIER: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['json-schema.org/draft/2019-09/schema', new Set(['prefixItems', 'unevaluatedItems'])],
  [
    'json-schema.org/draft-07/schema',
    new Set([
      '$defs',
      'deprecated',
      'dependentRequired',
      'dependentSchemas',
      'maxContains',
      'minContains',
      'prefixItems',
      'unevaluatedItems',
      'unevaluatedProperties',
    ]),
  ],
]);

export const NONE: ReadonlySet<string> = new Set();

/** The keywords that a dialect lacks; undefined if it is not supported. */
export function lackingIn(dialect: Json | undefined): ReadonlySet<string> | undefined {
  if (dialect === undefined) return NONE;
  if (typeof dialect !== 'string') return undefined;
  const name = dialect.replace(/^https?:\/\//, '').replace(/#$/, '');
  return name === LATEST.slice('https://'.length) ? NONE : EARLIER.get(name);
}

/** In drafts before 2019-09, whatever stands beside `$ref` has no effect. */
export const NOTES_BESIDE_REFERENCE: ReadonlySet<string> = new Set(['$ref', '$comment', 'title', 'description']);
