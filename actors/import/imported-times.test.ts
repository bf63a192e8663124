import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../core/kernel/days.ts';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { NEVER_SEEN } from '../../core/vocabulary/state/player.ts';
import { fileFormat } from '../../src/cli/import/files/file-formats.ts';
import { lineContext } from '../../src/cli/import/files/file-format.ts';
import { createHistoryBatch } from '../../src/cli/import/send/history-batch.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import { given } from '../testing/harness.ts';
import { aCommand, aPlayer } from '../testing-players.ts';

/* What the lines of a file say of when a player was seen, from the file to the state and its conditions. */

const NOW = Date.UTC(2026, 0, 15, 12);
const ID = aPlayer().id;
const ago = (days: number): number => NOW - days * DAY_MS;
const text = (days: number): string => new Date(ago(days)).toISOString();

/** Days before now, as in the columns of a file. */
interface Line {
  first?: number;
  last?: number;
  country?: string;
}

let files = 0;

function importing(kind: 'players' | 'events', fields: Record<string, unknown>, nowMs = NOW) {
  const format = fileFormat('native', kind);
  if (format === undefined) throw new Error('no format');
  const { event, ...line } = format.read({ external_id: 'ext-1', ...fields }, lineContext({ nowMs }));
  const batch = createHistoryBatch();
  const named = event === undefined ? {} : { event: { ...event, eventId: event.eventId ?? `e-${files}` } };
  batch.add({ ...line, ...named, line: 1, playerId: ID });
  files += 1;
  return aCommand(batch.close(`file-${files}`, 0), { receivedAt: nowMs });
}

const playerLine = ({ first, last, country }: Line, nowMs = NOW) =>
  importing(
    'players',
    {
      ...(first === undefined ? {} : { first_seen_at: text(first) }),
      ...(last === undefined ? {} : { last_seen_at: text(last) }),
      attributes: country === undefined ? {} : { country },
    },
    nowMs,
  );
const eventLine = (at: number) => importing('events', { event_name: 'level_up', timestamp: text(at) });
const tracked = aCommand(
  {
    kind: 'TrackEvents',
    items: [
      {
        index: 0,
        playerId: ID,
        eventId: 'live',
        remember: false,
        eventName: 'open',
        properties: '{}',
        sessionId: null,
        timestamp: NOW,
      },
    ],
  },
  { receivedAt: NOW },
);

function holds(conditions: JsonObject, player: PlayerState): boolean {
  const compiled = compileCondition(conditions);
  if (compiled.kind === 'invalid') throw new Error(JSON.stringify(compiled.faults));
  return compiled.condition.matches({ player, nowMs: NOW });
}

/** Days before now; `never`: the import says nothing of it. */
function seen(player: PlayerState) {
  const { firstSeenAt, lastSeenAt, lifecycleStage: stage } = player;
  const last = lastSeenAt === NEVER_SEEN ? 'never' : (NOW - lastSeenAt) / DAY_MS;
  const isSilent = holds({ days_since_last_seen: { $gte: 30 } }, player);
  const isRecent = holds({ days_since_last_seen: { $lte: 7 } }, player);
  return { first: (NOW - firstSeenAt) / DAY_MS, last, stage, isSilent, isRecent };
}

const UNSEEN = { last: 'never', isSilent: false, isRecent: false } as const;

describe('a player of a file', () => {
  it.each<[name: string, line: Line, begun: number | undefined, wanted: ReturnType<typeof seen>]>([
    ['has no times', {}, undefined, { first: 0, stage: 'new', ...UNSEEN }],
    ['was first seen today', { first: 0.2 }, 0.2, { first: 0.2, stage: 'new', ...UNSEEN }],
    ['was first seen three days ago', { first: 3 }, 3, { first: 3, stage: 'new', ...UNSEEN }],
    ['was first seen ten days ago', { first: 10 }, 10, { first: 10, stage: 'at_risk', ...UNSEEN }],
    ['was first seen long ago', { first: 300 }, 300, { first: 300, stage: 'churned', ...UNSEEN }],
    [
      'was last seen long ago',
      { last: 300 },
      300,
      { first: 300, last: 300, stage: 'churned', isSilent: true, isRecent: false },
    ],
    ['was last seen lately', { last: 3 }, 3, { first: 3, last: 3, stage: 'active', isSilent: false, isRecent: true }],
    [
      'has both times',
      { first: 300, last: 8 },
      300,
      { first: 300, last: 8, stage: 'at_risk', isSilent: false, isRecent: false },
    ],
    [
      'has them the wrong way round',
      { first: 8, last: 300 },
      300,
      { first: 300, last: 8, stage: 'at_risk', isSilent: false, isRecent: false },
    ],
  ])('%s', (_, line, begun, wanted) => {
    const history = given([]);
    const { facts } = history.when(playerLine(line));
    const began = facts.flatMap((fact) => (fact.kind === 'PlayerImported' ? (fact.begunAt ?? []) : []));
    expect(began).toEqual(begun === undefined ? [] : [ago(begun)]);
    expect(facts.map(({ kind }) => kind)).not.toContain('LifecycleChanged');
    expect(seen(history.player(ID))).toEqual(wanted);
    // Again, from another file, some weeks later: nothing new is known.
    history.when(playerLine(line, NOW + 40 * DAY_MS));
    expect(history.player(ID)).toMatchObject({
      firstSeenAt: ago(wanted.first),
      lastSeenAt: wanted.last === 'never' ? NEVER_SEEN : ago(Number(wanted.last)),
      lifecycleStage: wanted.stage,
    });
  });

  it.each(['first_seen_at', 'last_seen_at'])('cannot have been seen in the future by %s', (name) => {
    expect(() => importing('players', { [name]: text(-1) })).toThrow(`\`${name}\``);
  });

  it.each<[name: string, lines: Line[], events: number[], wanted: object]>([
    ['an event before its first time', [{ first: 10 }], [400], { first: 400, last: 400, stage: 'churned' }],
    ['an event behind its last time', [{ first: 300, last: 200 }], [2], { first: 300, last: 2, stage: 'active' }],
    ['events around its first time', [{ first: 300 }], [290, 40], { first: 300, last: 40, stage: 'churned' }],
    ['an event of today alone', [{ first: 0.2 }], [0.1], { first: 0.2, last: 0.1, stage: 'new' }],
    ['a line without times', [{ first: 300 }, {}], [], { first: 300, last: 'never', stage: 'churned' }],
    ['an older first time', [{}, { first: 300 }], [], { first: 300, last: 'never', stage: 'churned' }],
    ['a last time', [{ first: 300 }, { last: 3 }], [], { first: 300, last: 3, stage: 'active' }],
  ])('with %s', (_, players, events, wanted) => {
    for (const order of ['players first', 'events first'] as const) {
      const history = given([]);
      const commands = [...players.map((line) => playerLine(line)), ...events.map(eventLine)];
      for (const command of order === 'players first' ? commands : commands.toReversed()) history.when(command);
      expect({ order, ...seen(history.player(ID)) }).toMatchObject({ order, ...wanted });
    }
  });

  it('that plays here keeps its last time and its stage, and gets its first time', () => {
    const known = aPlayer({ firstSeenAt: ago(40), lastSeenAt: ago(10), lifecycleStage: 'at_risk' });
    const history = given([known]);
    history.when(playerLine({ first: 300 }));
    expect(seen(history.player(ID))).toMatchObject({ first: 300, last: 10, stage: 'at_risk' });
    history.when(playerLine({ last: 200 }));
    expect(seen(history.player(ID))).toMatchObject({ first: 300, last: 10, stage: 'at_risk' });
  });

  it('that plays here afterwards is active from then on, by when it was first seen', () => {
    const stages = [{}, { first: 3 }, { first: 300 }].map((line) => {
      const history = given([]);
      history.when(playerLine(line));
      history.when(tracked);
      const { last, stage } = seen(history.player(ID));
      // A stage may change by time again.
      return [last, stage, history.player(ID).lifecycleDueAt > 0];
    });
    expect(stages).toEqual([
      [0, 'new', true],
      [0, 'new', true],
      [0, 'reactivated', true],
    ]);
  });
});

describe('the country of an imported session', () => {
  it.each([
    ["the player's", {}, 'SE'],
    ['that of its line', { country: 'DE' }, 'DE'],
  ])('is %s', (_, said, country) => {
    const history = given([]);
    history.when(playerLine({ country: 'SE' }));
    const session = { source: 'service', properties: { session_id: 's-1', duration_seconds: 60 } };
    const { facts } = history.when(
      importing('events', { event_name: 'session_recorded', timestamp: text(2), ...session, ...said }),
    );
    expect(facts.filter(({ kind }) => kind === 'SessionImported')).toMatchObject([{ country }]);
  });
});
