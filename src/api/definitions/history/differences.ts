import { isDeepStrictEqual } from 'node:util';
import { differenceOf } from '../../../../actors/difference/difference.ts';
import { playersWords, type PlayersSaid } from '../../../../actors/difference/players-difference.ts';
import { isFailure } from '../../../../core/kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../../core/kernel/text/json.ts';
import { NO_PART, type PreviewedChange } from '../../../../core/vocabulary/commands/preview.ts';
import type { DocumentKind } from '../../../../core/vocabulary/documents/document-kinds.ts';
import { isActive } from '../../../../core/vocabulary/documents/experiments.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { SEGMENT_API_LIMITS } from '../../segments/limits.ts';
import type { Moved } from '../../segments/segment-previews.ts';

/* What changes differ in, in words for people: with keys of segments, and with numbers of players where it is known. */

/** A definition before and after a change; undefined: it is not there. */
export interface Changed {
  before: object | undefined;
  after: object | undefined;
}

type InGame = Pick<RequestContext, 'key' | 'services'>;

/** The differences of changes that were not made yet, with the players whom they concern now. */
export async function foreseenDifferences(
  kind: DocumentKind,
  changes: readonly Changed[],
  context: InGame,
): Promise<string[][]> {
  const json = changes.map(({ before, after }) => ({
    before: before && jsonOf(before),
    after: after && jsonOf(after),
  }));
  const moved = await movedBy(kind, json, context);
  return json.map(({ before, after }, place) => {
    const found = moved.get(place);
    return differenceIn(before, after, context, found && saidOf(found));
  });
}

/** The difference of two versions. */
export function differenceIn(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  context: InGame,
  players?: PlayersSaid,
): string[] {
  const named = (document: JsonObject | undefined) => document && withKeys(document, context);
  return differenceOf(named(before), named(after), players);
}

/** A document as JSON, in which what is undefined is absent. */
export function jsonOf(document: object): JsonObject {
  const json: Json = JSON.parse(JSON.stringify(document));
  return isObject(json) ? json : {};
}

/** With the keys of segments instead of their ids, except its own. */
function withKeys(document: JsonObject, { key: { game, environment }, services }: InGame): JsonObject {
  const named = (value: Json): Json => {
    if (typeof value === 'string') {
      if (!value.startsWith('seg_')) return value;
      return services.config.get({ game, environment, kind: 'segment', key: value })?.document.key ?? value;
    }
    if (Array.isArray(value)) return value.map(named);
    return isObject(value) ? namedIn(value) : value;
  };
  const namedIn = (object: JsonObject): JsonObject =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, named(value ?? null)]));
  return namedIn(document);
}

/** Who moves, by the place of the change; none: it is not known. */
async function movedBy(
  kind: DocumentKind,
  changes: readonly { before: JsonObject | undefined; after: JsonObject | undefined }[],
  context: InGame,
): Promise<Map<number, Moved>> {
  const places: number[] = [];
  const asked: PreviewedChange[] = [];
  let bytes = 0;
  for (const [place, { before, after }] of changes.entries()) {
    const change = countable(kind, before, after, context);
    if (change === undefined) continue;
    bytes += (change.before?.length ?? 0) + (change.after?.length ?? 0);
    if (bytes > SEGMENT_API_LIMITS.previewChangeChars) break;
    places.push(place);
    asked.push(change);
  }
  if (asked.length === 0) return new Map();
  const { game, environment } = context.key;
  const nobody = { conditions: '{}', includes: [], excludes: [] };
  const found = await context.services.segmentPreviews.preview({ game, environment, ...nobody, changes: asked });
  if (isFailure(found)) return new Map();
  return new Map((found.moved ?? []).map((moved, index) => [places[index] ?? NO_PART, moved]));
}

/**
 * A change whose players can be counted: it chooses others, and what it chooses is what they get. An experiment, a
 * prerequisite and a list of players decide by more than the definition says.
 */
function countable(
  kind: DocumentKind,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  { key: { game, environment }, services }: InGame,
): PreviewedChange | undefined {
  const fields = kind === 'flag' || kind === 'segment' || kind === 'campaign' ? CHOOSING[kind] : undefined;
  if (fields === undefined || (kind !== 'flag' && kind !== 'segment' && kind !== 'campaign')) return undefined;
  const both = [before, after].filter((document) => document !== undefined);
  if (fields.every((field) => isDeepStrictEqual(before?.[field], after?.[field]))) return undefined;
  if (both.some(({ list, prerequisites = [] }) => list !== undefined || !isDeepStrictEqual(prerequisites, []))) {
    return undefined;
  }
  const isTried = ({ document }: { document: Parameters<typeof isActive>[0] & { flagKey: string } }): boolean =>
    isActive(document) && both.some(({ key }) => key === document.flagKey);
  if (kind === 'flag' && services.config.list('experiment', game, environment).some(isTried)) return undefined;
  const textOf = (document: JsonObject | undefined) => (document === undefined ? null : JSON.stringify(document));
  return { of: kind, before: textOf(before), after: textOf(after) };
}

const CHOOSING: Readonly<Record<PreviewedChange['of'], readonly string[]>> = {
  flag: ['enabled', 'archivedAt', 'rules', 'salt', 'bucketBy'],
  segment: ['enabled', 'conditions', 'includes', 'excludes'],
  campaign: ['enabled', 'audience', 'holdoutPercentage'],
};

function saidOf(moved: Moved): PlayersSaid {
  return {
    rule: (before, after) =>
      playersWords(
        after === undefined ? undefined : moved((from, to) => to === after && from !== before),
        before === undefined ? undefined : moved((from, to) => from === before && to !== after),
      ),
    whole: () =>
      playersWords(
        moved((from) => from === NO_PART),
        moved((_, to) => to === NO_PART),
      ),
  };
}
