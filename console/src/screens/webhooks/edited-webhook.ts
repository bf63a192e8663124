import type { JsonObject } from '../../../../core/kernel/text/json.ts';
import { parseObject, prettyJson } from '../../parts/editors/json-text.ts';
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
  /** JSON; undefined: not edited. */
  headers?: string | undefined;
  /** Whether edited headers were left out when the draft was stored. */
  hasLostHeaders?: boolean | undefined;
}

/** What an edit began with. It has no headers, because drafts are stored and headers may hold credentials. */
export type WebhookBase = Pick<Webhook, 'version' | 'name' | 'url' | 'events' | 'filters' | 'retry_policy'>;

export const NEW_WEBHOOK: EditedWebhook = {
  name: '',
  url: '',
  events: [],
  filters: '{}',
  retries: 4,
  backoff: 'exponential',
};

export function baseOf({ version, name, url, events, filters, retry_policy }: WebhookBase): WebhookBase {
  return { version, name, url, events, filters, retry_policy };
}

export function editedOf({ name, url, events, filters, retry_policy: retry }: Omit<WebhookBase, 'version'>) {
  const { max_retries: retries = NEW_WEBHOOK.retries, backoff = NEW_WEBHOOK.backoff } = retry;
  const edited: EditedWebhook = { name, url, events: [...events], filters: prettyJson(filters), retries, backoff };
  return edited;
}

/** The fields that people edit, as the service has them. */
export function contentOf({ name, url, events, filters, retry_policy }: Omit<WebhookBase, 'version'>): JsonObject {
  const content: JsonObject = JSON.parse(JSON.stringify({ name, url, events, filters, retry_policy }));
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
