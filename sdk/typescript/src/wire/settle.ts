import { readBatch, readEnd, readSync, type Rejection, type Synced } from '../flags/answers.ts';
import type { Entry, EventEntry } from '../events/entries.ts';
import { listOf } from './json.ts';
import type { Step } from './steps.ts';
import { textOf } from './text-of.ts';

/* What an answer to a step means for the entries in it. Pure. */

export interface Settlement {
  /** Entries that leave the queue: stored by the service, or dropped. */
  done: string[];
  /** Events that the service refuses for ever, and why. */
  rejected: { event: EventEntry; message: string }[];
  quarantined: EventEntry[];
  /** Whether an event stays in the queue because of a temporary fault. */
  hasUnavailable: boolean;
  /** The service does not know the player (any more). */
  isPlayerUnknown: boolean;
  /** Events of a sync that were neither accepted nor named: repeats, or an answer to another request. */
  unnamed: number;
  synced?: Synced;
}

/** undefined: the answer is not one to this step. */
export function settle(step: Step, data: unknown): Settlement | undefined {
  switch (step.kind) {
    case 'sync': {
      const synced = readSync(data, step.events.length);
      if (synced === undefined) return undefined;
      const settlement = settleListed(step, synced);
      const { accepted, rejected } = synced;
      const unnamed = step.events.length - accepted - rejected.length - settlement.quarantined.length;
      return { ...settlement, synced, unnamed };
    }
    case 'end': {
      const ended = readEnd(data, step.session, step.events.length);
      return ended === undefined ? undefined : settleListed(step, ended);
    }
    case 'batch':
      return settleBatch(step, data);
    case 'record':
      return Object(data).session_id === step.session ? { ...NOTHING, done: idsOf(step, []) } : undefined;
    case 'register':
    case 'init':
      return undefined;
  }
}

const NOTHING: Settlement = {
  done: [],
  rejected: [],
  quarantined: [],
  hasUnavailable: false,
  isPlayerUnknown: false,
  unnamed: 0,
};

function settleListed(step: Step, { rejected, warned }: Pick<Synced, 'rejected' | 'warned'>): Settlement {
  const { events } = step;
  const unavailable = rejected.filter(isTemporary).flatMap(({ index }) => events[index]?.id ?? []);
  return {
    ...NOTHING,
    done: idsOf(step, unavailable),
    rejected: rejected.flatMap((each) => {
      const event = events[each.index];
      return event === undefined || isTemporary(each) ? [] : [{ event, message: messageOf(each) }];
    }),
    quarantined: warned.flatMap(({ index, quarantined }) => (quarantined ? (events[index] ?? []) : [])),
    hasUnavailable: unavailable.length > 0,
  };
}

function settleBatch(step: Step, data: unknown): Settlement | undefined {
  const { events } = step;
  const ids = events.map(({ id }) => id);
  const results = readBatch(data, ids);
  if (results === undefined) return undefined;
  const settlement: Settlement = { ...NOTHING, done: [], rejected: [], quarantined: [] };
  for (const { index, status, error } of results) {
    const event = events[index];
    if (event === undefined) continue;
    if (status === 'unavailable') settlement.hasUnavailable = true;
    else if (status === 'rejected' && error?.code === 'PLAYER_NOT_FOUND') settlement.isPlayerUnknown = true;
    else {
      settlement.done.push(event.id);
      if (status === 'quarantined') settlement.quarantined.push(event);
      if (status === 'rejected') settlement.rejected.push({ event, message: textOf(error?.message ?? '') });
    }
  }
  return settlement;
}

function idsOf({ events, states, end }: Step, except: readonly string[]): string[] {
  const entries = [...events, ...states, ...(end === undefined ? [] : [end])];
  return entries.map(({ id }) => id).filter((id) => !except.includes(id));
}

function isTemporary({ error }: Rejection): boolean {
  return error.code === 'SERVICE_UNAVAILABLE' || error.code === 'INTERNAL_ERROR';
}

function messageOf({ error }: Rejection): string {
  return `${error.code}: ${textOf(error.message)}`;
}

/**
 * What to drop from a request that the service refuses as a whole. `some`: one of several events, not known which.
 * undefined: nothing of the queue is in the request.
 */
export function entriesAtFault(step: Step, details: unknown): readonly Entry[] | 'some' | undefined {
  const { kind, events, states, end } = step;
  const isStateAtFault = listOf(Object(details).fields).some((fault) =>
    textOf(Object(fault).path).startsWith('/state_updates'),
  );
  if (states.length > 0 && (isStateAtFault || events.length === 0)) return states;
  if (events.length > 0) return events.length > 1 ? 'some' : events;
  if (end !== undefined) return [end];
  return kind === 'record' ? [] : undefined;
}
