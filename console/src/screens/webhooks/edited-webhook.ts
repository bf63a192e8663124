import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { parseObject, prettyJson } from '../../parts/editors/json-text.ts';
import { type Labels, labelsOf, NO_LABELS } from '../../parts/labels/labels.ts';
import type { Webhook } from './webhooks.tsx';

/* A webhook as a person edits it: filters and headers are texts, which need not be valid yet. */

export const BACKOFFS = ['exponential', 'linear', 'none'] as const;

export interface EditedWebhook {
  name: string;
  url: string;
  events: string[];
  /** JSON. */
  filters: string;
  retries: number;
  backoff: (typeof BACKOFFS)[number];
  labels: Labels;
  /** JSON; undefined: not edited. */
  headers?: string | undefined;
  /** Whether edited headers were left out when the draft was stored. */
  hasLostHeaders?: boolean | undefined;
}

/** What an edit began with. It has no headers, because drafts are stored and headers may hold credentials. */
export type WebhookBase = Pick<
  Webhook,
  'version' | 'name' | 'url' | 'events' | 'filters' | 'retry_policy' | 'managed_by' | keyof Labels
>;

export const NEW_WEBHOOK: EditedWebhook = {
  name: '',
  url: '',
  events: [],
  filters: '{}',
  retries: 4,
  backoff: 'exponential',
  labels: NO_LABELS,
};

export function baseOf(webhook: WebhookBase): WebhookBase {
  const { version, name, url, events, filters, retry_policy, owner, tags, note, managed_by } = webhook;
  return { version, name, url, events, filters, retry_policy, owner, tags, note, managed_by };
}

export function editedOf(webhook: Omit<WebhookBase, 'version'>) {
  const { name, url, events, filters, retry_policy: retry } = webhook;
  const { max_retries: retries = NEW_WEBHOOK.retries, backoff = NEW_WEBHOOK.backoff } = retry;
  const labels = labelsOf(webhook);
  const edited: EditedWebhook = {
    name,
    url,
    events: [...events],
    filters: prettyJson(filters),
    retries,
    backoff,
    labels,
  };
  return edited;
}

/** The fields that people edit, as the service has them. */
export function contentOf(webhook: Omit<WebhookBase, 'version'>): JsonObject {
  const { name, url, events, filters, retry_policy } = webhook;
  const content: JsonObject = JSON.parse(
    JSON.stringify({ name, url, events, filters, retry_policy, ...labelsOf(webhook) }),
  );
  return content;
}

/** The fields for the service, with the headers if they were edited; undefined: something is missing or not valid. */
export function bodyOf(edited: EditedWebhook): JsonObject | undefined {
  const { name, url, events, filters, retries, backoff, headers } = edited;
  const [filtersObject, headersObject] = [parseObject(filters), headers === undefined ? {} : parseObject(headers)];
  if (filtersObject === undefined || headersObject === undefined) return undefined;
  if (url.trim() === '' || events.length === 0) return undefined;
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    url: url.trim(),
    events,
    filters: filtersObject,
    retry_policy: { max_retries: retries, backoff },
    owner: edited.labels.owner,
    tags: [...edited.labels.tags],
    note: edited.labels.note,
    ...(headers === undefined ? {} : { headers: headersObject }),
  };
}

/** What may be stored of an edit: no headers, and no address with a password, which the service will refuse. */
export function withoutSecrets({ headers, hasLostHeaders, ...edited }: EditedWebhook): EditedWebhook {
  const isLost = headers !== undefined || hasLostHeaders === true;
  return { ...edited, url: hasCredentials(edited.url) ? '' : edited.url, ...(isLost ? { hasLostHeaders: true } : {}) };
}

/** A text that is no address yet may become one with credentials: nothing of it is stored once it has an @. */
function hasCredentials(text: string): boolean {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text.includes('@');
  const { username, password } = new URL(text);
  return username !== '' || password !== '';
}
