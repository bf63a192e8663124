import { TrackBody } from '../../src/api/events/track-item.ts';
import { compile } from '../../core/kernel/validation/validation.ts';
import { parseJson } from '../../src/gateway/http/read/parse-json.ts';
import { uuidv5 } from '../../core/kernel/ids.ts';
import { sampleEvent } from '../lib/load/traffic/workload.ts';
import { pairsCase, type Pair } from '../lib/figures/pairs.ts';

const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8';
const BATCH = 100;

export const validation = pairsCase(
  'validation',
  'Read and validate bodies, beside JSON.parse: per event.',
  validationPairs,
);

/** The strict reading of bodies and their schemas, beside the bare parse; per event. */
function validationPairs(): Pair[] {
  const check = compile(TrackBody);
  const events = Array.from({ length: BATCH }, (_, turn) => sampleEvent(uuidv5(NAMESPACE, String(turn)), turn));
  const single = Buffer.from(JSON.stringify(events[0]));
  const batch = Buffer.from(JSON.stringify({ events }));

  const pair = (name: string, operations: number, bytes: Buffer, run: () => unknown): Pair => ({
    name,
    work: { operations, run },
    reference: { operations, run: (): unknown => JSON.parse(bytes.toString('utf8')) },
    referenceName: 'JSON.parse',
  });
  return [
    pair('parse one event strictly', 1, single, () => parseJson(single)),
    pair('parse and validate one event', 1, single, () => accepted(single)),
    pair(`parse a batch of ${BATCH} strictly`, BATCH, batch, () => parseJson(batch)),
    pair(
      `validate ${BATCH} parsed events`,
      BATCH,
      batch,
      () => events.every((event) => check.accepts(event)) || undefined,
    ),
  ];

  /** Undefined, which fails the measurement, when the body is not accepted. */
  function accepted(bytes: Buffer): unknown {
    const json = parseJson(bytes);
    return json.kind === 'parsed' && check.accepts(json.value) ? json.value : undefined;
  }
}
