import { setTimeout as delay } from 'node:timers/promises';
import { STREAMS } from '../../streams/log/stream-definitions.ts';
import { until } from '../support/until.ts';
import type { Caller } from './clients/caller.ts';
import type { Injector } from './injector.ts';
import type { Rig } from './rig.ts';
import type { LogRecord } from '../../streams/log/log.ts';
import { copyFacts, factsBounds } from './verify-facts.ts';

/* Faults that random choices rarely cause: a full FACTS, a long outage of ClickHouse, an owner that is stopped. */

export interface SetPieceOptions {
  rig: Rig;
  injector: Injector;
  caller: Caller;
  nowMs: () => number;
  /** Receives a copy of FACTS before its first records may be trimmed. */
  onCopied: (records: readonly LogRecord[]) => void;
}

/** Name of the events that only fill FACTS. No client waits for them or logs them. */
export const FILLER = 'filler';

/** Free space in FACTS for commands, and the size of one filling write. */
const ROOM_BYTES = 400_000;
/** The reserve of a FACTS of this size is a quarter of it. Without the reserve owners could not store their marks. */
const SHARE_OF_COMMANDS = 0.75;
/** The smallest size that the service accepts: 1 MiB. */
const LEAST_BYTES = 1024 * 1024;
const FILLER_CHARS = 7_000;
const REFUSALS_IN_A_ROW = 5;

/**
 * FACTS is full up to its reserve, as ClickHouse is stopped and keeps it from being trimmed: writes are refused with
 * 503, reads continue, and nothing is lost, although the broker and then the service die meanwhile. Then FACTS gets
 * more space.
 */
export async function fillFacts({ rig, injector, caller, nowMs, onCopied }: SetPieceOptions): Promise<string> {
  const beganMs = nowMs();
  const copied = new Map<number, LogRecord>();
  // A small FACTS is trimmed at once, up to the newest records. So the first copy is made while both nodes stand still,
  // and later ones while ClickHouse is stopped: nothing is stored between a copy and a trim.
  const copy = async (): Promise<void> => {
    const held = await copyFacts(rig.natsUrl);
    const last = [...copied.keys()].at(-1);
    if (last !== undefined && (held[0]?.sequence ?? 0) > last + 1) throw new Error('FACTS was trimmed before its copy');
    for (const record of held) if (record.sequence > (last ?? 0)) copied.set(record.sequence, record);
    onCopied([...copied.values()]);
  };
  const paused = [await rig.pause('service'), await rig.pause('peer')];
  await copy();
  const { sizeBytes } = await factsBounds(rig.natsUrl);
  await rig.resizeFacts(Math.ceil((Math.max(sizeBytes, LEAST_BYTES) + ROOM_BYTES) / SHARE_OF_COMMANDS));
  await rig.kill('supervisor');
  for (const resumeNode of paused) resumeNode();
  await injector.allWell();
  const resume = await rig.pause('clickhouse');
  await copy();
  const registered = await caller.call({
    method: 'POST',
    path: '/v1/players/players',
    key: 'server',
    body: { external_id: FILLER },
    idempotencyKey: FILLER,
  });
  const id = String(registered?.data['id']);
  let fillers = 0;
  let refused = 0;
  const full = async (): Promise<boolean> => {
    const status = await fill(rig, id);
    if (status === 200) fillers += 1;
    refused = status === 503 ? refused + 1 : 0;
    return refused >= REFUSALS_IN_A_ROW;
  };
  await until('FACTS is full', full, 60_000);
  const reads = await fetch(`${rig.baseUrl}/v1/players/players/${id}`, {
    headers: { 'X-API-Key': rig.keys.live.server },
  });
  if (reads.status !== 200) throw new Error(`a read while FACTS was full answered ${reads.status}`);
  await reads.arrayBuffer();
  await rig.kill('nats');
  refused = 0;
  await until('FACTS is full again', full, 60_000);
  await rig.kill('service');
  await copy();
  resume();
  await rig.resizeFacts(STREAMS.FACTS.maxBytes);
  await rig.kill('supervisor');
  const struckMs = nowMs();
  await injector.allWell();
  injector.note({
    atMs: beganMs,
    what: 'FACTS full',
    kills: ['supervisor', 'nats', 'service', 'supervisor'],
    pauses: [],
  });
  return `FACTS full: writes 503 and reads 200 after ${fillers} fillers; with room again ready in ${Math.round(nowMs() - struckMs)} ms`;
}

/** Sends one filling event, once. Resolves to the status of the answer; 0: no answer. */
async function fill(rig: Rig, playerId: string): Promise<number> {
  try {
    const response = await fetch(`${rig.baseUrl}/v1/events/events`, {
      method: 'POST',
      headers: { 'X-API-Key': rig.keys.live.client, 'Content-Type': 'application/json' },
      body: JSON.stringify({ player_id: playerId, event_name: FILLER, properties: { text: 'x'.repeat(FILLER_CHARS) } }),
      signal: AbortSignal.timeout(10_000),
    });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

/** Time for a sink to send an insert that ClickHouse does not accept. */
const INSERT_SENT_MS = 1_500;

/**
 * ClickHouse is stopped for long. Meanwhile other processes die, first both sinks with an insert in progress. Only the
 * rows may be late. Then ClickHouse resumes, processes what it received, and dies too.
 */
export async function clickhouseAway(options: SetPieceOptions, durationMs: number): Promise<string> {
  const { rig, injector, nowMs } = options;
  const atMs = nowMs();
  const goOn = await rig.pause('clickhouse');
  await delay(INSERT_SENT_MS);
  await rig.kill('service');
  await rig.kill('peer');
  injector.note({
    atMs,
    what: 'ClickHouse away',
    kills: ['service', 'peer'],
    pauses: [{ target: 'clickhouse', durationMs }],
  });
  // A supervisor that dies would kill the stopped process and restart it.
  await injector.untilKills(2, ['clickhouse', 'supervisor']);
  await delay(Math.max(0, durationMs - (nowMs() - atMs)));
  const awayMs = nowMs() - atMs;
  goOn();
  await injector.allWell();
  await injector.inject({ kind: 'kill', target: 'clickhouse' });
  return `ClickHouse away for ${Math.round(awayMs / 1000)} s, with four others killed meanwhile`;
}

/** Lease and margin, and some time for the other node to work. */
const DEPOSED_MS = 10_000;

/**
 * A node is stopped until the other node has taken over its partitions and written to them. Then it resumes. It may
 * neither write nor reply.
 */
export async function deposePeer({ rig, injector, nowMs }: SetPieceOptions): Promise<string> {
  const atMs = nowMs();
  const goOn = await rig.pause('peer');
  await injector.allWell();
  const takenMs = nowMs() - atMs;
  await delay(Math.max(0, DEPOSED_MS - takenMs));
  goOn();
  injector.note({ atMs, what: 'an owner deposed', kills: [], pauses: [{ target: 'peer', durationMs: DEPOSED_MS }] });
  await injector.allWell();
  return `an owner that stood still was replaced after ${(takenMs / 1000).toFixed(1)} s`;
}
