import type { FlagDocument, FlagRule } from '../../../../core/vocabulary/documents/documents.ts';
import { decodeJson } from '../../../../core/codec/codec.ts';
import type { MemoryBroker } from '../../../../streams/log/memory/log-memory.ts';
import type { World } from '../../world.ts';
import { recordExperiments } from './experiment-history.ts';
import type { ModelFlags } from './flag-set.ts';
import { type Cell, cellsOf, drawOf, givenBy, needsPlace, placeOf, ruleIn } from './model-rules.ts';

/** The flags of every CONFIG revision, as the broker received them. */
export interface FlagHistory {
  flagsAt(revision: number): ModelFlags;
  /** Every set of flags of the revisions from one to another. */
  since(from: number, to: number): ReadonlySet<ModelFlags>;
  /** Every set of flags that was current at some time from a revision up to a tick of the world. */
  between(revision: number, tick: number): ReadonlySet<ModelFlags>;
}

const NONE: ModelFlags = new Map();

export function recordFlags(world: World, broker: MemoryBroker): FlagHistory {
  const latest = new Map<string, { document: FlagDocument; period: number }>();
  const changes: { revision: number; tick: number; flags: ModelFlags }[] = [];
  const experiments = recordExperiments(world);
  broker.bucket('CONFIG').onWrite(({ key, value, revision }) => {
    const [, environment, kind, name] = key.split('.');
    const flags = new Map(changes.at(-1)?.flags);
    if (kind === 'flag' && environment === 'live' && name !== undefined) takeFlag(flags, name, value);
    else if (!experiments.take(key, value)) return;
    changes.push({ revision, tick: world.tick(), flags: Object.assign(flags, experiments.now()) });
  });

  function takeFlag(flags: Map<string, FlagDocument>, flagKey: string, value: Uint8Array | undefined): void {
    flags.delete(flagKey);
    const document = parseFlag(value);
    if (document !== undefined) checkPeriod(document);
    if (document !== undefined) experiments.takeFlag(document);
    if (document?.archivedAt === null) flags.set(flagKey, document);
  }

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
    since(from, to) {
      const later = changes.filter(({ revision }) => revision > from && revision <= to);
      return new Set([flagsAt(from), ...later.map(({ flags }) => flags)]);
    },
    between(revision, tick) {
      const later = changes.filter((change) => change.revision > revision && change.tick <= tick);
      return new Set([flagsAt(revision), ...later.map(({ flags }) => flags)]);
    },
  };
}

/**
 * Whether no player for whom both versions draw gets anything else, or with another chance: by asking every kind of
 * player, in every range of buckets. Weights of the flag count even if no player is served by them yet.
 */
function keepsEverybody(before: FlagDocument, after: FlagDocument): boolean {
  const both = [before, after];
  const weights = both.map((flag) => drawOf(flag, { weights: flag.variants, ...ofFlag(flag) }));
  if (both.every(usesWeights) && weights[0] !== weights[1]) return false;
  const names = [...new Set(both.flatMap((flag) => [...flag.rules, undefined].flatMap((rule) => needsOf(flag, rule))))];
  const cells = cellsOf(both);
  return Array.from({ length: 2 ** names.length }, (_, kind) => {
    const holds = new Set(names.filter((_name, place) => Math.floor(kind / 2 ** place) % 2 === 1));
    const given = both.map((flag) => {
      const draws = cells.map((cell) => drawIn(flag, cell, holds));
      // A value of a boolean flag is drawn if buckets differ in it.
      return flag.flagType === 'boolean' && new Set(draws).size === 1 ? [] : draws;
    });
    const [was = [], is = []] = given;
    return was.every((draw, place) => draw === undefined || is[place] === undefined || draw === is[place]);
  }).every(Boolean);
}

function ofFlag(flag: FlagDocument): { salt: string; by: string } {
  const [salt, by] = placeOf(flag);
  return { salt, by };
}

function usesWeights({ rules }: FlagDocument): boolean {
  return rules.length === 0 || rules.some(({ value, serve }) => value && serve === undefined);
}

function drawIn(flag: FlagDocument, cell: Cell, holds: ReadonlySet<string>): string | undefined {
  const rule = ruleIn(flag, cell, (each) => needsOf(flag, each).every((name) => holds.has(name)));
  const given = givenBy(flag, rule);
  if (flag.flagType === 'boolean') return 'value' in given ? JSON.stringify(given.value) : undefined;
  return needsOf(flag, rule).every((name) => holds.has(name)) ? drawOf(flag, given) : undefined;
}

/** What a rule, or the default, asks of a player. */
function needsOf(flag: FlagDocument, rule: FlagRule | undefined): string[] {
  const [, by] = placeOf(flag, rule);
  const isNeeded = rule === undefined ? drawOf(flag, givenBy(flag, rule)) !== undefined : needsPlace(flag, rule);
  const conditions = [rule?.segmentId ?? '', JSON.stringify(rule?.conditions ?? '')];
  return [...conditions, isNeeded && by !== 'player' ? by : ''].filter((name) => name !== '' && name !== '""');
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
