import { uuidv5 } from '../../../../core/kernel/ids.ts';
import type { JsonText } from '../../../../core/kernel/text/json.ts';
import type { Environment, Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { FactPlace } from '../../../../core/vocabulary/records/fact-place.ts';

/** One attempt to make, as DELIVERIES holds it. It carries the payload, so that a retry needs no other data. */
export interface Delivery {
  /** The same for every attempt, so that receivers can recognise repeats. */
  id: string;
  game: string;
  environment: Environment;
  webhook: string;
  /** The webhook's revision when it matched: a process with older definitions must not deliver it. */
  configRevision: number;
  /** Webhook kind, the payload's `type`. */
  type: string;
  /** Epoch milliseconds, the payload's `timestamp`. */
  timestamp: number;
  data: JsonText;
  /** Id of the fact's player. */
  player: string;
  /** The fact's place in FACTS. */
  place: FactPlace;
  /** Counted from 1. */
  attempt: number;
  /** How often this attempt was deferred because there was no slot. */
  deferrals: number;
  /** When its fact was committed, or when an operator requested it again, epoch milliseconds. */
  owedSince: number;
  /** UUID of the redelivery or recovery that queued it again, so that its message ids differ from earlier ones. */
  run?: string;
}

/** Subject of a webhook's due deliveries. */
export const dueSubject = (webhook: string): string => `deliveries.due.${webhook}`;
/** Subject of one scheduled attempt: each has its own, because the broker keeps one schedule per subject. */
export const scheduledSubject = (delivery: Delivery, sizeBytes: number): string =>
  `deliveries.at.${scopeToken(delivery, sizeClassOf(sizeBytes))}.${delivery.webhook}.${delivery.id}-${delivery.attempt}${suffixOf(delivery)}`;
/** Subject of what is left of a record of several deliveries; one for each such record. */
export const remainderSubject = (of: Scope & { webhook: string }, id: string, sizeBytes: number): string =>
  `deliveries.at.${scopeToken(of, sizeClassOf(sizeBytes))}.${of.webhook}.rest-${id}`;
/** Subject of a due delivery that this version cannot read, while it waits for a newer one; one for each. */
export const unreadableSubject = (due: string, sequence: number): string =>
  `deliveries.at.unreadable.${webhookOfDue(due)}.${sequence}`;
/**
 * Pattern of the scheduled attempts of a game's webhook, or of all of its webhooks, in one size class.
 * @param size index in `SIZE_CLASSES`
 */
export const scheduledSubjects = (scope: Scope, size: number, webhook = '*'): string =>
  `deliveries.at.${scopeToken(scope, size)}.${webhook}.*`;
/** Pattern of all due deliveries. */
export const DUE_SUBJECTS = 'deliveries.due.*';
export const webhookOfDue = (subject: string): string => subject.slice(dueSubject('').length);

/**
 * Size classes of scheduled deliveries, maximum bytes each. The subject names the class, so that the broker's count of
 * subjects bounds their bytes. No delivery exceeds the last class: encoding at most doubles `LIMITS.documentBytes`.
 */
export const SIZE_CLASSES: readonly number[] = [1, 4, 16, 64, 256].map((kib) => kib * 1024);

function sizeClassOf(sizeBytes: number): number {
  const found = SIZE_CLASSES.findIndex((most) => sizeBytes <= most);
  return found === -1 ? SIZE_CLASSES.length - 1 : found;
}

/** A game's id has no dots, so this is one token. */
const scopeToken = ({ game, environment }: Scope, size: number): string => `${environment}-${size}-${game}`;

/** Message id, by which the broker drops repeated appends: delivery id, attempt (after the first), deferrals, run. */
export function messageIdOf(delivery: Delivery): string {
  const { id, attempt, deferrals } = delivery;
  const isFirst = attempt === 1 && deferrals === 0;
  return `${id}${isFirst ? '' : `:${attempt}:${deferrals}`}${suffixOf(delivery)}`;
}

const suffixOf = ({ run }: Delivery): string => (run === undefined ? '' : `-${run}`);

const NAMESPACE = '5a1f2ba4-9d3c-4c8e-8f7e-2f6f0f4b5d31';

/**
 * The id of the delivery of one fact to one webhook: a UUIDv5 over the webhook and the fact's place in FACTS.
 * Matching a fact again gives the same id.
 */
export function deliveryId(webhook: string, factsCreated: string, sequence: number, index: number): string {
  return uuidv5(NAMESPACE, `${webhook} ${factsCreated} ${sequence} ${index}`);
}

/** `undefined`: these are not the fields of a delivery. */
export function deliveryOf(fields: Readonly<Record<string, unknown>>): Delivery | undefined {
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
  const [attempt, deferrals, owedSince] = [number('attempt'), number('deferrals'), number('owedSince')];
  const [player, place] = [text('player'), placeOf(fields['place'])];
  if (id === undefined || game === undefined || webhook === undefined || type === undefined) return undefined;
  if (environment !== 'live' && environment !== 'test') return undefined;
  if (data === undefined || configRevision === undefined || timestamp === undefined) return undefined;
  if (attempt === undefined || attempt < 1 || deferrals === undefined || owedSince === undefined) return undefined;
  if (player === undefined || place === undefined) return undefined;
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
    player,
    place,
    attempt,
    deferrals,
    owedSince,
    ...(run === undefined ? {} : { run }),
  };
}

function placeOf(place: unknown): FactPlace | undefined {
  if (typeof place !== 'object' || place === null) return undefined;
  if (!('created' in place && 'sequence' in place && 'index' in place)) return undefined;
  const { created, sequence, index } = place;
  if (typeof created !== 'string' || typeof sequence !== 'number' || typeof index !== 'number') return undefined;
  return { created, sequence, index };
}
