import type { FlagDocument } from '../../streams/config/documents.ts';
import { decodeJson } from '../../streams/codec.ts';
import type { MemoryBroker } from '../../streams/log-memory.ts';
import type { World } from './world.ts';

/** Flags that are not archived, by key. */
export type ModelFlags = ReadonlyMap<string, FlagDocument>;

/** The flags of every CONFIG revision, seen from inside the broker. */
export interface FlagHistory {
  flagsAt(revision: number): ModelFlags;
  /** Every set of flags that was in force from a revision up to a tick of the world. */
  between(revision: number, tick: number): ReadonlySet<ModelFlags>;
}

const NONE: ModelFlags = new Map();

export function recordFlags(world: World, broker: MemoryBroker): FlagHistory {
  const changes: { revision: number; tick: number; flags: ModelFlags }[] = [];
  broker.bucket('CONFIG').onWrite(({ key, value, revision }) => {
    const [, environment, kind, flagKey] = key.split('.');
    if (kind !== 'flag' || environment !== 'live' || flagKey === undefined) return;
    const flags = new Map(changes.at(-1)?.flags);
    flags.delete(flagKey);
    const document = parseFlag(value);
    if (document?.archivedAt === null) flags.set(flagKey, document);
    changes.push({ revision, tick: world.tick(), flags });
  });

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

function parseFlag(value: Uint8Array | undefined): FlagDocument | undefined {
  if (value === undefined) return undefined;
  const document: unknown = decodeJson(value);
  if (!isFlag(document)) throw new Error('not a flag');
  return document;
}

/** Only the simulation writes them. */
function isFlag(document: unknown): document is FlagDocument {
  return typeof document === 'object' && document !== null && 'salt' in document && 'archivedAt' in document;
}
