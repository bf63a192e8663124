import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { decodeCommit } from '../../core/codec/codec.ts';
import type { Log, LogRecord } from '../../streams/log/log.ts';
import { readSinkPosition } from '../../streams/positions/positions.ts';
import type { SinkName } from '../../streams/positions/sink-registry.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { TRACE_LIMITS } from './limits.ts';
import { createSignal } from '../../core/kernel/flow/signal.ts';

export interface FoundFact {
  record: LogRecord;
  index: number;
  fact: Fact;
}

/** Whether a sink has handled a record of FACTS. */
export async function isReadTo(log: Pick<Log, 'bucket'>, sink: SinkName, sequence: number): Promise<boolean> {
  return ((await readSinkPosition(log, sink))?.sequence ?? 0) >= sequence;
}

/**
 * Searches records of FACTS, within `traceRecords` and `traceLogMs`.
 * @param range first and last sequence; sequences that were trimmed are passed over
 */
export async function findInLog(
  { log, clock }: { log: Pick<Log, 'read' | 'info'>; clock: Clock },
  range: { from: number; to: number },
  wants: (fact: Fact) => boolean,
): Promise<{ matches: FoundFact[]; complete: boolean }> {
  const matches: FoundFact[] = [];
  if (range.to < range.from) return { matches, complete: true };
  const { firstSequence } = await log.info('FACTS');
  const signal = createSignal();
  const reader = log.read('FACTS', { from: Math.max(range.from, firstSequence), onWaiting: signal.notify });
  const deadlineMs = clock.monotonicMs() + TRACE_LIMITS.traceLogMs;
  let records = 0;
  try {
    while (reader.ended === undefined && clock.monotonicMs() < deadlineMs) {
      const taken = reader.take();
      if (taken.length === 0) await signal.wait(clock, deadlineMs - clock.monotonicMs());
      for (const record of taken) {
        for (const [index, fact] of decodeCommit(record.data).facts.entries()) {
          if (wants(fact)) matches.push({ record, index, fact });
        }
        records += 1;
        if (record.sequence >= range.to) return { matches, complete: true };
        if (records >= TRACE_LIMITS.traceRecords) return { matches, complete: false };
      }
    }
    return { matches, complete: false };
  } finally {
    reader.stop();
  }
}
