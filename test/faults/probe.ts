import { partitionOf } from '../../core/kernel/partition.ts';
import type { Caller } from './clients/caller.ts';
import type { ClientLog, PlayerLog } from './clients/client-log.ts';
import { PARTITIONS } from './rig.ts';

/**
 * A client of its own that detects when every partition accepts writes. It records acknowledgements like any client.
 */
export interface Probe {
  readonly log: ClientLog;
  /** Resolves once a new write to every partition is acknowledged. */
  write(): Promise<void>;
}

/** Enough players for every partition to have one. */
const PLAYERS = 32;

export async function createProbe(caller: Caller, nowMs: () => number): Promise<Probe> {
  const log: ClientLog = { players: [], violations: [] };
  const byPartition = new Map<number, PlayerLog>();
  for (let place = 0; place < PLAYERS; place += 1) {
    const externalId = `probe-${place}`;
    const answered = await caller.call({
      method: 'POST',
      path: '/v1/players/players',
      key: 'server',
      body: { external_id: externalId },
      idempotencyKey: externalId,
    });
    const player = { externalId, id: String(answered?.data['id']), attributes: {}, email: null, events: [] };
    log.players.push(player);
    byPartition.set(partitionOf(player.id, PARTITIONS), player);
  }
  if (byPartition.size < PARTITIONS) throw new Error('a partition has no probe');

  async function event(player: PlayerLog): Promise<void> {
    const n = player.events.length;
    const answered = await caller.call({
      method: 'POST',
      path: '/v1/events/events',
      key: 'client',
      body: { player_id: player.id, event_name: 'probe', event_id: `${player.externalId}-${n}`, properties: { n } },
    });
    if (answered?.status === 200) {
      player.events.push({ eventId: String(answered.data['event_id']), n, ackedMs: nowMs() });
    } else log.violations.push(`${Math.round(nowMs())} ms: a probe was answered ${answered?.status} ${answered?.text}`);
  }

  return {
    log,
    async write() {
      await Promise.all([...byPartition.values()].map(event));
    },
  };
}
