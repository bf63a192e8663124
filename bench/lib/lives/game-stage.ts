import { join } from 'node:path';
import { freePort } from '../../../src/local/free-port.ts';
import { BenchError, temporaryFolder, type Bench } from '../bench.ts';
import { call, create } from '../load/calls.ts';
import type { LifeStepKind } from './life-plan.ts';
import { createLifeBodies, LIFE_EVENTS, LIFE_PATHS } from './life-requests.ts';
import { readPlayerIds } from '../load/traffic/player-ids.ts';
import { defineSamples } from '../service/samples/sample-flags.ts';
import { startLocalService, type LocalService, type LocalServiceOptions } from '../service/service.ts';
import { createStage, type Stage } from '../stage.ts';

/** A service with segments, flags and campaigns, and no players yet. */
export interface GameSetup {
  service: LocalService;
  /** Where the service opens its inspector on SIGUSR1. */
  inspectorPort: number;
  /** See `readPlayerIds`; missing until players are registered. */
  idsFile: string;
}

/** Starts the service and defines what a game would. It ends with the bench. */
export async function prepareGame(
  bench: Bench,
  { folder, nodeArguments = [] }: LocalServiceOptions,
): Promise<GameSetup> {
  const inspectorPort = await freePort();
  const service = await startLocalService(bench, {
    folder,
    nodeArguments: [`--inspect-port=127.0.0.1:${inspectorPort}`, ...nodeArguments],
  });
  await defineSamples(service);
  for (const campaign of CAMPAIGNS) await create(service, '/v1/campaigns/campaigns', campaign);
  return { service, inspectorPort, idsFile: join(temporaryFolder(bench, 'ids'), 'ids') };
}

const CONTENT = { title: 'Need a hand?', body: 'Take three lives.', cta: 'Take them' };

/** Each is evaluated at every event of its name, and most of the time its caps forbid another message. */
const CAMPAIGNS = [
  {
    key: 'lost-match',
    trigger: { event: 'match_end', conditions: { 'properties.won': false, 'attributes.level': { $gte: 20 } } },
    content: CONTENT,
    caps: { total: 5, per_day: 1 },
    holdout_percentage: 10,
  },
  {
    key: 'spender',
    trigger: { event: 'coins_spent' },
    content: CONTENT,
    caps: { total: 3 },
    cooldown_seconds: 3_600,
    quiet_hours: { from: '22:00', to: '08:00' },
  },
  {
    key: 'first-loot',
    trigger: { event: 'loot_opened', conditions: { 'events.loot_opened.count_30d': { $lte: 1 } } },
    content: CONTENT,
  },
];

/** Checks one life, then starts a bare server whose answers are as large. */
export async function createGameStage(bench: Bench, { service, idsFile }: GameSetup): Promise<Stage> {
  const { init, sync, end } = await probeLife(service, readPlayerIds(idsFile).at(0));
  bench.report(`answers of ${init.length} (init), ${sync.length} (sync) and ${end.length} (end-session) characters`);
  // The generator reads the session in the answer of an init: the bare server answers the very same text.
  const answers = { [LIFE_PATHS.init]: init, [LIFE_PATHS.sync]: sync.length, [LIFE_PATHS.end]: end.length };
  return createStage(bench, service, answers, LIFE_EVENTS.sync + LIFE_EVENTS.end);
}

/** Flags that init must serve. */
const FLAGS = 20;

/** Lives one life and checks the answers: a bench of wrong answers measures nothing. Throws when one is wrong. */
async function probeLife(service: LocalService, playerId: string): Promise<Readonly<Record<LifeStepKind, string>>> {
  const bodyOf = createLifeBodies();
  const client = { ...service, key: service.clientKey };
  const send = (kind: LifeStepKind, sessionId: string): Promise<string> =>
    call(client, 'POST', LIFE_PATHS[kind], bodyOf({ kind, playerId, sessionId, turn: 1, wallMs: Date.now() }));

  const init = await send('init', '');
  const opened: { data: { session_id: string; flags: object; player: { player_id: string } } } = JSON.parse(init);
  const { session_id: sessionId, flags, player } = opened.data;
  if (player.player_id !== playerId || Object.keys(flags).length !== FLAGS) throw wrong('init', init);

  const sync = await send('sync', sessionId);
  const synced: { data: { events_accepted: number } } = JSON.parse(sync);
  if (synced.data.events_accepted !== LIFE_EVENTS.sync) throw wrong('sync', sync);

  const end = await send('end', sessionId);
  const ended: { data: { session_summary: { session_id: string; total_events: number } } } = JSON.parse(end);
  const { session_id: endedId, total_events: events } = ended.data.session_summary;
  if (endedId !== sessionId || events !== LIFE_EVENTS.sync + LIFE_EVENTS.end) throw wrong('end', end);
  return { init, sync, end };
}

function wrong(kind: LifeStepKind, answer: string): BenchError {
  return new BenchError(`${LIFE_PATHS[kind]} was answered wrongly: ${answer.slice(0, 2_000)}`);
}
