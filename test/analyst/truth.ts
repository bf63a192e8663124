import type { Row, World } from '../contract/http/metric-world.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import { localDay } from './calendar.ts';
import {
  type Act,
  type Call,
  type Device,
  type GamePlan,
  type ImportedLine,
  type Sent,
  serviceEventId,
} from './story.ts';

/*
 * The rows that a story must lead to, from what docs/analytics.md says of event time, sessions and purchases: one call
 * after the other, in the order of their receipt. It shares no code with the service.
 */

const DAY_MS = 86_400_000;
const TTL_MS = 1_800_000;

interface Purchase {
  amount: number;
  remaining: number;
  by: CallerKind | 'import';
  at: number;
  product: string | null;
  currency: string | null;
}

interface Open {
  id: string;
  openedAt: number;
  lastCallAt: number;
  device: Device;
}

interface Player {
  country: string;
  device: Device;
  open: Open[];
  seen: Set<string>;
  purchases: Map<string, Purchase>;
  refunds: Set<string>;
  /** Purchases of which something remains. */
  paid: number;
  begunDay: number;
}

const NO_DEVICE: Device = { platform: '', appVersion: '', build: '' };

/** A row of `World`, before its days are known. */
type Made = Pick<Row, 'source' | 'player' | 'at' | 'receivedAt' | 'values'> & Partial<Row>;

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

interface Walk {
  plan: GamePlan;
  add: (made: Made) => void;
  /** The id of the event of the next row. */
  noteEvent: (id: string) => void;
}

const newPlayer = (): Player => ({
  country: '',
  device: NO_DEVICE,
  open: [],
  seen: new Set(),
  purchases: new Map(),
  refunds: new Set(),
  paid: 0,
  begunDay: Infinity,
});

/** The device's time, if it is not after the receipt and less than seven days before it. */
const likely = (deviceAt: number, receivedAt: number): number =>
  deviceAt <= receivedAt && deviceAt > receivedAt - 7 * DAY_MS ? deviceAt : receivedAt;

const deviceValues = ({ platform, appVersion, build }: Device) => ({ platform, app_version: appVersion, build });

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
  const values = { end_reason: reason, ...deviceValues(session.device) };
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

interface Happened {
  player: number;
  at: number;
  receivedAt: number;
  eventId: string;
  name: string;
  properties: Readonly<Record<string, unknown>>;
  device: Device;
  country?: string;
  from: { source: string; key_kind: string };
}

function addEvent(walk: Walk, state: Player, event: Happened): void {
  const { player, at, receivedAt, properties } = event;
  const { mode, score } = properties;
  walk.noteEvent(event.eventId);
  walk.add({
    source: 'events',
    player,
    at,
    receivedAt,
    // A refund is no activity.
    isRefund: event.name === 'purchase_refunded' && event.from.source !== 'caller',
    values: {
      event_name: event.name,
      country: event.country ?? state.country,
      is_payer: String(state.paid > 0),
      ...deviceValues(event.device),
      ...event.from,
      ...(typeof mode === 'string' ? { 'property:mode': mode } : {}),
    },
    numbers: typeof score === 'number' ? { 'property:score': score } : {},
  });
}

const BY_SERVICE = { source: 'service', key_kind: '' };
const BY_IMPORT = { source: 'import', key_kind: '' };

type ActOf<K extends Act['kind']> = Extract<Act, { kind: K }>;

function takePlayed(walk: Walk, state: Player, call: Call, act: ActOf<'played'>): void {
  const { player, at } = call;
  if (state.seen.has(act.session)) return;
  state.seen.add(act.session);
  const began = act.deviceAt ?? at;
  const values = { end_reason: 'recorded', ...deviceValues(state.device) };
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

/** A transaction counts once: a server's word replaces a client's, at its own time. It is an event if it differs. */
function takePurchase(walk: Walk, state: Player, call: Call, act: ActOf<'buys'>): void {
  const { player, at, by } = call;
  const { amount, transaction, product, currency } = act;
  const earlier = transaction === null ? undefined : state.purchases.get(transaction);
  if (earlier !== undefined) {
    if (earlier.by !== 'client' || by !== 'server') return;
    addMoney(walk, {
      player,
      at: earlier.at,
      receivedAt: earlier.at,
      purchase: earlier,
      amount: -earlier.amount,
      counts: -1,
    });
    state.paid -= 1;
  }
  const purchase: Purchase = { amount, remaining: amount, by, at, product, currency };
  if (transaction !== null) state.purchases.set(transaction, purchase);
  addMoney(walk, { player, at, receivedAt: at, purchase, amount, counts: 1 });
  state.paid += 1;
  if (earlier?.amount === amount) return;
  const event = {
    eventId: serviceEventId(walk.plan, call),
    name: 'purchase',
    properties: {},
    device: state.device,
    from: BY_SERVICE,
  };
  addEvent(walk, state, { player, at, receivedAt: at, ...event });
}

interface Money {
  player: number;
  at: number;
  receivedAt: number;
  purchase: Purchase;
  amount: number;
  counts: number;
  isRefund?: boolean;
  by?: string;
}

function addMoney({ add }: Walk, { purchase, amount, by = purchase.by, isRefund = false, ...money }: Money): void {
  const values = { product_id: purchase.product ?? '', currency: purchase.currency ?? '', recorded_by: by };
  add({ source: 'purchases', ...money, isRefund, amount: amount / 10_000, values });
}

function takeRefund(walk: Walk, state: Player, call: Call, act: ActOf<'refunded'>): void {
  const { player, at } = call;
  const purchase = state.purchases.get(act.transaction);
  if (purchase === undefined) throw new Error(`nobody bought ${act.transaction}`);
  if (act.refund !== null && state.refunds.has(act.refund)) return;
  if (act.refund !== null) state.refunds.add(act.refund);
  const amount = act.amount ?? purchase.remaining;
  refund(walk, state, { player, at, receivedAt: at, purchase, amount, counts: 0, by: 'server' });
  const event = {
    eventId: serviceEventId(walk.plan, call),
    name: 'purchase_refunded',
    properties: {},
    device: state.device,
    from: BY_SERVICE,
  };
  addEvent(walk, state, { player, at, receivedAt: at, ...event });
}

function refund(walk: Walk, state: Player, money: Money): void {
  money.purchase.remaining -= money.amount;
  const isWhole = money.purchase.remaining === 0;
  if (isWhole) state.paid -= 1;
  addMoney(walk, { ...money, amount: -money.amount, counts: isWhole ? -1 : 0, isRefund: true });
}

/** Imported rows count by their own time, a session by its start. */
function takeLine(walk: Walk, state: Player, player: number, line: ImportedLine): void {
  const { at } = line;
  const event = { player, at, receivedAt: at, eventId: '', properties: {}, device: NO_DEVICE, from: BY_IMPORT };
  switch (line.kind) {
    case 'player':
      state.begunDay = localDay(walk.plan.zone, line.firstSeenAt);
      return;
    case 'event': {
      const { eventId, name, properties, country, device } = line;
      addEvent(walk, state, { ...event, eventId, name, properties: { ...properties }, country, device });
      return;
    }
    case 'session': {
      const values = { end_reason: 'imported', ...deviceValues(line.device) };
      const began = at - line.seconds * 1_000;
      walk.add({ source: 'sessions', player, at: began, receivedAt: at, seconds: line.seconds, values });
      addEvent(walk, state, { ...event, name: 'session_recorded', device: line.device });
      return;
    }
    case 'purchase': {
      const { amount, product, transaction } = line;
      const purchase: Purchase = { amount, remaining: amount, by: 'import', at, product, currency: null };
      state.purchases.set(transaction, purchase);
      state.paid += 1;
      addMoney(walk, { player, at, receivedAt: at, purchase, amount, counts: 1 });
      addEvent(walk, state, { ...event, name: 'purchase' });
      return;
    }
    case 'refund': {
      const purchase = state.purchases.get(line.transaction);
      if (purchase === undefined) throw new Error(`nobody bought ${line.transaction}`);
      refund(walk, state, { player, at, receivedAt: at, purchase, amount: line.amount, counts: 0 });
      addEvent(walk, state, { ...event, name: 'purchase_refunded' });
    }
  }
}

/** A row for each player and day of activity, and one for the first day of each player that began here. */
function daysOf(rows: readonly Row[], players: readonly Player[]): Row[] {
  const days: Row[] = [];
  for (const [player, own] of Map.groupBy(rows, (row) => row.player)) {
    const byDay = [
      ...Map.groupBy(
        own.filter(({ isRefund }) => !isRefund),
        ({ day }) => day,
      ),
    ];
    byDay.sort(([one], [other]) => one - other);
    const values = new Map(byDay.map(([day, ofDay]) => [day, detailsOf(ofDay)]));
    const firstDay = byDay[0]?.[0] ?? Infinity;
    const cohortDay = Math.min(firstDay, players[player]?.begunDay ?? Infinity);
    const made = byDay.map(([day, ofDay]): Row => {
      const [any] = ofDay;
      if (any === undefined) throw new Error('a day has rows');
      const at = Math.min(...ofDay.map((row) => row.at));
      const counts = ofDay.reduce((sum, row) => sum + (row.source === 'purchases' ? row.counts : 0), 0);
      const own = { values: values.get(day) ?? {}, numbers: {}, counts, amount: 0, seconds: 0 };
      return { ...any, source: 'player_days', at, day, firstDay: cohortDay, ...own };
    });
    for (const row of own) {
      row.firstDay = cohortDay;
      row.values = { ...values.get(row.day), ...row.values };
    }
    const [first] = made;
    days.push(...made);
    if (first === undefined || cohortDay !== firstDay) continue;
    // A day without an event that names a country leaves it to a later one.
    const country = made.find((day) => day.values['country'] !== '')?.values['country'] ?? '';
    days.push({ ...first, source: 'first_days', values: { ...first.values, country } });
  }
  return days;
}

function detailsOf(rows: readonly Row[]): Record<string, string> {
  const last = (source: Row['source'], name: string): string =>
    rows
      .filter((row) => row.source === source && (row.values[name] ?? '') !== '')
      .toSorted((one, other) => one.receivedAt - other.receivedAt || one.sequence - other.sequence)
      .at(-1)?.values[name] ?? '';
  return {
    country: last('events', 'country'),
    platform: last('events', 'platform') || last('sessions', 'platform'),
    app_version: last('events', 'app_version') || last('sessions', 'app_version'),
  };
}
