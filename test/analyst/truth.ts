import type { World, Row } from '../contract/http/metric-world.ts';
import { localDay } from './calendar.ts';
import { type Call, type GamePlan, type Sent, serviceEventId } from './story.ts';
import { daysOf } from './truth-days.ts';
import { takeLine } from './truth-imported.ts';
import { takePurchase, takeRefund } from './truth-purchases.ts';
import {
  type ActOf,
  addEvent,
  BY_SERVICE,
  deviceValues,
  type Made,
  newPlayer,
  type Open,
  type Player,
  type Walk,
} from './truth-walk.ts';

/*
 * The rows that a story must lead to, from what docs/analytics.md says of event time, sessions and purchases: one call
 * after the other, in the order of their receipt. It shares no code with the service.
 */

const DAY_MS = 86_400_000;
const TTL_MS = 1_800_000;

export interface Truth extends World {
  rows: Row[];
  /** Event ids of rows of `events`, by their sequence. */
  eventIds: ReadonlyMap<number, string>;
}

export function truthOf(plan: GamePlan, calls: readonly Call[], untilMs: number): Truth {
  const rows: Row[] = [];
  const eventIds = new Map<number, string>();
  const players = Array.from({ length: plan.players }, newPlayer);

  function add(made: Made): void {
    const rest = { firstDay: 0, numbers: {}, amount: 0, counts: 0, seconds: 0, isRefund: false, deviceAt: made.at };
    rows.push({ ...rest, sequence: rows.length, day: localDay(plan.zone, made.at), ...made });
  }

  const walk: Walk = { add, noteEvent: (id) => void eventIds.set(rows.length, id), plan };
  for (const { player, at, by, act } of calls) {
    const state = players[player];
    if (state === undefined) throw new Error('there is no such player');
    expire(walk, state, player, at);
    takeAct(walk, state, { player, at, by, act });
  }
  for (const [player, state] of players.entries()) expire(walk, state, player, untilMs);
  rows.push(...daysOf(rows, players));
  return { rows, players: players.map(() => ({ attributes: {}, isMember: false })), eventIds };
}

/** The device's time, if it is not after the receipt and less than seven days before it. */
const likely = (deviceAt: number, receivedAt: number): number =>
  deviceAt <= receivedAt && deviceAt > receivedAt - 7 * DAY_MS ? deviceAt : receivedAt;

function expire(walk: Walk, state: Player, player: number, at: number): void {
  for (const session of state.open.filter(({ lastCallAt }) => lastCallAt + TTL_MS <= at)) {
    const seconds = Math.floor((session.lastCallAt - session.openedAt) / 1_000);
    close(walk, state, player, session, { at: session.lastCallAt + TTL_MS, seconds, reason: 'expired' });
  }
}

function close(
  { add }: Walk,
  state: Player,
  player: number,
  session: Open,
  { at, seconds, reason }: { at: number; seconds: number; reason: string },
): void {
  state.open = state.open.filter((open) => open !== session);
  const values = { end_reason: reason, played_in: state.country, ...deviceValues(session.device) };
  add({ source: 'sessions', player, at: likely(session.openedAt, at), receivedAt: at, seconds, values });
}

function takeAct(walk: Walk, state: Player, call: Call): void {
  const { player, at, act } = call;
  switch (act.kind) {
    case 'register':
    case 'moves':
      state.country = act.country;
      return;
    case 'init':
      state.open.push({ id: act.session, openedAt: at, lastCallAt: at, device: act.device });
      state.device = act.device;
      return;
    case 'sync':
      takeEvents(walk, state, call, inOrder(act.events), act.session);
      sessionOf(state, act.session).lastCallAt = at;
      return;
    case 'end': {
      takeEvents(walk, state, call, inOrder(act.events), act.session);
      const session = sessionOf(state, act.session);
      const seconds = Math.min(act.seconds, Math.floor((at - session.openedAt) / 1_000));
      close(walk, state, player, session, { at, seconds, reason: 'ended' });
      return;
    }
    case 'track':
      takeEvents(walk, state, call, act.events, null);
      return;
    case 'played':
      takePlayed(walk, state, call, act);
      return;
    case 'buys':
      takePurchase(walk, state, call, act);
      return;
    case 'refunded':
      takeRefund(walk, state, call, act);
      return;
    case 'imported':
      for (const line of act.lines) takeLine(walk, state, player, line);
  }
}

const inOrder = (events: readonly Sent[]): Sent[] => events.toSorted((one, other) => one.deviceAt - other.deviceAt);

function sessionOf(state: Player, id: string): Open {
  const found = state.open.find((session) => session.id === id);
  if (found === undefined) throw new Error(`the session ${id} is not open`);
  return found;
}

/** An event counts once by its id, whatever call brings it. */
function takeEvents(walk: Walk, state: Player, call: Call, events: readonly Sent[], session: string | null): void {
  for (const { eventId, name, properties, deviceAt, device } of events) {
    if (state.seen.has(eventId)) continue;
    state.seen.add(eventId);
    const own = device ?? (session === null ? state.device : sessionOf(state, session).device);
    addEvent(walk, state, {
      ...call,
      eventId,
      name,
      properties,
      at: likely(deviceAt, call.at),
      receivedAt: call.at,
      device: own,
      from: { source: 'caller', key_kind: call.by },
    });
  }
}

function takePlayed(walk: Walk, state: Player, call: Call, act: ActOf<'played'>): void {
  const { player, at } = call;
  if (state.seen.has(act.session)) return;
  state.seen.add(act.session);
  const began = act.deviceAt ?? at;
  const values = { end_reason: 'recorded', played_in: state.country, ...deviceValues(state.device) };
  walk.add({ source: 'sessions', player, at: likely(began, at), receivedAt: at, seconds: act.seconds, values });
  const ended = act.deviceAt === null ? at : act.deviceAt + act.seconds * 1_000;
  const event = {
    eventId: serviceEventId(walk.plan, call),
    name: 'session_recorded',
    properties: {},
    device: state.device,
    from: BY_SERVICE,
  };
  addEvent(walk, state, { player, at: likely(ended, at), receivedAt: at, ...event });
}
