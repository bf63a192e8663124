import { campaignConditions } from '../../../actors/campaigns/define/campaign-conditions.ts';
import { namedIn } from '../../../actors/properties/needed-properties.ts';
import { segmentsReadBy } from '../../../actors/conditions/segments/segment-names.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import type { DefinitionKind } from '../../../core/vocabulary/documents/document-kinds.ts';
import type { Documents } from '../../../core/vocabulary/documents/documents.ts';
import { hasEnded } from '../../../core/vocabulary/documents/experiments.ts';
import type { RequestContext } from '../route/request-context.ts';

/* What definitions read of each other: segments by their ids, and in conditions computed properties by their keys. */

interface Reads {
  segments: readonly string[];
  conditions: readonly JsonObject[];
  /** The definition decides nothing any more, such as an archived flag, so what it reads may be deleted. */
  isOver?: boolean;
}

const NOTHING: Reads = { segments: [], conditions: [] };

/** By kind; absent: it reads nothing. */
const READS: { readonly [K in DefinitionKind]?: (document: Documents[K]) => Reads } = {
  flag: ({ archivedAt, rules }) => ({
    ...readsOf(rules.map(({ segmentId, conditions }) => [segmentId, conditions])),
    isOver: archivedAt !== null,
  }),
  experiment: (document) => ({
    ...readsOf([[document.audience.segmentId, document.audience.conditions]]),
    isOver: hasEnded(document),
  }),
  campaign(document) {
    const { audience, trigger } = document;
    return readsOf([
      [audience, undefined],
      ['segmentId' in trigger ? trigger.segmentId : null, undefined],
      ...campaignConditions(document).map((conditions) => [null, conditions] as const),
    ]);
  },
  // A segment with a list has no condition.
  segment: ({ conditions, list }) => (list === undefined ? readsOf([[null, conditions]]) : NOTHING),
};

function readsOf(parts: readonly (readonly [segmentId: string | null, conditions: JsonObject | undefined])[]): Reads {
  const conditions = parts.flatMap(([, condition]) => (condition === undefined ? [] : [condition]));
  const named = parts.flatMap(([segmentId]) => (segmentId === null ? [] : [segmentId]));
  return { segments: [...named, ...conditions.flatMap((condition) => segmentsReadBy(condition))], conditions };
}

/** What a definition reads now: nothing if it decides nothing any more. */
export function readsNow<K extends DefinitionKind>(kind: K, document: Documents[K]): Reads {
  const reads = READS[kind]?.(document) ?? NOTHING;
  return reads.isOver === true ? NOTHING : reads;
}

/**
 * The failure if a definition that was just written reads what another request deleted at the same time. All nodes see
 * the same order of writes: a write behind the deletion is put back, and so is a deletion behind the write
 * (`deleteDefinition`). What the version before read already may stay.
 */
export function lostReads<K extends DefinitionKind>(
  kind: K,
  written: Documents[K],
  before: Documents[K] | undefined,
  { key: { game, environment }, services: { config } }: Pick<RequestContext, 'key' | 'services'>,
): Failure | undefined {
  const read = READS[kind];
  if (read === undefined) return undefined;
  const [now, known] = [read(written), before === undefined ? NOTHING : read(before)];
  const isGone = (of: 'segment' | 'property', key: string): boolean =>
    config.get({ game, environment, kind: of, key }) === undefined;
  const segment = now.segments.find((id) => !known.segments.includes(id) && isGone('segment', id));
  if (segment !== undefined) return deleted(`segment \`${segment}\``);
  const held = namedIn(known.conditions);
  const property = [...namedIn(now.conditions)].find((name) => !held.has(name) && isGone('property', name));
  return property === undefined ? undefined : deleted(`computed property \`${property}\``);
}

const deleted = (what: string): Failure =>
  failure('SERVICE_UNAVAILABLE', `The ${what} was deleted at the same moment, so nothing was stored; retry.`);
