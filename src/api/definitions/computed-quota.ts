import type { TargetingKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import {
  createPropertyQuota,
  namedIn,
  propertiesOf,
  type NamedSpec,
} from '../../../actors/properties/needed-properties.ts';
import { specOf } from '../../../actors/properties/property-document.ts';
import { propertyIdOf } from '../../../actors/computed/property-spec.ts';
import { nearest } from '../../../core/kernel/text/edit-distance.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Json } from '../../../core/kernel/text/json.ts';
import { COMPUTED_LIMITS } from '../../../actors/properties/limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { VALIDATION_LIMITS } from '../../../core/kernel/validation/limits.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { NameWarning } from './name-warnings.ts';
import { readsNow } from './references.ts';

/* What the definitions of a game and environment need of computed properties, together. */

/** A definition that is about to be written. */
export interface ComputingDefinition {
  kind: TargetingKind;
  /** Its stored key. The stored version of it does not count. */
  key: string;
  named?: readonly NamedSpec[];
  conditions?: readonly Json[];
}

interface Computing {
  kind: ComputingDefinition['kind'];
  key: string;
  /** The key that people know it by. */
  shown: string;
  named: readonly NamedSpec[];
  conditions: readonly Json[];
}

/**
 * Faults of a definition whose conditions name unknown properties, or which needs more properties than the bounds
 * allow. A definition that needs none is not compared with the others.
 * @param path of the conditions
 */
export function computedFaults(definition: ComputingDefinition, path: string, context: RequestContext): FieldFault[] {
  const { kind, key, named = [], conditions = [] } = definition;
  const unknown = [...namedIn(conditions)].filter((name) => propertyOf(name, context) === undefined);
  if (unknown.length > 0) {
    const { game, environment } = context.key;
    const keys = context.services.config.list('property', game, environment).map((entry) => entry.key);
    const near = (name: string): string => {
      const [first] = nearest(name, keys, 1);
      const hint = first === undefined ? '' : ` (did you mean computed.${first}?)`;
      return `${hint}; GET /v1/properties/properties lists all`;
    };
    return unknown.slice(0, VALIDATION_LIMITS.reportedFaults).map((name) => ({
      path,
      message: `reads computed.${name}, which is not a computed property of this game and environment${near(name)}`,
    }));
  }
  const added = propertiesOf(named, conditions);
  if (added.size === 0) return [];
  const needed = neededBy(computingIn(context).filter((other) => other.kind !== kind || other.key !== key));
  const quota = createPropertyQuota();
  for (const spec of needed.values()) quota.add(spec);
  for (const [id, spec] of added) {
    const exceeded = needed.has(id) ? undefined : quota.add(spec);
    if (exceeded !== undefined) return [{ path, message: EXCEEDED[exceeded] }];
  }
  return [];
}

const EXCEEDED = {
  properties:
    `needs more computed properties than the maximum of ${COMPUTED_LIMITS.computedProperties} per game and environment; ` +
    'conditions on `events` with the same name, filter and window share one',
  'of one event':
    `needs more computed properties of one event name than the maximum of ${STATE_LIMITS.computedPerEvent} ` +
    'per game and environment',
  buckets:
    `needs more than ${STATE_LIMITS.computedBuckets} buckets in all computed properties of the game and environment; ` +
    'use shorter windows: a property takes a bucket for each day, and ten if its values may be texts',
} as const;

function neededBy(computing: readonly Computing[]) {
  return propertiesOf(
    computing.flatMap(({ named }) => named),
    computing.flatMap(({ conditions }) => conditions),
  );
}

/** What warns about conditions of no definition that read events which no definition counts. */
export function uncountedWarnings(conditions: Json, path: string, context: RequestContext): NameWarning[] {
  const read = [...propertiesOf([], [conditions]).keys()];
  if (read.length === 0) return [];
  const needed = neededBy(computingIn(context));
  return read.every((id) => needed.has(id)) ? [] : [{ path, message: UNCOUNTED, suggestions: [] }];
}

const UNCOUNTED =
  'reads events by their properties that nothing counts yet, and takes their number as 0; store the segment with ' +
  '`"enabled": false`, and ask again when its past is counted';

/** Ids of the computed properties that conditions read. */
export function computedIdsIn(conditions: readonly Json[], context: RequestContext): string[] {
  const named = [...namedIn(conditions)].flatMap((key) => {
    const document = propertyOf(key, context)?.document;
    return document === undefined ? [] : [propertyIdOf(specOf(document), key)];
  });
  return [...propertiesOf([], conditions).keys(), ...named];
}

/** Keys of the definitions whose conditions read a named property, by kind. */
export function readersOfComputed(key: string, context: InGame): Record<string, string[]> {
  const readers: Record<string, string[]> = {};
  for (const { kind, shown, conditions } of computingIn(context)) {
    if (namedIn(conditions).has(key)) (readers[`${kind}s`] ??= []).push(shown);
  }
  return Object.fromEntries(
    Object.entries(readers).map(([kind, keys]) => [kind, keys.slice(0, VALIDATION_LIMITS.reportedFaults)]),
  );
}

function propertyOf(key: string, { key: { game, environment }, services }: RequestContext) {
  return services.config.get({ game, environment, kind: 'property', key });
}

type InGame = Pick<RequestContext, 'key' | 'services'>;

function computingIn({ key: { game, environment }, services: { config } }: InGame): Computing[] {
  return [
    ...config.list('property', game, environment).map(({ key, document }): Computing => ({
      kind: 'property',
      key,
      shown: key,
      named: [{ key, spec: specOf(document) }],
      conditions: [],
    })),
    ...READING.flatMap((kind) => reading(kind)),
  ];

  function reading(kind: (typeof READING)[number]): Computing[] {
    return config.list(kind, game, environment).flatMap(({ key, document }): Computing[] => {
      const { conditions } = readsNow(kind, document);
      return conditions.length === 0 ? [] : [{ kind, key, shown: document.key, named: [], conditions }];
    });
  }
}

const READING = ['segment', 'flag', 'experiment', 'campaign'] as const;
