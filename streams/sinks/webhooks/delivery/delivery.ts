import { uuidv5 } from '../../../../src/kernel/ids.ts';
import type { JsonText } from '../../../../src/kernel/json.ts';
import { decodeJson, encodeJson } from '../../../codec.ts';
import type { Environment, Scope } from '../../../../actors/vocabulary/scope.ts';
import { BEFORE_ALL, type FactPlace } from '../../../records/fact-place.ts';

/** One attempt to make: a record of DELIVERIES. It carries the data, so a retry in two hours reads nothing else. */
export interface Delivery {
  /** The same for every attempt; receivers recognise repeats by it. */
  id: string;
  game: string;
  environment: Environment;
  webhook: string;
  /** The webhook's revision when it matched: whoever delivers must know it at least as fresh. */
  configRevision: number;
  /** Kind, as in the payload's `type`. */
  type: string;
  /** Epoch milliseconds, the payload's `timestamp`. */
  timestamp: number;
  data: JsonText;
  /** Whom it tells of. */
  player: string;
  /** Where the fact it tells of stands in the log. */
  place: FactPlace;
  /** Counted from 1. */
  attempt: number;
  /** How often this attempt was put off since it found no place. */
  deferrals: number;
  /** Since when it is owed, epoch milliseconds: when its fact was decided, or when it was asked for again. */
  owedSince: number;
  /** What had it queued again, a UUID: attempts of its own, which the broker must tell from those before. */
  run?: string;
}

/** Deliveries of a webhook that are due now. */
export const dueSubject = (webhook: string): string => `deliveries.due.${webhook}`;
/** An attempt that is due later. One subject for each, as the broker keeps one schedule per subject. */
export const scheduledSubject = (delivery: Delivery, sizeBytes: number): string =>
  `deliveries.at.${scopeToken(delivery, sizeClassOf(sizeBytes))}.${delivery.webhook}.${delivery.id}-${delivery.attempt}${suffixOf(delivery)}`;
/** Every attempt of a game's webhook, or of all of its webhooks, that is due later and of a size. @param size index in `SIZE_CLASSES` */
export const scheduledSubjects = (scope: Scope, size: number, webhook = '*'): string =>
  `deliveries.at.${scopeToken(scope, size)}.${webhook}.*`;
/** All that is due now. */
export const DUE_SUBJECTS = 'deliveries.due.*';
export const webhookOfDue = (subject: string): string => subject.slice(dueSubject('').length);

/**
 * Bytes at most of a scheduled delivery whose subject names the size, by its index: so the broker can count bytes as it counts subjects.
 * The last counts for what is larger too; nothing is, as `documentBytes` are at most doubled by their encoding.
 */
export const SIZE_CLASSES: readonly number[] = [1, 4, 16, 64, 256].map((kib) => kib * 1024);

function sizeClassOf(sizeBytes: number): number {
  const found = SIZE_CLASSES.findIndex((most) => sizeBytes <= most);
  return found === -1 ? SIZE_CLASSES.length - 1 : found;
}

/** A game's id has no dots, so it is one token. */
const scopeToken = ({ game, environment }: Scope, size: number): string => `${environment}-${size}-${game}`;

/** By what the broker knows a repeat of an append: the delivery at first, then its attempt and how often that was put off. */
export function messageIdOf(delivery: Delivery): string {
  const { id, attempt, deferrals } = delivery;
  const isFirst = attempt === 1 && deferrals === 0;
  return `${id}${isFirst ? '' : `:${attempt}:${deferrals}`}${suffixOf(delivery)}`;
}

const suffixOf = ({ run }: Delivery): string => (run === undefined ? '' : `-${run}`);

const NAMESPACE = '5a1f2ba4-9d3c-4c8e-8f7e-2f6f0f4b5d31';

/**
 * The id of the delivery of one fact to one webhook: a UUIDv5 over the webhook and the fact's place in the log, so it is
 * the same however often the fact is matched.
 */
export function deliveryId(webhook: string, factsCreated: string, sequence: number, index: number): string {
  return uuidv5(NAMESPACE, `${webhook} ${factsCreated} ${sequence} ${index}`);
}

/** JSON, so that any NATS tool shows what waits. `v` is the version of the shape. */
export function encodeDelivery(delivery: Delivery): Uint8Array {
  return encodeJson({ v: 1, ...delivery });
}

/** `undefined`: not a delivery this program knows. */
export function decodeDelivery(bytes: Uint8Array): Delivery | undefined {
  let value: unknown;
  try {
    value = decodeJson(bytes);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || !('v' in value) || value.v !== 1) return undefined;
  const fields: Record<string, unknown> = { ...value };
  const text = (name: string): string | undefined => {
    const field = fields[name];
    return typeof field === 'string' ? field : undefined;
  };
  const number = (name: string): number | undefined => {
    const field = fields[name];
    return typeof field === 'number' && Number.isSafeInteger(field) ? field : undefined;
  };
  const [id, game, environment] = [text('id'), text('game'), text('environment')];
  const [webhook, type, data] = [text('webhook'), text('type'), text('data')];
  const [configRevision, timestamp] = [number('configRevision'), number('timestamp')];
  const [attempt, deferrals] = [number('attempt'), number('deferrals')];
  if (id === undefined || game === undefined || webhook === undefined || type === undefined) return undefined;
  if (environment !== 'live' && environment !== 'test') return undefined;
  if (data === undefined || configRevision === undefined || timestamp === undefined) return undefined;
  if (attempt === undefined || attempt < 1 || deferrals === undefined) return undefined;
  const run = text('run');
  return {
    id,
    game,
    environment,
    webhook,
    configRevision,
    type,
    timestamp,
    data,
    ...sourceOf(fields, data),
    attempt,
    deferrals,
    // Of the time before: then its own time is the best there is.
    owedSince: number('owedSince') ?? timestamp,
    ...(run === undefined ? {} : { run }),
  };
}

/** Deliveries of the time before players could be erased do not say it: their data does, and every erasure came later. */
function sourceOf({ player, place }: Record<string, unknown>, data: JsonText): Pick<Delivery, 'player' | 'place'> {
  if (typeof player === 'string' && typeof place === 'object' && place !== null) {
    if ('created' in place && 'sequence' in place && 'index' in place) {
      const { created, sequence, index } = place;
      if (typeof created === 'string' && typeof sequence === 'number' && typeof index === 'number') {
        return { player, place: { created, sequence, index } };
      }
    }
  }
  const [, id = ''] = /^\{"player_id":"([^"]*)"/.exec(data) ?? [];
  return { player: id, place: BEFORE_ALL };
}
