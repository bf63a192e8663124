import { isDeepStrictEqual } from 'node:util';
import type { FlagDocument, FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { decodeJson } from '../../../core/codec/codec.ts';
import type { MemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import type { World } from '../world.ts';

/** Flags that are not archived, by key. */
export type ModelFlags = ReadonlyMap<string, FlagDocument>;

/** The flags of every CONFIG revision, as the broker received them. */
export interface FlagHistory {
  flagsAt(revision: number): ModelFlags;
  /** Every set of flags that was current at some time from a revision up to a tick of the world. */
  between(revision: number, tick: number): ReadonlySet<ModelFlags>;
}

const NONE: ModelFlags = new Map();

export function recordFlags(world: World, broker: MemoryBroker): FlagHistory {
  const latest = new Map<string, { document: FlagDocument; period: number }>();
  const changes: { revision: number; tick: number; flags: ModelFlags }[] = [];
  broker.bucket('CONFIG').onWrite(({ key, value, revision }) => {
    const [, environment, kind, flagKey] = key.split('.');
    if (kind !== 'flag' || environment !== 'live' || flagKey === undefined) return;
    const flags = new Map(changes.at(-1)?.flags);
    flags.delete(flagKey);
    const document = parseFlag(value);
    if (document !== undefined) checkPeriod(document);
    if (document?.archivedAt === null) flags.set(flagKey, document);
    changes.push({ revision, tick: world.tick(), flags });
  });

  /** Checks a version's period against the latest version of the key, archived ones included (docs/decisions/0015). */
  function checkPeriod(document: FlagDocument): void {
    const before = latest.get(document.key);
    const isSame = before !== undefined && keepsEverybody(before.document, document);
    const period = before === undefined ? 1 : before.period + (isSame ? 0 : 1);
    if (isSame) world.cover('period: an edit stays in it');
    const said = document.periods.at(-1)?.period;
    if (said !== period) world.violate('period', `${document.key} is in period ${said}, not ${period}`);
    latest.set(document.key, { document, period });
  }

  const flagsAt = (revision: number): ModelFlags =>
    changes.findLast((change) => change.revision <= revision)?.flags ?? NONE;
  return {
    flagsAt,
    between(revision, tick) {
      const later = changes.filter((change) => change.revision > revision && change.tick <= tick);
      return new Set([flagsAt(revision), ...later.map(({ flags }) => flags)]);
    },
  };
}

/**
 * Whether no player for whom both versions draw gets anything else, or with another chance: by asking every kind of
 * player, one bucket after the other. Weights count even if nobody is served by them yet.
 */
function keepsEverybody(before: FlagDocument, after: FlagDocument): boolean {
  const drawn = ({ salt, variants }: FlagDocument) => ({ salt, variants: variants.filter(({ weight }) => weight > 0) });
  if (!isDeepStrictEqual(drawn(before), drawn(after))) return false;
  if (after.flagType !== 'boolean') return true;
  const names = [...new Set([before, after].flatMap(({ rules }) => rules.flatMap(conditionsOf)))];
  return Array.from({ length: 2 ** names.length }, (_, kind) => {
    const holds = new Set(names.filter((_name, place) => Math.floor(kind / 2 ** place) % 2 === 1));
    const [was, is] = [before, after].map((flag) => truesOf(flag, holds));
    return was === is || [was, is].some((trues) => trues === ALL_TRUE || trues === NONE_TRUE);
  }).every(Boolean);
}

function conditionsOf({ segmentId, conditions }: FlagRule): string[] {
  return [segmentId ?? '', JSON.stringify(conditions ?? '')].filter((name) => name !== '' && name !== '""');
}

/** Percentages of rules are multiples of 0.5 here. */
const PLACES = Array.from({ length: 200 }, (_, half) => half / 2);
const ALL_TRUE = PLACES.map(() => true).join();
const NONE_TRUE = PLACES.map(() => false).join();

/** What a boolean flag serves at each place to players for whom the named conditions hold. */
function truesOf({ rules, defaultValue }: FlagDocument, holds: ReadonlySet<string>): string {
  const open = rules
    .filter((rule) => conditionsOf(rule).every((name) => holds.has(name)))
    .toSorted((one, other) => one.priority - other.priority);
  return PLACES.map(
    (place) => open.find(({ percentage }) => place < percentage)?.value === true || defaultValue === true,
  ).join();
}

function parseFlag(value: Uint8Array | undefined): FlagDocument | undefined {
  if (value === undefined) return undefined;
  const document: unknown = decodeJson(value);
  if (!isFlag(document)) throw new Error('not a flag');
  return document;
}

/** The simulation writes all of them, so a short check is enough. */
function isFlag(document: unknown): document is FlagDocument {
  return typeof document === 'object' && document !== null && 'salt' in document && 'archivedAt' in document;
}
