import type { LogRecord } from '../../../streams/log/log.ts';
import type { HandOverListener } from '../../../streams/log/own-appends.ts';

/** Collects what is handed over: sequences, and `gap`. */
export interface HandedOver extends HandOverListener {
  records: LogRecord[];
  takeAll(): (number | 'gap')[];
}

export function createHandedOver(): HandedOver {
  let got: (number | 'gap')[] = [];
  const records: LogRecord[] = [];
  return {
    records,
    onRecords(some) {
      records.push(...some);
      got.push(...some.map(({ sequence }) => sequence));
    },
    onGap: () => void got.push('gap'),
    takeAll() {
      const all = got;
      got = [];
      return all;
    },
  };
}

export function recordOf(sequence: number, data = `record ${sequence}`): LogRecord {
  return { subject: `facts.${sequence % 3}`, sequence, storedAtMs: sequence, data: Buffer.from(data) };
}
