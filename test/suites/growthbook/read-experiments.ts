import { anExperiment } from '../../../actors/experiments/testing-experiment.ts';
import { aSplitFlag } from '../../../actors/flags/evaluate/testing-flag.ts';
import { layerRange } from '../../../actors/flags/experiment/shares.ts';
import { isAssigned } from '../../../actors/flags/experiment/trials.ts';
import type { ExperimentDocument } from '../../../core/vocabulary/documents/experiments.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';
import type { Case } from '../suite.ts';
import {
  NAMESPACED,
  type Namespaced,
  STICKY,
  type StickyCase,
  type StoredBucket,
  type UserAttribute,
} from './retold.ts';

/* Namespaces as layers, and sticky buckets as the variants that players keep. */

const FLAG = aSplitFlag({ control: 1, red: 0, blue: 0 }, { key: 'exp1' });
const THIRDS = [
  { key: 'control', weight: 3_334 },
  { key: 'red', weight: 3_333 },
  { key: 'blue', weight: 3_333 },
];

function running(key: string, some: Partial<ExperimentDocument>): ExperimentDocument {
  const phases = [{ phase: 1, since: 0, variants: THIRDS }];
  const shared = { flagKey: FLAG.key, salt: 'feature-exp', state: 'running', startedAt: 0 } as const;
  return anExperiment({ key, variants: THIRDS, phases, ...shared, ...some });
}

export function namespaceCases(): Case[] {
  return NAMESPACED.map((one) => ({
    name: `${one[0]} in ${one[1]} from ${one[2]} to ${one[3]}`,
    flags: [FLAG],
    experiment: layered(one),
    context: { id: one[0] },
    nowMs: 1,
    expected: one[4],
    resultOf: ({ trial }) => trial !== undefined && isAssigned(trial),
  }));
}

function layered([, key, from, to]: Namespaced): ExperimentDocument {
  return running('namespaced', { bucketBy: 'attribute:id', layer: { key, from: from * 100, to: to * 100 } });
}

/** For each user, namespace and draw: whether the user is in the lower range, and whether in the rest. */
export function placesInNamespaces(draws: number): { low: boolean; high: boolean }[] {
  const isIn = ([user, key, from, to]: Namespaced, draw: number): boolean =>
    layerRange({ key: `${draw} ${key}`, from: from * 100, to: to * 100 })(user);
  const lower = NAMESPACED.filter(([, , from]) => from === 0);
  return lower.flatMap((low) => {
    const high = NAMESPACED.find(([user, key, from]) => user === low[0] && key === low[1] && from > 0);
    if (high === undefined) throw new Error(`no rest of ${low.join(' ')}`);
    return Array.from({ length: draws }, (_, draw) => ({ low: isIn(low, draw), high: isIn(high, draw) }));
  });
}

export function stickyCases(): Case[] {
  return STICKY.map((one) => {
    const [stored] = ofUser(one);
    const experiment = running(keyOf(one.bucketVersion), {
      bucketBy: `attribute:${attributeOf(one)}`,
      audience: { segmentId: null, conditions: { 'context.country': 'USA' } },
    });
    return {
      name: one.name,
      flags: unmapped(one) ?? [FLAG],
      experiment,
      player: stored === undefined ? {} : { servedFlags: [servedBy(stored)] },
      context: { ...one.has, country: 'USA' },
      nowMs: 1,
      expected: one.expected,
      resultOf: ({ trial }) => trial?.variant ?? null,
    };
  });
}

/** There an experiment whose buckets are drawn anew goes on; here it is another experiment. */
const keyOf = (bucketVersion: number): string => `feature-exp-${bucketVersion}`;

/** What is stored for an attribute that the user has is what the player keeps. */
const ofUser = ({ has, stored }: StickyCase): StoredBucket[] =>
  stored.filter(({ attribute, value }) => has[attribute] === value);

const attributeOf = ({ has, fallback }: StickyCase): UserAttribute => (has.id === undefined ? fallback : 'id');

function unmapped(one: StickyCase): string | undefined {
  const mine = ofUser(one);
  if (one.isDisabled === true) return 'an experiment without sticky buckets: players always keep their variant';
  if (mine.length > 1) return 'two stored variants of one user: a player has one';
  const { minBucketVersion: least = 0 } = one;
  if (mine.some(({ bucketVersion }) => bucketVersion < least)) return 'to leave out who was in an earlier experiment';
  return one.has.id === undefined && one.stored.length === 0 ? 'a fallback for a missing attribute' : undefined;
}

function servedBy({ bucketVersion, variant }: StoredBucket): ServedFlag {
  return {
    flagKey: FLAG.key,
    flagVersion: FLAG.version,
    period: 1,
    variantKey: variant,
    value: JSON.stringify(variant),
    reason: 'percentage_rollout',
    trial: { experiment: keyOf(bucketVersion), phase: 1, variant },
    changes: 0,
    mixed: false,
    earlier: [],
  };
}
