import { isReservedHeader } from '../../../../config/webhooks/webhook-headers.ts';
import type { OutgoingAttempt } from '../sender.ts';

/**
 * The text of a response without the secrets of its request, because receivers may repeat a request and people who may
 * not see these read the responses: values of the webhook's headers, path and query of its URL, and the e-mail address
 * in the payload.
 */
export function responseText(text: string, attempt: Pick<OutgoingAttempt, 'url' | 'headers' | 'body'>): string {
  let shown = text;
  for (const secret of secretsOf(attempt, text)) shown = shown.replaceAll(secret, '[hidden]');
  return shown;
}

/** Shorter parts of a value are no secrets, and would be found in any text. */
const SHORTEST_PART = 6;

/** Longer ones come first, because they may contain others. */
function secretsOf({ url, headers, body }: Pick<OutgoingAttempt, 'url' | 'headers' | 'body'>, text: string): string[] {
  const address = URL.parse(url);
  const path = address === null ? '' : address.pathname + address.search;
  const own = Object.entries(headers).filter(([name]) => !isReservedHeader(name));
  const values = own.flatMap(([, value]) => [value, ...value.split(/[ ,;=]/)]);
  const queried = [...(address?.searchParams.values() ?? [])];
  const parts = [...values, path, ...path.split('/'), ...queried].filter((part) => part.length >= SHORTEST_PART);
  const email = text.includes('@') ? emailIn(body) : '';
  return [...new Set([...parts, email])]
    .filter((part) => part !== '')
    .toSorted((one, other) => other.length - one.length);
}

/** The e-mail address of the player that a payload is about; empty: it has none. */
function emailIn(body: Uint8Array): string {
  const payload: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
  const data = field(payload, 'data');
  const email = field(data, 'email');
  return typeof email === 'string' ? email : '';
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;
}
