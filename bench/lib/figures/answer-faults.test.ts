import { expect, test } from 'vitest';
import { answerFaults, neverServed, type BulkAnswer, type Served } from './answer-faults.ts';
import { SAMPLE_SEGMENTS, sampleFlags } from '../service/samples/sample-flags.ts';

const segmentIds = new Map(SAMPLE_SEGMENTS.map(({ body }) => [body.key, `seg_${body.key}`]));
const flags = sampleFlags(segmentIds);
const expected = { flags, segments: SAMPLE_SEGMENTS, segmentIds };
const veteran = { level: 40, country: 'US', is_vip: false };

/** Everything by default, but what rests on the segment of veterans. */
function rightAnswer(): BulkAnswer {
  const evaluations = flags.map(({ body, segmentKey }): [string, Served] => [
    body.key,
    segmentKey === 'veterans'
      ? { value: true, variant_key: null, reason: 'segment_match', segment_id: 'seg_veterans' }
      : { value: false, variant_key: null, reason: 'default' },
  ]);
  return { evaluations: Object.fromEntries(evaluations), unknown_flags: [] };
}

test('there are 20 flags of different keys', () => {
  expect(new Set(flags.map(({ body }) => body.key)).size).toBe(20);
});

test('a right answer has no faults', () => {
  expect(answerFaults(rightAnswer(), veteran, expected)).toEqual([]);
});

test('a flag that is missing, unknown or served against its segment is a fault', () => {
  const { evaluations } = rightAnswer();
  const { waiting: _, ...others } = evaluations;
  expect(answerFaults({ evaluations: others, unknown_flags: ['waiting'] }, veteran, expected)).toEqual([
    'waiting is missing',
    'waiting is unknown',
  ]);
  expect(answerFaults(rightAnswer(), { ...veteran, level: 20 }, expected)).toHaveLength(2);
  expect(answerFaults(rightAnswer(), { ...veteran, is_vip: true }, expected)).toHaveLength(1);
});

test('what nobody was served is told', () => {
  expect(neverServed([rightAnswer()], ['red'])).toEqual(['percentage_rollout', 'flag_disabled', 'red']);
});
