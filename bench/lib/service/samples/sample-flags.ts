import { create } from '../../load/calls.ts';
import { createSegment } from './segments.ts';
import type { Service } from '../service.ts';
import { times } from '../../figures/statistics.ts';

/* Segments and flags such as a game defines, in the bodies that the management endpoints take. */

/** A segment, and whether one of the bench's players is in it. */
export interface SampleSegment {
  body: { key: string; conditions: Record<string, unknown>; enabled: boolean };
  holds(attributes: SampleAttributes): boolean;
}

/** Attributes of the bench's players. */
export interface SampleAttributes {
  level: number;
  country: string | undefined;
  is_vip: boolean;
}

const NORTH = ['SE', 'DE', 'PL'];

/** Segments on attributes alone, so that their members are known beforehand. */
export const SAMPLE_SEGMENTS: readonly SampleSegment[] = [
  segment('beginners', { 'attributes.level': { $lt: 10 } }, ({ level }) => level < 10),
  segment('veterans', { 'attributes.level': { $gte: 30 } }, ({ level }) => level >= 30),
  segment('north', { 'attributes.country': { $in: NORTH } }, ({ country = '' }) => NORTH.includes(country)),
  segment('vips', { 'attributes.is_vip': true }, ({ is_vip: isVip }) => isVip),
];

function segment(key: string, conditions: Record<string, unknown>, holds: SampleSegment['holds']): SampleSegment {
  return { body: { key, conditions, enabled: true }, holds };
}

/** A flag, and the segment that its only rule is about; the rule serves the whole segment. */
export interface SampleFlag {
  body: { key: string } & Record<string, unknown>;
  segmentKey: string | undefined;
}

const ROLLOUTS = 6;
const SPLITS = 7;
const SEGMENT_RULES = 6;

/**
 * 20 flags: roll-outs, rules on segments, three variants for half of the players who meet three conditions, and one
 * flag with a prerequisite; in an order in which they can be created.
 * @param segmentIds key → id
 */
export function sampleFlags(segmentIds: ReadonlyMap<string, string>): SampleFlag[] {
  const segmentKeys = [...segmentIds.keys()];
  const waiting = booleanFlag('waiting', { percentage: 50 });
  return [
    ...times(ROLLOUTS, (turn) => booleanFlag(`rollout-${turn}`, { percentage: 10 * (turn + 1) })),
    ...times(SEGMENT_RULES, (turn) => {
      const segmentKey = segmentKeys[turn % segmentKeys.length] ?? '';
      const rule = { segment_id: segmentIds.get(segmentKey), percentage: 100 };
      return { ...booleanFlag(`segment-${turn}`, rule), segmentKey };
    }),
    ...times(SPLITS, splitFlag),
    { ...waiting, body: { ...waiting.body, prerequisites: [{ flag_key: 'rollout-5', value: true }] } },
  ];
}

function booleanFlag(key: string, rule: Record<string, unknown>): SampleFlag {
  return { body: { key, flag_type: 'boolean', targeting_rules: [rule] }, segmentKey: undefined };
}

function splitFlag(turn: number): SampleFlag {
  const conditions = {
    'attributes.level': { $gte: 5 * turn },
    'attributes.country': { $in: ['SE', 'DE', 'US', 'BR'] },
    'context.platform': 'ios',
  };
  const weights = Object.entries({ control: 50, red: 30, blue: 20 });
  const variants = weights.map(([key, weight]) => ({ key, value: `layout-${key}`, weight }));
  const targeting_rules = [{ conditions, percentage: 50 }];
  return {
    body: { key: `split-${turn}`, flag_type: 'multivariate', variants, targeting_rules },
    segmentKey: undefined,
  };
}

export const FLAGS_PATH = '/v1/flags/flags';

/** Creates the sample segments and flags. @returns the flags, and the segments' ids by key */
export async function defineSamples(
  service: Service,
): Promise<{ flags: SampleFlag[]; segmentIds: ReadonlyMap<string, string> }> {
  const segmentIds = new Map<string, string>();
  for (const { body } of SAMPLE_SEGMENTS) segmentIds.set(body.key, await createSegment(service, body));
  const flags = sampleFlags(segmentIds);
  for (const { body } of flags) await create(service, FLAGS_PATH, body);
  return { flags, segmentIds };
}
