import { isDeepStrictEqual } from 'node:util';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
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
  const latest = new Map<string, { gets: unknown; period: number }>();
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
    const isSame = before !== undefined && isDeepStrictEqual(before.gets, whoGetsWhat(document));
    const period = before === undefined ? 1 : before.period + (isSame ? 0 : 1);
    if (isSame) world.cover('period: an edit stays in it');
    const said = document.periods.at(-1)?.period;
    if (said !== period) world.violate('period', `${document.key} is in period ${said}, not ${period}`);
    latest.set(document.key, { gets: whoGetsWhat(document), period });
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

/** The part of a flag that decides which player gets which variant: no texts, version numbers or times. */
function whoGetsWhat(flag: FlagDocument): unknown {
  const { enabled, defaultValue, salt, variants, rules, prerequisites, archivedAt } = flag;
  return { enabled, isArchived: archivedAt !== null, defaultValue, salt, variants, rules, prerequisites };
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
