import type { ReportProblem } from '../../src/wire/problems.ts';
import type { Sent } from './batcher.ts';
import { ServiceError } from '../service-error.ts';

/* What the answer to a batch means for its items. */

export interface ItemResult {
  readonly index: number;
  readonly status: string;
  readonly error?: { readonly code?: unknown; readonly message?: unknown } | undefined;
}

export function settled<Item>(kept: readonly Item[]): Sent<Item> {
  return { kind: 'settled', kept };
}

/**
 * Sends a batch and reads what became of it. Never rejects.
 * @param read the results of an answer; undefined if it is not one to this request
 * @param onRejected an item that the service refuses for ever
 */
export async function sentOf<Item>(
  send: () => Promise<{ data: unknown }>,
  items: readonly Item[],
  read: (data: unknown) => readonly ItemResult[] | undefined,
  onRejected: (item: Item, message: string) => void,
  onProblem: ReportProblem,
): Promise<Sent<Item>> {
  let data: unknown;
  try {
    ({ data } = await send());
  } catch (error) {
    // A request of which nothing was accepted has its results in the error.
    const results = error instanceof ServiceError ? read(error.details) : undefined;
    if (results !== undefined) return bySettling(items, results, onRejected, onProblem);
    return ofError(error, onProblem);
  }
  const results = read(data);
  if (results !== undefined) return bySettling(items, results, onRejected, onProblem);
  onProblem({ kind: 'bad-answer', message: 'A batch was answered with something else; it is sent again.' });
  return { kind: 'failed', retryAfterMs: undefined };
}

function bySettling<Item>(
  items: readonly Item[],
  results: readonly ItemResult[],
  onRejected: (item: Item, message: string) => void,
  onProblem: ReportProblem,
): Sent<Item> {
  const kept: Item[] = [];
  for (const { index, status, error } of results) {
    const item = items[index];
    if (item === undefined) continue;
    if (status === 'unavailable') kept.push(item);
    if (status === 'rejected') {
      onRejected(item, why(error));
    }
    if (status === 'quarantined') {
      onProblem({ kind: 'quarantined', message: 'An event breaks its schema; the service keeps it apart.' });
    }
  }
  return settled(kept);
}

function why({ code, message }: NonNullable<ItemResult['error']> = {}): string {
  const text = typeof message === 'string' ? message : 'The service refused it.';
  return typeof code === 'string' ? `${code}: ${text}` : text;
}

function ofError<Item>(error: unknown, onProblem: ReportProblem): Sent<Item> {
  if (!(error instanceof ServiceError)) return { kind: 'failed', retryAfterMs: undefined };
  const { status, code, message, requestId, retryAfterMs } = error;
  const report = (kind: Parameters<ReportProblem>[0]['kind']) =>
    onProblem({ kind, message, ...(requestId === undefined ? {} : { requestId }) });
  if (status === 413) return { kind: 'too-large', message };
  if (status === 429) {
    report('rate-limit');
    return { kind: 'limited', retryAfterMs };
  }
  if (status === 401 || status === 403) {
    report('unauthorized');
    return { kind: 'refused' };
  }
  if (status === undefined || status >= 500 || code === 'BAD_ANSWER') {
    report(status === undefined ? 'network' : code === 'BAD_ANSWER' ? 'bad-answer' : 'service');
    return { kind: 'failed', retryAfterMs };
  }
  // One of the items, or something of all of them.
  return { kind: 'faulty', message };
}
