import { uuidv5 } from '../../../core/kernel/ids.ts';
import type { FlagDocument, FlagRule, FlagVariant } from '../../../core/vocabulary/documents/documents.ts';
import { aPlayer } from '../../testing-players.ts';
import type { Flag, Subject, Targeting } from '../../decision/targeting.ts';
import { compileFlag } from './compile-flag.ts';
import type { SegmentMembership } from '../../../core/vocabulary/state/player.ts';

/** For tests and benchmarks: an enabled boolean flag without rules. */
export function aFlag(some: Partial<FlagDocument> = {}): FlagDocument {
  return {
    key: 'new-shop',
    name: 'New shop',
    description: '',
    flagType: 'boolean',
    enabled: true,
    defaultValue: some.flagType === undefined || some.flagType === 'boolean' ? false : null,
    salt: 'c2FsdCBvZiBuZXctc2hvcA',
    variants: [],
    rules: [],
    prerequisites: [],
    createdAt: 1_000,
    updatedAt: 1_000,
    archivedAt: null,
    version: 1,
    periods: [{ period: 1, version: some.version ?? 1, since: some.updatedAt ?? 1_000 }],
    ...some,
  };
}

/** A rule that includes every player. */
export function aRule(some: Partial<FlagRule> = {}): FlagRule {
  const open = { startAt: null, endAt: null };
  return { name: 'everybody', segmentId: null, value: true, percentage: 100, priority: 1, ...open, ...some };
}

/** Variants by weight; the key of each is its value. */
export function variantsOf(weights: Readonly<Record<string, number>>): FlagVariant[] {
  return Object.entries(weights).map(([key, weight]) => ({ key, value: key, weight }));
}

/** A multivariate flag that serves its variants to every player. */
export function aSplitFlag(weights: Readonly<Record<string, number>>, some: Partial<FlagDocument> = {}): FlagDocument {
  return aFlag({ flagType: 'multivariate', variants: variantsOf(weights), rules: [aRule()], ...some });
}

/** The compiled flag; throws if it does not compile. */
export function compiled(document: FlagDocument): Flag {
  const result = compileFlag(document);
  if (result.kind === 'invalid') throw new Error(`does not compile: ${JSON.stringify(result.faults)}`);
  return result.flag;
}

/** Targeting with these flags and no segments. */
export function targetingOf(documents: readonly FlagDocument[]): Targeting {
  const flags = new Map(documents.map((document) => [document.key, compiled(document)]));
  return { segments: [], segment: () => undefined, flags };
}

/** A membership of the segment. */
export function memberOf(segmentId: string): SegmentMembership {
  return { segmentId, segmentKey: segmentId.replace(/^seg_/, ''), since: 1_000 };
}

const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';

/** A player id for each number: distributed like real ids, the same in every run. */
export function playerIdOf(turn: number): string {
  return uuidv5(NAMESPACE, `player ${turn}`);
}

/** Subjects whose players differ only in their ids. */
export function players(count: number): Subject[] {
  return Array.from({ length: count }, (_, turn) => ({ player: aPlayer({ id: playerIdOf(turn) }), nowMs: 2_000 }));
}
