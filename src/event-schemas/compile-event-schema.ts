import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { faultOf, holdsAtMost } from '../../core/kernel/validation/validation.ts';
import type { FieldFault } from '../../core/kernel/errors.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { beginCheck, TOO_COSTLY, TooCostlyError } from './check-steps.ts';
import { SAFE_FORMATS } from './safe-formats.ts';
import { safeRegExp, withSafeKeywords } from './safe-keywords.ts';
import { inspectSchema, type SchemaPatterns } from './inspect-schema.ts';

/** A compiled schema of events. */
export interface EventCheck {
  /**
   * Returns the first few faults of an event's properties; an empty list if there are none. Never throws: properties
   * that cannot be checked are a fault. `uncompiled`: call again once `compileAllFaults` has run.
   * @param textLength of the properties as JSON
   */
  faultsOf(properties: Readonly<Record<string, unknown>>, textLength: number): FieldFault[] | 'uncompiled';
  /** Compiles the search for all faults. Most schemas never need it: it doubles what a schema takes in memory. */
  compileAllFaults(): CompileSteps<void>;
}

/** A compilation in steps of a few to 40 ms each. Run one step per turn of the event loop. */
export type CompileSteps<T> = Generator<void, T, void>;

/** `invalid`: paths are JSON Pointers into the schema. */
export type CompiledEventSchema = { kind: 'compiled'; check: EventCheck } | { kind: 'invalid'; faults: FieldFault[] };

/**
 * Compiles a caller's JSON Schema (draft 2020-12, or an earlier one that means the same) of an event's properties.
 * Refuses schemas that could take long to check or to compile.
 */
export function* compileEventSchema(sent: JsonObject): CompileSteps<CompiledEventSchema> {
  if (Buffer.byteLength(JSON.stringify(sent)) > EVENT_SCHEMA_LIMITS.eventSchemaBytes) {
    return {
      kind: 'invalid',
      faults: [{ path: '', message: `must be at most ${EVENT_SCHEMA_LIMITS.eventSchemaBytes} bytes as JSON` }],
    };
  }
  const inspected = inspectSchema(sent);
  if (inspected.kind === 'faulty') return { kind: 'invalid', faults: inspected.faults };
  // The inspection found that the schema means the same in the one draft that the library compiles.
  const { $schema: _, ...schema } = sent;
  const meta = metaSchema ?? (yield* compileMetaSchema());
  if (meta.validateSchema(schema) !== true) {
    return { kind: 'invalid', faults: boundedFaults(meta.errors) };
  }
  yield;
  try {
    const { keywords, patterns } = inspected;
    const first = yield* compiled(schema, patterns, false);
    return { kind: 'compiled', check: checkOf(schema, patterns, keywords, first) };
  } catch (error) {
    const message = error instanceof Error ? error.message : 'does not compile';
    return { kind: 'invalid', faults: [{ path: '', message: bounded(message) }] };
  }
}

/** The compiled meta-schema. Compiled on first use, because that takes as long as the rest of a start. */
let metaSchema: Ajv2020 | undefined;

/** One step for each vocabulary: all at once take 40 ms. */
function* compileMetaSchema(): CompileSteps<Ajv2020> {
  const made = new Ajv2020({ allErrors: true, validateFormats: false, strict: false });
  yield;
  for (const vocabulary of ['core', 'validation', 'unevaluated', 'meta-data', 'applicator']) {
    void made.getSchema(`https://json-schema.org/draft/2020-12/meta/${vocabulary}`);
    yield;
  }
  void made.validateSchema({});
  yield;
  // A large schema takes twice as long until the engine has optimized the compiler: many small ones come first.
  for (let schema = 0; schema < 20; schema++) yield* compiled(WARM_UP, new Map(), true);
  metaSchema = made;
  return made;
}

const WARM_UP: JsonObject = {
  properties: Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, { type: 'integer' }])),
};

/**
 * Each schema has an instance of its own, which is released with it, and no two schemas share names. The schema was
 * checked against the meta-schema before.
 * @param all whether to look for all faults, or to stop at the first
 */
function* compiled(schema: JsonObject, patterns: SchemaPatterns, all: boolean): CompileSteps<ValidateFunction> {
  const ajv = new Ajv2020({
    allErrors: all,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    // The check that this disables would run patterns with an engine whose time is not bounded.
    allowMatchingProperties: true,
    // Inherited properties such as `constructor` do not count as properties of an event.
    ownProperties: true,
    // 19.99 counts as a multiple of 0.01 despite binary rounding.
    multipleOfPrecision: 9,
    validateSchema: false,
    meta: false,
    logger: false,
    formats: { ...SAFE_FORMATS },
    // Optimizing takes four fifths of compiling, up to 0.5 s, and saves little of what a check takes.
    code: { regExp: safeRegExp(patterns), optimize: false },
  });
  yield;
  const validate = withSafeKeywords(ajv).compile(schema);
  yield;
  // The engine parses the generated code on its first call, which takes as long as generating it.
  run(validate, {});
  return validate;
}

function checkOf(schema: JsonObject, patterns: SchemaPatterns, keywords: number, first: ValidateFunction): EventCheck {
  let all: ValidateFunction | undefined;
  return {
    faultsOf(properties, textLength) {
      const work = keywords * textLength;
      if (work > EVENT_SCHEMA_LIMITS.eventSchemaWork || visitsTooMany(properties, keywords, textLength)) {
        return [{ path: '', message: TOO_COSTLY }];
      }
      const early = run(first, properties);
      // A small event gets all its faults; a large one could have millions.
      if (early.length === 0 || work > EVENT_SCHEMA_LIMITS.eventSchemaAllFaults) return early;
      if (all === undefined) return 'uncompiled';
      const every = run(all, properties);
      return every.length === 0 ? early : every;
    },
    *compileAllFaults() {
      all ??= yield* compiled(schema, patterns, true);
    },
  };
}

/** Counts values of large events only: each value takes at least two characters, itself and a separator. */
function visitsTooMany(properties: Readonly<Record<string, unknown>>, keywords: number, textLength: number): boolean {
  if ((keywords * textLength) / 2 <= EVENT_SCHEMA_LIMITS.eventSchemaVisits) return false;
  return !holdsAtMost(properties, Math.floor(EVENT_SCHEMA_LIMITS.eventSchemaVisits / keywords));
}

function run(validate: ValidateFunction, properties: Readonly<Record<string, unknown>>): FieldFault[] {
  beginCheck();
  try {
    return validate(properties) ? NO_FAULTS : boundedFaults(validate.errors);
  } catch (error) {
    return [{ path: '', message: error instanceof TooCostlyError ? error.message : 'cannot be checked' }];
  }
}

const NO_FAULTS: FieldFault[] = [];

function boundedFaults(errors: ValidateFunction['errors']): FieldFault[] {
  const faults = (errors ?? [])
    .map(faultOf)
    .map(({ path, message }) => ({ path: bounded(path), message: bounded(message) }));
  const seen = new Set<string>();
  const distinct = faults.filter(({ path, message }) => {
    const line = `${path} ${message}`;
    return !seen.has(line) && seen.add(line);
  });
  return distinct.slice(0, SHARED_LIMITS.quarantineFaults);
}

function bounded(text: string): string {
  return text.length <= SHARED_LIMITS.quarantineFaultLength
    ? text
    : `${text.slice(0, SHARED_LIMITS.quarantineFaultLength)}…`;
}
