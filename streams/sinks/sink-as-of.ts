import type { Clock } from '../../core/kernel/clock.ts';
import type { AsOf } from '../freshness/output-freshness.ts';
import type { Log } from '../log/log.ts';
import { STREAMS } from '../log/stream-definitions.ts';
import { readSinkPosition } from '../positions/positions.ts';
import { SINKS, type SinkName } from '../positions/sink-registry.ts';

/**
 * How far a sink is, from its stored position: everything that the broker stored before the first record that the sink
 * has not handled. Rejects, or never ends, while the broker cannot be read.
 * @returns `undefined`: it has handled nothing of the present stream
 */
export async function readSinkAsOf(...of: Parameters<typeof readSinkPlace>): Promise<AsOf | undefined> {
  const place = await readSinkPlace(...of);
  return place && { asOfMs: place.asOfMs, behind: place.behind, position: `${place.stream}/${place.sequence}` };
}

/** The same with the position in its parts. */
export async function readSinkPlace(
  log: Pick<Log, 'bucket' | 'info' | 'next'>,
  clock: Pick<Clock, 'wallMs'>,
  sink: SinkName,
): Promise<(Omit<AsOf, 'position'> & { stream: string; sequence: number }) | undefined> {
  const { stream } = SINKS[sink];
  // Before the position is read: what is stored now, and not found behind it, is handled.
  const askedMs = clock.wallMs();
  const position = await readSinkPosition(log, sink);
  if (position === undefined) return undefined;
  const [next, { created, lastSequence }] = await Promise.all([
    log.next(stream, STREAMS[stream].subjects[0], position.sequence + 1),
    log.info(stream),
  ]);
  if (created !== position.stream) return undefined;
  return {
    asOfMs: next === undefined ? askedMs : Math.min(askedMs, next.storedAtMs),
    behind: Math.max(0, lastSequence - position.sequence),
    stream: position.stream,
    sequence: position.sequence,
  };
}
