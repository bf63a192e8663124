import { type Clock, within } from '../../../core/kernel/clock.ts';
import type { ConfigChange, ConfigEntry } from '../../config/config-store.ts';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { Delivery } from './record/delivery.ts';
import type { AttemptOutcome, DeliverySender, OutgoingAttempt } from './delivery/sender.ts';
import type { WebhookConfig } from './record/webhook-config.ts';

export const A_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

/** A webhook for tests; a test passes the properties that matter to it. */
export function aWebhook(some: Partial<WebhookDocument> = {}): WebhookDocument {
  return {
    id: 'wh_1',
    name: 'test',
    url: 'http://receiver.test/hook',
    events: ['*'],
    secret: A_SECRET,
    enabled: true,
    headers: {},
    retryPolicy: { maxRetries: 4, backoff: 'exponential' },
    filters: {},
    createdAt: 1_000,
    version: 1,
    ...some,
  };
}

/** A delivery for tests; a test passes the properties that matter to it. */
export function aDelivery(some: Partial<Delivery> = {}): Delivery {
  return {
    id: '2f1b6a1e-0c1d-5b7e-8a55-1f2e3d4c5b6a',
    game: 'demo',
    environment: 'live',
    webhook: 'wh_1',
    configRevision: 1,
    type: 'event.level_up',
    timestamp: 1_000,
    data: '{}',
    player: '7d6f3f5e-6f0b-5f8e-9d2c-0d1e2f3a4b5c',
    place: { created: '', sequence: 1, index: 0 },
    attempt: 1,
    deferrals: 0,
    owedSince: 1_000,
    ...some,
  };
}

/** A ConfigStore in memory; revisions count writes. */
export interface FakeConfig extends WebhookConfig {
  /** Writes a webhook and returns its entry; game demo and environment live by default. */
  set(webhook: WebhookDocument, environment?: 'live' | 'test', game?: string): ConfigEntry<'webhook'>;
  remove(id: string): void;
  /** Holds back later writes, as a watch that lags behind does. */
  lag(): void;
  catchUp(): void;
}

export function createFakeConfig(clock: Clock): FakeConfig {
  let revision = 0;
  let written = 0;
  let lagging = false;
  let held: (() => void)[] = [];
  const entries = new Map<string, ConfigEntry<'webhook'>>();
  const listeners = new Set<(change: ConfigChange) => void>();
  const seenBy = new Set<() => void>();

  function apply(change: () => ConfigChange, at: number): void {
    const run = (): void => {
      const applied = change();
      revision = at;
      for (const listener of listeners) listener(applied);
      for (const check of seenBy) check();
    };
    if (lagging) held.push(run);
    else run();
  }

  const config: FakeConfig = {
    get revision() {
      return revision;
    },
    get: ({ key }) => entries.get(key),
    list: () => [...entries.values()],
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async put(address, document, expected) {
      const held = entries.get(address.key);
      if ((held?.revision ?? 0) !== expected || address.environment === '_') return { kind: 'conflict' };
      return { kind: 'written', entry: config.set(document, address.environment, address.game) };
    },
    async seen(wanted, timeoutMs) {
      const seen = new Promise<boolean>((resolve) => {
        const check = (): void => {
          if (revision < wanted) return;
          seenBy.delete(check);
          resolve(true);
        };
        seenBy.add(check);
        check();
      });
      return (await within(clock, timeoutMs, seen)) ?? false;
    },
    set(document, environment = 'live', game = 'demo') {
      written += 1;
      const address = { game, environment, kind: 'webhook' as const, key: document.id };
      const entry = { ...address, revision: written, document };
      apply(() => {
        const before = entries.get(document.id);
        entries.set(document.id, entry);
        return { address, entry, before };
      }, written);
      return entry;
    },
    remove(id) {
      const { game = 'demo', environment = 'live' as const } = entries.get(id) ?? {};
      written += 1;
      apply(() => {
        const before = entries.get(id);
        entries.delete(id);
        return { address: { game, environment, kind: 'webhook', key: id }, entry: undefined, before };
      }, written);
    },
    lag() {
      lagging = true;
    },
    catchUp() {
      lagging = false;
      const delayed = held;
      held = [];
      for (const run of delayed) run();
    },
  };
  return config;
}

/** An attempt as a receiver sees it. */
export interface SeenAttempt {
  atMs: number;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: {
    id: string;
    type: string;
    timestamp: string;
    data: Record<string, unknown>;
    metadata: { webhook_id: string; delivery_attempt: number };
  };
}

/** Receivers in memory, with `answer` as their response. A promise that never resolves is an unresponsive receiver. */
export interface FakeSender extends DeliverySender {
  readonly attempts: SeenAttempt[];
  answer: (attempt: SeenAttempt) => AttemptOutcome | Promise<AttemptOutcome>;
  readonly inFlight: number;
  readonly mostInFlight: number;
}

export const answered = (status: number): AttemptOutcome => ({ kind: 'answered', status, responseStart: '' });

export function createFakeSender(nowMs: () => number): FakeSender {
  const attempts: SeenAttempt[] = [];
  const aborts = new Set<() => void>();
  let inFlight = 0;
  let mostInFlight = 0;
  const sender: FakeSender = {
    attempts,
    answer: () => answered(200),
    get inFlight() {
      return inFlight;
    },
    get mostInFlight() {
      return mostInFlight;
    },
    async send({ url, headers, body }: OutgoingAttempt) {
      const seen: SeenAttempt = { atMs: nowMs(), url, headers, body: JSON.parse(Buffer.from(body).toString('utf8')) };
      attempts.push(seen);
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      const aborted = new Promise<AttemptOutcome>((resolve) => {
        aborts.add(() => resolve({ kind: 'aborted' }));
      });
      const outcome = await Promise.race([Promise.resolve(sender.answer(seen)), aborted]);
      inFlight -= 1;
      return outcome;
    },
    close() {
      for (const abort of aborts) abort();
    },
  };
  return sender;
}
