import type { RunningService } from '../support/servers/running-service.ts';
import { SEGMENT_CLIENT_LIMITS } from '../../src/api/segment-clients/limits.ts';
import { probe } from './service-probe.ts';

/** A batch of a Segment client: its status, and the longest turn of the main thread meanwhile, in milliseconds. */
export interface SegmentStall {
  name: string;
  status: number;
  stallMs: number;
}

/** Sends the largest and the most hostile batches. @param round makes ids unique, so that every message is new */
export async function segmentStalls(service: RunningService, round: number): Promise<SegmentStall[]> {
  const { server } = service.keys.test;
  const stalls: SegmentStall[] = [];
  for (const [name, body] of Object.entries(bodies(round))) {
    await probe(service.url);
    const response = await fetch(`${service.url}/v1/batch?writeKey=${server}`, { method: 'POST', body });
    await response.text();
    stalls.push({ name, status: response.status, stallMs: (await probe(service.url)).stallMs });
  }
  return stalls;
}

const MANY = SEGMENT_CLIENT_LIMITS.segmentBatchMessages;

function bodies(round: number): Readonly<Record<string, string>> {
  const batchOf = (count: number, message: (n: number) => unknown): string =>
    JSON.stringify({ batch: Array.from({ length: count }, (_, n) => message(n)), sentAt: '2026-01-15T10:30:00Z' });
  const track = (n: number, userId: string) => ({
    type: 'track',
    userId,
    messageId: `m-${round}-${n}`,
    event: 'level_up',
    timestamp: '2026-01-15T10:30:00.000Z',
    properties: { level: n, name: 'x'.repeat(100) },
  });
  const deep = (levels: number): string => '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
  const values = [
    null,
    1,
    'x',
    [],
    [[]],
    true,
    {},
    { type: 5 },
    { type: 'track', userId: {}, event: [], messageId: {} },
  ];
  const hostile =
    '{"type":"identify","userId":"h\\ud800","anonymousId":"\\u0000","traits":{"__proto__":{"a":1},"constructor":null,' +
    '"toString":"\\udfff"},"context":{"__proto__":1,"traits":[]},"messageId":{"toString":1},"timestamp":{}}';
  const large = 'x'.repeat(30_000);
  return {
    'messages of one player': batchOf(MANY, (n) => track(n, `stall-${round}`)),
    'messages of as many players': batchOf(MANY, (n) => track(n, `stall-${round}-${n}`)),
    'messages with both ids': batchOf(MANY, (n) => ({
      ...track(n, `both-${round}-${n % 50}`),
      anonymousId: `a-${n % 50}`,
    })),
    'repeats of one message': batchOf(MANY, () => track(0, `repeat-${round}`)),
    'registrations of one player': batchOf(MANY, (n) => ({ type: 'identify', userId: `i-${round}`, traits: { n } })),
    'values of wrong types': batchOf(MANY, (n) => values[n % values.length]),
    'hostile fields': `{"batch":[${Array.from({ length: 1_400 }, () => hostile).join(',')}]}`,
    'messages of 30 kB': batchOf(33, (n) => ({ ...track(n, `large-${round}`), properties: { large } })),
    'deep values': `{"batch":[${Array.from({ length: 40 }, () => `{"type":"track","userId":"d","event":"e","properties":${deep(600)}}`).join(',')}]}`,
    'a value that is too deep': `{"batch":[${deep(2_000)}]}`,
  };
}
