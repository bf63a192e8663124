import { describe, expect, it } from 'vitest';
import { aPlayer } from '../testing-players.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { FlagDocument, SegmentDocument, SegmentList } from '../../core/vocabulary/documents/documents.ts';
import {
  readExperiment,
  readFlag,
  segmentsNamedBy,
  type WireFlag,
  writeFlag,
  writeSegment,
} from './definitions-format.ts';
import { aRunning, triedTargeting } from './experiment/testing-experiment.ts';
import { aFlag, aRule, aSplitFlag, memberOf, playerIdOf, targetingOf, variantsOf } from './evaluate/testing-flag.ts';

const NOON = Date.UTC(2026, 0, 15, 12, 0, 0, 7);

/** Flags that use every part of a definition. */
const FLAGS: readonly FlagDocument[] = [
  aFlag({ key: 'switch', rules: [aRule({ percentage: 37.5 })] }),
  aFlag({ key: 'off', enabled: false, defaultValue: true }),
  aSplitFlag({ a: 1, b: 2, c: 0 }, { key: 'split', salt: 'another', defaultValue: 'fallback', version: 9 }),
  aFlag({
    key: 'numbers',
    flagType: 'number',
    variants: [
      { key: 'low', value: 0.1, weight: 3 },
      { key: 'high', value: 1e21, weight: 1 },
    ],
    rules: [aRule({ percentage: 50 })],
  }),
  aFlag({
    key: 'documents',
    flagType: 'json',
    defaultValue: { rows: [] },
    variants: [{ key: 'v', value: { rows: [1, { x: null }], text: 'grüße' }, weight: 1 }],
    rules: [aRule({ segmentId: 'seg_b', priority: 2 }), aRule({ value: false, priority: 1, percentage: 20 })],
  }),
  aFlag({
    key: 'conditions',
    rules: [
      aRule({ conditions: { session_count: { $gte: 3 }, 'context.version': { $vgte: '2.4.0' } } }),
      aRule({ conditions: { 'attributes.level': { $in: [1, 2] } }, startAt: NOON - 1, endAt: NOON + 1 }),
      aRule({ endAt: NOON }),
    ],
  }),
  aSplitFlag({ x: 1, y: 1 }, { key: 'dependent', prerequisites: [{ flagKey: 'split', value: 'b' }] }),
  aSplitFlag(
    { x: 1, y: 1 },
    {
      key: 'served',
      salt: 'a third',
      bucketBy: 'attribute:level',
      defaultServe: {
        weights: [
          { key: 'x', weight: 1 },
          { key: 'y', weight: 9 },
        ],
      },
      rules: [
        aRule({ conditions: { session_count: 0 }, serve: { variant: 'y' } }),
        aRule({ conditions: { session_count: 1 }, serve: { value: 'z' } }),
        aRule({
          conditions: { session_count: 2 },
          salt: 's',
          bucketBy: 'player',
          serve: { weights: [{ key: 'x', weight: 2 }] },
        }),
        aRule({ percentage: 40, bucketBy: 'player' }),
      ],
      prerequisites: [{ flagKey: 'switch', value: true }],
    },
  ),
  aFlag({ key: 'needs-variant', rules: [aRule()], prerequisites: [{ flagKey: 'served', variantKey: 'x' }] }),
  aFlag({ key: 'texts', flagType: 'string', variants: variantsOf({ one: 1, two: 1 }), rules: [aRule()] }),
];

describe('definitions for local evaluation', () => {
  it('evaluate every player as the service does', () => {
    // As text: what a server receives.
    const received = FLAGS.map((flag) => readFlag(JSON.parse(JSON.stringify(writeFlag(flag)))));
    const remote = targetingOf(FLAGS);
    const local = targetingOf(received);
    const seen = new Map<string, Set<string>>();
    for (let turn = 0; turn < 2_000; turn++) {
      const player = aPlayer({
        id: playerIdOf(turn),
        sessionCount: turn % 5,
        attributes: JSON.stringify({ level: turn % 4 }),
        segments: turn % 3 === 0 ? [memberOf('seg_b')] : [],
        overrides: turn % 50 === 0 ? [{ flagKey: 'texts', value: '"two"' }] : [],
      });
      const context = { version: turn % 2 === 0 ? '2.4.1' : '1.9.0' };
      for (const nowMs of [NOON - 2, NOON]) {
        const subject = { player, nowMs, context };
        for (const [key, flag] of remote.flags) {
          const evaluation = flag.evaluate(subject, remote);
          expect(local.flags.get(key)?.evaluate(subject, local)).toEqual(evaluation);
          seen.set(key, (seen.get(key) ?? new Set()).add(`${evaluation.reason} ${evaluation.value}`));
        }
      }
    }
    // Otherwise equal evaluations would prove little.
    const kinds = Object.fromEntries([...seen].map(([key, results]) => [key, results.size]));
    expect(kinds).toEqual({
      switch: 2,
      off: 1,
      split: 2,
      numbers: 3,
      documents: 3,
      conditions: 2,
      dependent: 3,
      served: 5,
      'needs-variant': 2,
      texts: 3,
    });
  });

  it('draw the running experiment of a flag as the service does for players without a variant', () => {
    const flag = aSplitFlag({ a: 1, b: 1, c: 1 }, { key: 'shop' });
    const holdout = { percentage: 20, salt: 'h' };
    const audience = { segmentId: null, conditions: { 'context.version': { $vgte: '2.0.0' } } };
    const layer = { key: 'shops', from: 10, to: 90 };
    const some = { audience, layer, traffic: 70, bucketBy: 'attribute:level', mode: 'aa' } as const;
    const kinds = new Set<string>();
    for (const experiment of [
      aRunning([{ a: 1 }, { a: 1, b: 3 }], { ...some, bucketBy: 'player' }),
      aRunning([{ b: 1, c: 1 }], some),
    ]) {
      const wire: WireFlag = JSON.parse(JSON.stringify(writeFlag(flag, experiment)));
      const remote = triedTargeting(flag, experiment, { holdout });
      const local = triedTargeting(readFlag(wire), readExperiment(wire), { holdout });
      for (let turn = 0; turn < 1_000; turn++) {
        const player = aPlayer({ id: playerIdOf(turn), attributes: JSON.stringify({ level: turn }) });
        const subject = { player, nowMs: NOON, context: { version: turn % 2 === 0 ? '2.4.1' : '1.9.0' } };
        const answer = remote.flags.get('shop')?.evaluate(subject, remote);
        expect(local.flags.get('shop')?.evaluate(subject, local)).toEqual(answer);
        kinds.add(`${answer?.trial?.phase} ${answer?.trial?.variant}`);
      }
    }
    expect([...kinds].toSorted()).toEqual([
      '1 b',
      '1 c',
      '1 holdout',
      '2 a',
      '2 b',
      '2 holdout',
      'undefined undefined',
    ]);
    expect(writeFlag(flag, aRunning([{ a: 1 }], { state: 'paused' }))).toEqual(writeFlag(flag));
  });

  it('hold no names, descriptions or times of edits', () => {
    const flag = aFlag({ name: 'Secret plan', description: 'Secret plan', rules: [aRule({ name: 'Secret plan' })] });
    const segment: SegmentDocument = {
      id: 'seg_a',
      key: 'whales',
      name: 'Secret plan',
      description: 'Secret plan',
      conditions: { is_payer: true },
      createdAt: 1,
      updatedAt: 2,
      version: 3,
    };
    expect(JSON.stringify([writeFlag(flag), writeSegment(segment)])).not.toContain('Secret plan');
    expect(writeSegment(segment)).toEqual({
      segment_id: 'seg_a',
      key: 'whales',
      version: 3,
      conditions: { is_payer: true },
    });
  });

  it('name the segments of rules and conditions, and those that these read', () => {
    const segment = (id: string, conditions: JsonObject, list?: SegmentList): SegmentDocument => {
      const made = { name: '', description: '', createdAt: 1, updatedAt: 1, version: 1 };
      return { id, key: id, conditions, ...made, ...(list === undefined ? {} : { list }) };
    };
    const segments = new Map(
      [
        segment('seg_b', {}),
        segment('seg_c', { $and: [{ is_payer: true }, { $not: { $inSegment: ['seg_d', 'seg_gone'] } }] }),
        segment('seg_d', { $inSegment: ['seg_e'] }),
        segment('seg_e', { $inSegment: ['seg_c'] }, { load: 'l', players: 1, loadedAt: 1 }),
        segment('seg_f', { $inSegment: ['seg_g'] }),
      ].map((one) => [one.id, one]),
    );
    const flags = [...FLAGS, aFlag({ key: 'nested', rules: [aRule({ conditions: { $inSegment: ['seg_c'] } })] })];
    const named = segmentsNamedBy(flags, (id) => segments.get(id));
    expect([...named]).toEqual(['seg_b', 'seg_c', 'seg_d', 'seg_gone', 'seg_e']);
  });
});
