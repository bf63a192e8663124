import { seededBucket } from '../../actors/conditions/buckets/hash.ts';
import { writeFlag, writeSegment } from '../../actors/flags/definitions-format.ts';
import { aFlag, aRule, aSplitFlag, playerIdOf } from '../../actors/flags/evaluate/testing-flag.ts';
import type { FlagDocument, SegmentDocument } from '../../core/vocabulary/documents/documents.ts';
import { createCompiler } from '../../sdk/typescript/server/local/compiled-definitions.ts';
import { readDefinitions } from '../../sdk/typescript/server/local/definitions-document.ts';
import { createEvaluator } from '../../sdk/typescript/server/local/evaluator.ts';
import type { PlayerInput } from '../../sdk/typescript/server/local/player-input.ts';
import { pairsCase, type Pair } from '../lib/figures/pairs.ts';

const NOW_MS = Date.UTC(2026, 0, 15, 10, 30);
/** Enough that no player stays in the processor's nearest cache. */
const PLAYERS = 5_000;
const CONTEXT = { platform: 'ios' };

export const localFlags = pairsCase(
  'local-flags',
  "Evaluate flags by the game server's client, beside one hash: per flag.",
  localPairs,
);

/** Flags by the client, from the input of the caller to the result. */
function localPairs(): Pair[] {
  const players = Array.from({ length: PLAYERS }, (_, turn) => samplePlayer(turn));
  const together = (name: string, flags: readonly FlagDocument[]): Pair => {
    const evaluator = evaluatorOf(flags);
    return {
      name,
      work: {
        operations: PLAYERS * flags.length,
        run() {
          let size = 0;
          for (const player of players) size += evaluator.evaluateAll(undefined, player, CONTEXT, NOW_MS).size;
          return size;
        },
      },
      reference: { operations: PLAYERS, run: () => hashAll(players) },
      referenceName: 'one hash of salt and player id',
    };
  };
  const single = (name: string, flag: FlagDocument): Pair => {
    const evaluator = evaluatorOf([flag]);
    return {
      name,
      work: {
        operations: PLAYERS,
        run() {
          let served = 0;
          for (const player of players) {
            if (evaluator.evaluate(flag.key, player, CONTEXT, NOW_MS).variant !== null) served += 1;
          }
          return served;
        },
      },
      reference: { operations: PLAYERS, run: () => hashAll(players) },
      referenceName: 'one hash of salt and player id',
    };
  };
  return [
    single('one flag: boolean, 10 % roll-out', rollout('a')),
    single('one flag: boolean, rule on a segment by attributes', segmentRule('a')),
    single('one flag: three variants, conditions on attributes and context', withConditions('a')),
    together(
      '20 roll-outs',
      Array.from({ length: 20 }, (_, turn) => rollout(`a-${turn}`)),
    ),
    together('20 flags, five of each kind, one waiting for another', fiveOfEach()),
  ];
}

function evaluatorOf(flags: readonly FlagDocument[]) {
  const times = { createdAt: 1, updatedAt: 1, version: 1 };
  const conditions = { 'attributes.level': { $gte: 25 } };
  const segment: SegmentDocument = { id: 'seg_a', key: 'a', name: '', description: '', conditions, ...times };
  const document = {
    format: 1,
    revision: 1,
    flags: flags.map((flag) => writeFlag(flag)),
    segments: [writeSegment(segment)],
  };
  const read = readDefinitions(JSON.parse(JSON.stringify(document)));
  if (typeof read === 'string') throw new Error(read);
  return createEvaluator(createCompiler((message) => console.error(message)).compile(read));
}

function hashAll(players: readonly PlayerInput[]): number {
  const hash = seededBucket('c2FsdCBvZiBuZXctc2hvcA');
  let sum = 0;
  for (const { id = '' } of players) sum += hash(id);
  return sum;
}

function rollout(key: string): FlagDocument {
  return aFlag({ key, salt: key, rules: [aRule({ percentage: 10 })] });
}

function segmentRule(key: string): FlagDocument {
  return aFlag({ key, salt: key, rules: [aRule({ segmentId: 'seg_a' })] });
}

function withConditions(key: string): FlagDocument {
  const conditions = { 'attributes.level': { $gte: 10 }, 'attributes.country': { $in: ['SE', 'NO'] }, platform: 'ios' };
  const rules = [aRule({ conditions, percentage: 50 })];
  return aSplitFlag({ control: 50, red: 30, blue: 20 }, { key, salt: key, rules });
}

function fiveOfEach(): FlagDocument[] {
  return Array.from({ length: 5 }, (_, turn) => [
    rollout(`rollout-${turn}`),
    segmentRule(`segment-${turn}`),
    withConditions(`conditions-${turn}`),
    { ...rollout(`waiting-${turn}`), prerequisites: [{ flagKey: `rollout-${turn}`, value: true }] },
  ]).flat();
}

function samplePlayer(turn: number): PlayerInput {
  const country = turn % 2 === 0 ? 'SE' : 'DE';
  return { id: playerIdOf(turn), attributes: { level: turn % 50, country, is_vip: turn % 20 === 0 } };
}
