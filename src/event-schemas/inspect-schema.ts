import { compileRegex, type CompiledRegex } from '../../actors/conditions/regex.ts';
import type { FieldFault } from '../../core/kernel/errors.ts';
import { isObject, pointerPart, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_LIMITS } from './limits.ts';
import { KEYWORDS, lackingIn, LATEST, NONE, NOTES_BESIDE_REFERENCE } from './schema-keywords.ts';
import { VALIDATION_LIMITS } from '../../core/kernel/validation/limits.ts';

const REFERENCE = /^#\/(\$defs|definitions)\/([A-Za-z0-9._-]{1,100})$/;

/** Keywords and required names of the root or of one definition, and how often it refers to each definition. */
interface Part {
  keywords: number;
  refs: Map<string, number>;
}

/**
 * `keywords`: the number of keywords with all references expanded: the cost of a check for each value.
 * `patterns`: the compiled patterns of the schema; compiling one may take milliseconds.
 */
export type InspectedSchema =
  | { kind: 'sound'; keywords: number; patterns: SchemaPatterns }
  | { kind: 'faulty'; faults: FieldFault[] };
export type SchemaPatterns = ReadonlyMap<string, Extract<CompiledRegex, { kind: 'compiled' }>>;

/**
 * Finds faults of a schema before it is compiled: schemas that could take too long, and keywords that have no effect.
 * The meta-schema checks the values of keywords afterwards. Paths are JSON Pointers into the schema.
 */
export function inspectSchema(schema: JsonObject): InspectedSchema {
  const faults: FieldFault[] = [];
  const note: Note = (path, message) => {
    if (faults.length < VALIDATION_LIMITS.reportedFaults) faults.push({ path, message });
  };
  const { root, definitions, patterns } = walkSchema(schema, note);
  if (faults.length > 0) return { kind: 'faulty', faults };
  const noteUnknown = ({ refs }: Part, owner: string): void => {
    for (const name of refs.keys())
      if (!definitions.has(name)) note(owner, `refers to #/${name}, which does not exist`);
  };
  for (const [name, part] of definitions) noteUnknown(part, `/${name}`);
  noteUnknown(root, '');
  if (faults.length > 0) return { kind: 'faulty', faults };
  const keywords = expandedKeywords(root, definitions);
  if (keywords === undefined) note('/$defs', 'must not refer to itself, directly or through others');
  else if (keywords > EVENT_SCHEMA_LIMITS.eventSchemaKeywords) {
    note('', `must have at most ${EVENT_SCHEMA_LIMITS.eventSchemaKeywords} keywords, counting those behind each $ref`);
  }
  return keywords === undefined || faults.length > 0
    ? { kind: 'faulty', faults }
    : { kind: 'sound', keywords, patterns };
}

type Note = (path: string, message: string) => void;

interface WalkedSchema {
  root: Part;
  definitions: ReadonlyMap<string, Part>;
  patterns: SchemaPatterns;
}

/** Visits every keyword of a schema and notes the faults that need no other part of it. */
function walkSchema(schema: JsonObject, note: Note): WalkedSchema {
  const root: Part = { keywords: 0, refs: new Map() };
  const definitions = new Map<string, Part>();
  const patterns = createPatternCheck(note);
  const lacking = lackingIn(schema['$schema']) ?? NONE;
  const ignoresBesideReference = lacking.has('$defs');
  walk(schema, '', 1, root);
  return { root, definitions, patterns: patterns.compiled };

  function walk(schema: Json | undefined, path: string, depth: number, part: Part): void {
    if (typeof schema === 'boolean') {
      part.keywords += 1;
      return;
    }
    if (!isObject(schema)) return note(path, 'must be a schema: an object, true or false');
    if (depth > EVENT_SCHEMA_LIMITS.eventSchemaDepth)
      return note(path, `must not nest deeper than ${EVENT_SCHEMA_LIMITS.eventSchemaDepth} schemas`);
    for (const [keyword, value] of Object.entries(schema)) {
      if (KEYWORDS.get(keyword) !== 'note') part.keywords += 1;
      if (
        lacking.has(keyword) ||
        (ignoresBesideReference && '$ref' in schema && !NOTES_BESIDE_REFERENCE.has(keyword))
      ) {
        note(`${path}/${pointerPart(keyword)}`, 'has no effect in the draft that `$schema` names; leave out `$schema`');
      }
      walkKeyword(keyword, value, `${path}/${pointerPart(keyword)}`, depth, part);
    }
  }

  function walkKeyword(keyword: string, value: Json, path: string, depth: number, part: Part): void {
    const below = (schema: Json, at: string): void => walk(schema, `${path}/${pointerPart(at)}`, depth + 1, part);
    switch (KEYWORDS.get(keyword)) {
      case undefined:
        return note(path, 'is not a keyword that an event schema may use');
      case 'note':
      case 'value':
        return;
      case 'names':
        for (const names of isObject(value) ? Object.values(value) : [value]) {
          if (Array.isArray(names)) part.keywords += names.length;
        }
        return;
      case 'dialect':
        if (part !== root || depth > 1 || lackingIn(value) === undefined) {
          note(path, `must be ${LATEST}, draft 2019-09 or draft-07, at the top level`);
        }
        return;
      case 'pattern':
        return patterns.check(value, path);
      case 'ref':
        return noteReference(value, path, part, note);
      case 'schema':
        return walk(value, path, depth + 1, part);
      case 'schemas':
        if (Array.isArray(value)) for (const [at, schema] of value.entries()) below(schema, String(at));
        return;
      case 'named':
        for (const [name, schema] of entriesOf(value, path, note)) below(schema, name);
        return;
      case 'patterned':
        for (const [pattern, schema] of entriesOf(value, path, note)) {
          patterns.check(pattern, `${path}/${pointerPart(pattern)}`);
          below(schema, pattern);
        }
        return;
      case 'definitions':
        if (part !== root || depth > 1) return note(path, 'must be at the top level');
        for (const [name, schema] of entriesOf(value, path, note)) {
          const definition: Part = { keywords: 0, refs: new Map() };
          definitions.set(`${keyword}/${name}`, definition);
          walk(schema, `${path}/${pointerPart(name)}`, depth + 1, definition);
        }
    }
  }
}

/** A compiled schema silently ignores a member with this name, so it is refused. */
function entriesOf(value: Json, path: string, note: Note): [string, Json][] {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.some(([name]) => name === '__proto__'))
    note(`${path}/__proto__`, 'is a name that schemas cannot describe');
  return entries;
}

/** Compiles the patterns of one schema, each once. */
function createPatternCheck(note: Note): { check: (pattern: Json, path: string) => void; compiled: SchemaPatterns } {
  const compiled = new Map<string, Extract<CompiledRegex, { kind: 'compiled' }>>();
  let count = 0;
  return {
    compiled,
    check(pattern, path) {
      if (typeof pattern !== 'string' || compiled.has(pattern)) return;
      count += 1;
      if (count > EVENT_SCHEMA_LIMITS.eventSchemaPatterns) {
        return note(path, `exceeds the maximum of ${EVENT_SCHEMA_LIMITS.eventSchemaPatterns} patterns`);
      }
      const one = compileRegex(pattern, false);
      if (one.kind === 'invalid') note(path, one.message);
      else compiled.set(pattern, one);
    },
  };
}

function noteReference(value: Json, path: string, part: Part, note: Note): void {
  const [, group, own] = (typeof value === 'string' ? REFERENCE.exec(value) : null) ?? [];
  const name = `${group}/${own}`;
  if (own === undefined) return note(path, 'must be #/$defs/ followed by the name of a definition of this schema');
  part.refs.set(name, (part.refs.get(name) ?? 0) + 1);
}

/**
 * The number of keywords with all references expanded: each keyword may be checked once for one value. With nested
 * references, 30 lines of schema can expand to a billion keywords. `undefined`: the references form a cycle.
 */
function expandedKeywords(root: Part, definitions: ReadonlyMap<string, Part>): number | undefined {
  const sizes = new Map<string, number | 'open'>();
  const sizeOf = ({ keywords, refs }: Part): number | undefined => {
    let sum = keywords;
    for (const [name, times] of refs) {
      const size = sizeOfDefinition(name);
      if (size === undefined) return undefined;
      sum += times * size;
    }
    return sum;
  };
  const sizeOfDefinition = (name: string): number | undefined => {
    const known = sizes.get(name);
    if (known === 'open') return undefined;
    if (known !== undefined) return known;
    sizes.set(name, 'open');
    const part = definitions.get(name);
    const size = part === undefined ? 0 : sizeOf(part);
    if (size !== undefined) sizes.set(name, size);
    return size;
  };
  // Includes definitions without references, because they are compiled as well.
  for (const name of definitions.keys()) if (sizeOfDefinition(name) === undefined) return undefined;
  return sizeOf(root);
}
