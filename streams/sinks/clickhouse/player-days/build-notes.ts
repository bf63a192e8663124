import { DEFAULT_ZONE } from '../../../../core/kernel/zoned-days.ts';
import type { HandledTo } from '../../../positions/positions.ts';
import type { Build, Built, PlayerDaysTarget, SinkPlace, Tenant } from './target.ts';

/** What a game is to be built to. */
export interface Goal extends Build {
  /** Everything received before is built then. */
  asOfMs: number;
}

/** How far games are built, in memory as `player_days_builds` holds it. */
export interface BuildNotes {
  /** Notes which games have new rows or another time zone. */
  look(place: SinkPlace): Promise<void>;
  /** What is to be built. */
  goals(): Goal[];
  /** Whether a goal that is under way still is one: the time zone may have changed again. */
  isCurrent(goal: Goal): boolean;
  /** Notes that a goal is reached. @returns whether the time zone of the days changed */
  built(goal: Goal, at: number, seconds: number): Promise<boolean>;
  /** Zone and version in which days of players are built apart. */
  rebuildOf(tenant: Tenant, to: HandledTo): Pick<Build, 'zone' | 'version'>;
  /** How long ago the oldest rows came that are not built. */
  behindSeconds(nowMs: number): number;
}

/** The row that says how far the builder has looked. */
const ALL: Tenant = { game: '', environment: '' };

/** The time up to which idle games are built is noted at least this often. */
const NOTE_EVERY_MS = 60_000;

/** @param since since when games wait that are built to no time; outlives the notes */
export async function createBuildNotes(
  target: PlayerDaysTarget,
  zoneOf: (game: string) => string,
  since: Map<string, number>,
): Promise<BuildNotes> {
  const held = new Map<string, Built>();
  for (const built of await target.builds()) held.set(keyOf(built), built);

  const looked = (): Built => held.get(keyOf(ALL)) ?? { ...NOTHING, ...ALL };
  const games = (): Built[] => [...held.values()].filter(({ game }) => game !== '');

  async function note(rows: readonly Built[]): Promise<void> {
    if (rows.length === 0) return;
    await target.note(rows);
    for (const row of rows) held.set(keyOf(row), row);
  }

  /** The games with rows behind what was looked for, as waiting. */
  async function waiting({ to }: SinkPlace): Promise<Built[]> {
    const before = looked();
    // Sequences of another FACTS say nothing about rows: then all days are built.
    const isOther = before.createdMs !== to.createdMs;
    if (!isOther && before.sequence >= to.sequence) return [];
    const from = isOther ? 0 : before.sequence;
    return (await target.touched(from, to)).map((tenant) => {
      const known = held.get(keyOf(tenant)) ?? { ...NOTHING, ...tenant };
      const upTo = known.waitsTo > 0 ? known : { sequence: from, builtToMs: before.builtToMs };
      const { sequence, builtToMs } = upTo;
      return { ...known, sequence: isOther ? 0 : sequence, builtToMs, createdMs: to.createdMs, waitsTo: to.sequence };
    });
  }

  return {
    async look(place) {
      const { to, asOfMs } = place;
      const before = looked();
      const rows = new Map((await waiting(place)).map((row) => [keyOf(row), row]));
      for (const row of games()) {
        const now = rows.get(keyOf(row)) ?? row;
        if (row.zone === '' || row.zone === zoneOf(row.game) || isAnew(now)) continue;
        // Nothing of the days is right any more: they are built from all rows.
        rows.set(keyOf(row), { ...now, createdMs: to.createdMs, sequence: 0, waitsTo: to.sequence, builtToMs: 0 });
      }
      for (const [key, { builtToMs }] of rows) if (builtToMs === 0 && !since.has(key)) since.set(key, asOfMs);
      const isIdle = rows.size === 0 && before.createdMs === to.createdMs && before.sequence >= to.sequence;
      if (isIdle && asOfMs - before.builtToMs < NOTE_EVERY_MS) return;
      await note([...rows.values(), { ...before, ...to, builtToMs: Math.max(before.builtToMs, asOfMs) }]);
    },
    goals() {
      const { createdMs, sequence, builtToMs } = looked();
      const to = { createdMs, sequence };
      return games()
        .filter(({ waitsTo }) => waitsTo > 0)
        .map(({ game, environment, sequence: from, version }) => {
          const goal = { game, environment, from, to, zone: zoneOf(game), asOfMs: builtToMs };
          return { ...goal, version: higher(version, to) };
        });
    },
    isCurrent: (goal) => {
      const row = held.get(keyOf(goal));
      return goal.zone === zoneOf(goal.game) && row?.sequence === goal.from && row.createdMs === goal.to.createdMs;
    },
    async built({ game, environment, to, zone, version, asOfMs }, builtAtMs, seconds) {
      const known = held.get(keyOf({ game, environment })) ?? { ...NOTHING, game, environment };
      const waitsTo = known.waitsTo > to.sequence ? known.waitsTo : 0;
      const row = { ...known, ...to, waitsTo, builtToMs: asOfMs, zone, builtAtMs, seconds, version };
      await note([row]);
      since.delete(keyOf(row));
      return (known.zone || DEFAULT_ZONE) !== zone;
    },
    rebuildOf(tenant, to) {
      const { zone, version } = held.get(keyOf(tenant)) ?? { ...NOTHING, ...tenant };
      return { zone: zone === '' ? zoneOf(tenant.game) : zone, version: higher(version, to) };
    },
    behindSeconds(nowMs) {
      const ages = games()
        .filter(({ waitsTo }) => waitsTo > 0)
        .map((row) => nowMs - (row.builtToMs > 0 ? row.builtToMs : (since.get(keyOf(row)) ?? nowMs)));
      return Math.max(0, ...ages) / 1_000;
    },
  };
}

const isAnew = ({ sequence, waitsTo }: Built): boolean => sequence === 0 && waitsTo > 0;

const NOTHING = {
  createdMs: 0,
  sequence: 0,
  waitsTo: 0,
  builtToMs: 0,
  zone: '',
  builtAtMs: 0,
  seconds: 0,
  version: 0n,
} as const;

/** The versions of one sequence: a build in another zone, or of an erased player's rows, may have the same place. */
const VERSIONS_OF_SEQUENCE = 2n ** 24n;

/** A version that grows with the position, and is higher than the last one. */
function higher(version: bigint, to: HandledTo): bigint {
  const ofPlace = (BigInt(to.createdMs) << 64n) + BigInt(to.sequence) * VERSIONS_OF_SEQUENCE;
  return version >= ofPlace ? version + 1n : ofPlace;
}

const keyOf = ({ environment, game }: Tenant): string => `${environment}:${game}`;
