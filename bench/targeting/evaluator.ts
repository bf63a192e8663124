import {
  aFlag,
  aRule,
  aSplitFlag,
  memberOf,
  playerIdOf,
  targetingOf,
} from '../../actors/flags/evaluate/testing-flag.ts';
import { seededBucket } from '../../actors/conditions/buckets/hash.ts';
import type { Subject, Targeting } from '../../actors/decision/targeting.ts';
import { aPlayer } from '../../actors/testing-players.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { pairsCase, type Pair } from '../lib/figures/pairs.ts';

const NOW_MS = Date.UTC(2026, 0, 15, 10, 30);
/** Enough that no player stays in the processor's nearest cache. */
const PLAYERS = 5_000;
const SEGMENTS = 5;

export const evaluator = pairsCase(
  'evaluator',
  'Evaluate flags in process, beside one hash: per flag.',
  evaluatorPairs,
);

/** Flags evaluated in process for many players, beside the one hash that bucketing a player costs; per flag. */
function evaluatorPairs(): Pair[] {
  const subjects = Array.from({ length: PLAYERS }, (_, turn) => sampleSubject(turn));
  const pair = (name: string, documents: readonly FlagDocument[]): Pair => {
    const targeting = targetingOf(documents);
    return {
      name,
      work: { operations: PLAYERS * documents.length, run: () => evaluateAll(targeting, subjects) },
      reference: { operations: PLAYERS, run: hashAll },
      referenceName: 'one hash of salt and player id',
    };
  };
  return [
    pair('boolean, 10 % roll-out', [rollout('rollout')]),
    pair(`boolean, rule on a segment, players in ${SEGMENTS}`, [segmentRule('segment')]),
    pair('three variants in a 50 % roll-out, three conditions', [withConditions('conditions')]),
    pair('that roll-out, and a boolean that waits for it', [rollout('rollout'), waiting('waiting', 'rollout')]),
    pair('20 flags, five of each of these kinds', fiveOfEach()),
  ];

  function hashAll(): number {
    const hash = seededBucket('c2FsdCBvZiBuZXctc2hvcA');
    let sum = 0;
    for (const { player } of subjects) sum += hash(player.id);
    return sum;
  }
}

function rollout(key: string): FlagDocument {
  return aFlag({ key, salt: key, rules: [aRule({ percentage: 10 })] });
}

function segmentRule(key: string): FlagDocument {
  return aFlag({ key, salt: key, rules: [aRule({ segmentId: `seg_${SEGMENTS - 1}` })] });
}

function waiting(key: string, flagKey: string): FlagDocument {
  return { ...rollout(key), prerequisites: [{ flagKey, value: true }] };
}

function withConditions(key: string): FlagDocument {
  const conditions = {
    'attributes.level': { $gte: 10 },
    'attributes.country': { $in: ['SE', 'NO', 'DK'] },
    platform: 'ios',
  };
  const rules = [aRule({ conditions, percentage: 50 })];
  return aSplitFlag({ control: 50, red: 30, blue: 20 }, { key, salt: key, rules });
}

function fiveOfEach(): FlagDocument[] {
  return Array.from({ length: 5 }, (_, turn) => [
    rollout(`rollout-${turn}`),
    segmentRule(`segment-${turn}`),
    withConditions(`conditions-${turn}`),
    waiting(`waiting-${turn}`, `rollout-${turn}`),
  ]).flat();
}

function sampleSubject(turn: number): Subject {
  const attributes = JSON.stringify({
    level: turn % 50,
    country: turn % 2 === 0 ? 'SE' : 'DE',
    is_vip: turn % 20 === 0,
  });
  const segments = Array.from({ length: SEGMENTS }, (_, at) => memberOf(`seg_${at}`));
  const player = aPlayer({ id: playerIdOf(turn), attributes, segments });
  return { player, nowMs: NOW_MS, context: { platform: turn % 3 === 0 ? 'android' : 'ios' } };
}

/** The length of all values, so that the compiler leaves nothing out. */
function evaluateAll(targeting: Targeting, subjects: readonly Subject[]): number {
  let length = 0;
  for (const subject of subjects) {
    for (const flag of targeting.flags.values()) length += flag.evaluate(subject, targeting).value.length;
  }
  return length;
}
