import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { HIDDEN } from '../../../streams/config/hidden-texts.ts';
import { isBrokenStandardSecret } from '../../../streams/config/webhooks/webhook-secret.ts';
import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { Ids } from '../../../core/kernel/ids.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { filterFaults } from './filter-rules.ts';
import type { WebhookBody, WebhookPatch } from './webhook-resource.ts';
import { eventFaults, headerFaults, urlFaults } from './webhook-rules.ts';

/* Converts bodies of webhook requests into webhook documents, and rotates secrets. */

/** The parts of a webhook that callers set, without the secret. */
type WebhookContent = Pick<
  WebhookDocument,
  'name' | 'url' | 'events' | 'enabled' | 'headers' | 'retryPolicy' | 'filters'
>;

/** Reads a whole webhook configuration. Missing fields get their defaults. */
export function wholeContent(body: WebhookBody): WebhookContent {
  const { url, events } = body;
  return over(body, emptyContent(url, events));
}

/**
 * Merges a change into a webhook: missing fields stay, null sets a field to its default. Enabling the webhook removes
 * `disabled`, the reason for which the service disabled it.
 */
export function changedWebhook(body: WebhookPatch, held: WebhookDocument, nowMs: number): WebhookDocument {
  const { disabled, ...rest } = held;
  const content = over(body, held);
  const stillDisabled = disabled === undefined || content.enabled ? {} : { disabled };
  const webhook = { ...rest, ...stillDisabled, ...content };
  return body.secret === undefined ? webhook : rotatedWebhook(webhook, body.secret, nowMs);
}

/**
 * Replaces the secret. The previous secret signs as well until the overlap ends; older ones no longer do. The current
 * secret changes nothing, so a repeated rotation does not cut the overlap short.
 */
export function rotatedWebhook(held: WebhookDocument, secret: string, nowMs: number): WebhookDocument {
  if (secret === held.secret) return held;
  const previousSecret = { secret: held.secret, until: nowMs + WEBHOOK_LIMITS.webhookSecretOverlapMs };
  return { ...held, secret, previousSecret };
}

/** A random secret in the format of Standard Webhooks. */
export function newSecret(ids: Ids): string {
  return `whsec_${Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64')}`;
}

const SECRET_BYTES = 24;

/**
 * The faults of a configuration that its schema cannot express. Checks only the fields that were sent.
 * @param held what a change leaves as it is
 */
export function webhookFaults(
  { url, events, headers, filters, secret }: WebhookBody | WebhookPatch,
  allowPrivateHosts: readonly string[],
  held?: Pick<WebhookDocument, 'events' | 'filters'>,
): FieldFault[] {
  const isMatched = events !== undefined || (filters !== undefined && filters !== null);
  return [
    ...(url === undefined ? [] : urlFaults(url, allowPrivateHosts)),
    ...(events === undefined ? [] : eventFaults(events)),
    ...headerFaults(headers ?? {}),
    ...(isMatched ? filterFaults(filters ?? held?.filters ?? {}, events ?? held?.events ?? []) : []),
    ...secretFaults(secret),
  ];
}

/** The rule for secrets that callers choose. */
export function secretFaults(secret: string | undefined): FieldFault[] {
  if (secret === undefined || !isBrokenStandardSecret(secret)) return [];
  const message =
    'must be `whsec_` and base64 with its padding, as libraries of Standard Webhooks read it, or hold no whsec_';
  return [{ path: '/secret', message }];
}

function emptyContent(url: string, events: string[]): WebhookContent {
  return {
    name: URL.parse(url)?.host ?? '',
    url,
    events,
    enabled: true,
    headers: {},
    retryPolicy: { maxRetries: 4, backoff: 'exponential' },
    filters: {},
  };
}

function over(body: WebhookPatch, kept: WebhookContent): WebhookContent {
  const { url = kept.url, events = kept.events } = body;
  const empty = emptyContent(url, events);
  return {
    url,
    events,
    name: pick(body.name, kept.name, empty.name),
    enabled: pick(body.enabled, kept.enabled, empty.enabled),
    headers: keptValues(pick(body.headers, kept.headers, empty.headers), kept.headers),
    retryPolicy:
      body.retry_policy === undefined
        ? kept.retryPolicy
        : {
            maxRetries: body.retry_policy?.max_retries ?? empty.retryPolicy.maxRetries,
            backoff: body.retry_policy?.backoff ?? empty.retryPolicy.backoff,
          },
    filters: pick(body.filters, kept.filters, empty.filters),
  };
}

/** The headers as sent; a value that the API showed as hidden is the stored one. */
function keptValues(sent: Record<string, string>, stored: Readonly<Record<string, string>>): Record<string, string> {
  const held = new Map(Object.entries(stored));
  return Object.fromEntries(
    Object.entries(sent).map(([name, value]) => [name, value === HIDDEN ? (held.get(name) ?? value) : value]),
  );
}

/** The faults of headers that name a hidden value which is not stored. */
export function hiddenHeaderFaults(
  sent: Readonly<Record<string, string>> | null | undefined,
  stored: Readonly<Record<string, string>>,
): FieldFault[] {
  return hiddenNames(sent ?? {})
    .filter((name) => !Object.hasOwn(stored, name))
    .map((name) => ({ path: `/headers/${name}`, message: `has no stored value that \`${HIDDEN}\` could keep` }));
}

function pick<T>(sent: T | null | undefined, kept: T, empty: T): T {
  return sent === undefined ? kept : (sent ?? empty);
}

/** The fault of a URL at another origin that would get the header values stored for the present one. */
export function movedHeaderFaults({ url, headers }: WebhookPatch, held: WebhookContent): FieldFault[] {
  if (url === undefined || originOf(url) === originOf(held.url)) return [];
  const kept = headers === undefined ? Object.keys(held.headers) : hiddenNames(headers ?? {});
  if (kept.length === 0) return [];
  const message = `a URL of another origin does not get the stored values of ${kept.join(', ')}; send them, or {}`;
  return [{ path: '/headers', message }];
}

function hiddenNames(headers: Readonly<Record<string, string>>): string[] {
  return Object.keys(headers).filter((name) => headers[name] === HIDDEN);
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin;
}
