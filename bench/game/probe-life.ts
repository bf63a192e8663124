import { BenchError } from '../bench-error.ts';
import { call } from '../service/call.ts';
import type { LocalService } from '../service/local-service.ts';
import type { LifeStepKind } from './life-plan.ts';
import { createLifeBodies, LIFE_EVENTS, LIFE_PATHS } from './life-requests.ts';

/** The answers to one player's life, as texts. */
export type LifeAnswers = Readonly<Record<LifeStepKind, string>>;

/** Flags that init must tell. */
const FLAGS = 20;

/**
 * Lives one life and checks what is answered: a bench of wrong answers would measure nothing. Throws when one is wrong.
 * @returns the answers, whose sizes the bare server is to have
 */
export async function probeLife(service: LocalService, playerId: string): Promise<LifeAnswers> {
  const bodyOf = createLifeBodies();
  const client = { ...service, key: service.clientKey };
  const ask = (kind: LifeStepKind, sessionId: string): Promise<string> =>
    call(client, 'POST', LIFE_PATHS[kind], bodyOf({ kind, playerId, sessionId, turn: 1, wallMs: Date.now() }));

  const init = await ask('init', '');
  const opened: { data: { session_id: string; flags: object; player: { player_id: string } } } = JSON.parse(init);
  const { session_id: sessionId, flags, player } = opened.data;
  if (player.player_id !== playerId) throw wrong('init', init);
  if (Object.keys(flags).length !== FLAGS) throw wrong('init', init);

  const sync = await ask('sync', sessionId);
  const synced: { data: { events_accepted: number } } = JSON.parse(sync);
  if (synced.data.events_accepted !== LIFE_EVENTS.sync) throw wrong('sync', sync);

  const end = await ask('end', sessionId);
  const ended: { data: { session_summary: { session_id: string; total_events: number } } } = JSON.parse(end);
  const { session_id: endedId, total_events: events } = ended.data.session_summary;
  if (endedId !== sessionId || events !== LIFE_EVENTS.sync + LIFE_EVENTS.end) throw wrong('end', end);
  return { init, sync, end };
}

function wrong(kind: LifeStepKind, answer: string): BenchError {
  return new BenchError(`${LIFE_PATHS[kind]} was answered wrongly: ${answer.slice(0, 2_000)}`);
}
