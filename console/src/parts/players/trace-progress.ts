import type { AnswerOf } from '../../frame/api.ts';

type Answer = AnswerOf<'GET /v1/events/events/{event_id}/trace'>;
type Trace = Pick<Answer['traces'][number], 'received_at' | 'webhooks_matched'> & { row: object | null };

/** How long after its receipt an event may get another attempt of a delivery that the trace does not have yet. */
const ATTEMPTS_MS = 60_000;

/** Whether a trace may have more when it is read again. */
export function mayGrow(traces: readonly Trace[], nowMs: number): boolean {
  if (traces.length === 0) return true;
  return traces.some(
    ({ row, webhooks_matched: isMatched, received_at: at }) =>
      row === null || !isMatched || nowMs - Date.parse(at) < ATTEMPTS_MS,
  );
}
