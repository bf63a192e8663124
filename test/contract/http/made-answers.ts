import { createRandom } from '../../sim/random.ts';

/* Made events, and what a question about them is answered, calculated without SQL. */

export interface MadeEvent {
  entityId: string;
  eventName: string;
  at: number;
  country: string;
  isPayer: boolean;
  properties: string;
  /** Of the properties: `mode`, and `deep.level`. */
  mode: string;
  level: number;
}

const COUNTRIES = ['DE', 'FR', '', 'ÅX'];

/** Events of 40 players, in the order of the log: by time. */
export function madeEvents(options: {
  fromMs: number;
  toMs: number;
  names: readonly string[];
  seed: number;
}): MadeEvent[] {
  const random = createRandom(options.seed);
  const events = Array.from({ length: 1_500 }, (): MadeEvent => {
    const mode = random.chance(0.5) ? 'solo' : random.pick(options.names);
    const level = random.int(0, 49);
    return {
      entityId: `00000000-0000-5000-8000-${String(random.int(0, 39)).padStart(12, '0')}`,
      eventName: random.pick(options.names),
      at: random.int(options.fromMs, options.toMs - 1),
      country: random.pick(COUNTRIES),
      isPayer: random.chance(0.3),
      properties: random.chance(0.1) ? '{}' : JSON.stringify({ mode, deep: { level } }),
      mode,
      level,
    };
  });
  return events
    .map((event) => (event.properties === '{}' ? { ...event, mode: '', level: 0 } : event))
    .toSorted((one, other) => one.at - other.at);
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export function trendOf(
  events: readonly MadeEvent[],
  metric: 'events' | 'players',
  interval: 'hour' | 'day' | 'week' | 'month',
): { at: string; value: number }[] {
  const groups = Map.groupBy(events, ({ at }) => startOf(at, interval));
  return [...groups]
    .map(([at, found]) => ({ at, value: metric === 'events' ? found.length : playersOf(found) }))
    .toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

function startOf(at: number, interval: 'hour' | 'day' | 'week' | 'month'): string {
  const date = new Date(at);
  if (interval === 'hour') return new Date(at - (at % HOUR_MS)).toISOString();
  if (interval === 'month') return new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)).toISOString();
  const dayMs = at - (at % DAY_MS);
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return new Date(interval === 'day' ? dayMs : dayMs - sinceMonday * DAY_MS).toISOString();
}

const playersOf = (events: readonly MadeEvent[]): number => new Set(events.map(({ entityId }) => entityId)).size;

/** Players by the values of a field, the most first. */
export function breakdownOf(events: readonly MadeEvent[], by: string): { key: string; value: number }[] {
  const groups = Map.groupBy(events, (event) => keyOf(event, by));
  return [...groups]
    .map(([key, found]) => ({ key, value: playersOf(found) }))
    .toSorted((one, other) => other.value - one.value || Buffer.compare(Buffer.from(one.key), Buffer.from(other.key)));
}

function keyOf(event: MadeEvent, by: string): string {
  switch (by) {
    case 'event_name':
      return event.eventName;
    case 'country':
      return event.country;
    case 'is_payer':
      return String(event.isPayer);
    case 'property:mode':
      return event.mode;
    case 'property:deep.level':
      return event.properties === '{}' ? '' : String(event.level);
    default:
      throw new Error(`${by} is no field of a made event`);
  }
}

/** Paths of two steps after an event, the most frequent first. */
export function pathsOf(
  events: readonly MadeEvent[],
  start: string,
  withinSeconds: number,
  direction: 'forward' | 'backward' = 'forward',
) {
  const found = new Map<string, { steps: (string | null)[]; times: number; players: Set<string> }>();
  for (const inOrder of Map.groupBy(events, ({ entityId }) => entityId).values()) {
    const own = direction === 'forward' ? inOrder : inOrder.toReversed();
    for (const [place, event] of own.entries()) {
      if (event.eventName !== start) continue;
      const first = nextIn(own, place, withinSeconds);
      const second = first === undefined ? undefined : nextIn(own, place + 1, withinSeconds);
      const steps = [start, first?.eventName ?? null, second?.eventName ?? null];
      const key = JSON.stringify(steps);
      const path = found.get(key) ?? { steps, times: 0, players: new Set<string>() };
      path.times += 1;
      path.players.add(event.entityId);
      found.set(key, path);
    }
  }
  const text = ({ steps }: { steps: (string | null)[] }, place: number): Buffer => Buffer.from(steps[place] ?? '');
  return [...found.values()]
    .toSorted(
      (one, other) =>
        other.times - one.times ||
        Buffer.compare(text(one, 1), text(other, 1)) ||
        Buffer.compare(text(one, 2), text(other, 2)),
    )
    .map(({ steps, times, players }) => ({ steps, times, players: players.size }));
}

function nextIn(own: readonly MadeEvent[], place: number, withinSeconds: number): MadeEvent | undefined {
  const [event, next] = [own[place], own[place + 1]];
  return event !== undefined && next !== undefined && Math.abs(next.at - event.at) <= withinSeconds * 1000
    ? next
    : undefined;
}
