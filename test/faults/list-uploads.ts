import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createServer, type Server } from '../../sdk/typescript/server/server.ts';
import { until } from '../support/until.ts';
import type { ListOutcome, ListSpec } from './list-client.ts';
import { createRandom, type Random } from './random.ts';
import { startRig, type Rig, type Target } from './rig.ts';

/**
 * Kills the sender of a list and processes of the service in the middle of uploads. After each of them the segment has
 * exactly the players of the old list or of the new one, as its version says; the new one, if the upload resolved.
 */
export interface ListUploadOptions {
  seed: number;
  kills: number;
  report?: (line: string) => void;
  onOutput?: (output: string) => void;
}

export interface ListUploadRun {
  uploads: number;
  kills: Record<string, number>;
  /** Uploads after which the new list was in force, and those that the sender was told of. */
  replaced: number;
  resolved: number;
  violations: string[];
}

const CLIENT = fileURLToPath(new URL('list-client.ts', import.meta.url));
const PLAYERS = 300;
const UNKNOWN_PER_PLAYER = 400;
/** A player is in a list if its number and the list's leave this remainder: each list has others. */
const EVERY = 3;
const WELL_MS = 120_000;

type Victim = 'client' | Exclude<Target, 'peer'>;
const VICTIMS = { client: 3, service: 4, nats: 1, clickhouse: 1, supervisor: 1 } as const satisfies Record<
  Victim,
  number
>;

export async function runListUploads(options: ListUploadOptions): Promise<ListUploadRun> {
  const { seed, kills, report = () => {}, onOutput = () => {} } = options;
  const random = createRandom(seed);
  const run: ListUploadRun = { uploads: 0, kills: {}, replaced: 0, resolved: 0, violations: [] };
  const rig = await startRig({ withPeer: false });
  const server = createServer({ baseUrl: rig.baseUrl, key: rig.keys.live.server, flags: false, retries: 10 });
  try {
    await register(server);
    const body = { key: 'listed', name: 'Listed', kind: 'static' } as const;
    const { segment_id: segmentId } = await server.call('POST /v1/segments/segments', { body });
    const upload: UploadContext = { rig, server, segmentId, random, run, usualMs: 0 };
    // Without a kill, to know how long it takes.
    upload.usualMs = await uploadOnce(upload, undefined);
    report(`an upload takes ${Math.round(upload.usualMs)} ms`);
    for (let killed = 0; killed < kills; killed++) {
      const victim = random.weighted(VICTIMS);
      run.kills[victim] = (run.kills[victim] ?? 0) + 1;
      await uploadOnce(upload, victim);
      report(`${killed + 1} of ${kills}: ${victim}; ${run.replaced} of ${run.uploads} replaced the list`);
    }
    await uploadOnce(upload, undefined);
  } finally {
    await server.shutdown(0);
    await rig.stop();
    onOutput(rig.output());
  }
  return run;
}

const externalId = (number: number): string => `player-${number}`;

/** The players of the list with this number. */
function playersOf(list: number): string[] {
  return Array.from({ length: PLAYERS }, (_, number) => number)
    .filter((number) => (number + list) % EVERY !== 0)
    .map(externalId);
}

async function register(server: Server): Promise<void> {
  for (let number = 0; number < PLAYERS; number++) {
    await server.call('POST /v1/players/players', { body: { external_id: externalId(number) } });
  }
}

interface UploadContext {
  rig: Rig;
  server: Server;
  segmentId: string;
  random: Random;
  run: ListUploadRun;
  usualMs: number;
}

/** @returns how long the sender lived */
async function uploadOnce(context: UploadContext, victim: Victim | undefined): Promise<number> {
  const { rig, server, segmentId, random, run, usualMs } = context;
  const before = await segmentOf(server, segmentId);
  const old = await membersOf(server, segmentId);
  run.uploads += 1;
  const next = playersOf(run.uploads);
  const { baseUrl, keys } = rig;
  const sender = startSender({
    baseUrl,
    key: keys.live.server,
    segmentId,
    players: next,
    unknownPerPlayer: UNKNOWN_PER_PLAYER,
  });
  const begunMs = performance.now();
  if (victim !== undefined) {
    await delay(random.next() * usualMs * 1.1);
    if (victim === 'client') sender.kill();
    else await rig.kill(victim);
  }
  const outcome = await sender.outcome;
  const tookMs = performance.now() - begunMs;
  const after = await untilSettled(server, segmentId);
  const isReplaced = after.version > before.version;
  if (isReplaced) run.replaced += 1;
  if (outcome?.kind === 'resolved') run.resolved += 1;
  const expected = new Set(isReplaced ? next : old);
  const names = [run.uploads, victim ?? 'no kill', JSON.stringify(outcome ?? 'killed')].join(', ');
  if (after.list !== undefined && after.list.players !== expected.size) {
    run.violations.push(`${names}: the segment's list has ${after.list.players} players, not ${expected.size}`);
  }
  // ClickHouse has the last entries some moments later.
  const isWhole = async (): Promise<boolean> => isSame(expected, await membersOf(server, segmentId));
  await until('the members are those of the list', isWhole, WELL_MS).catch(async () => {
    const members = new Set(await membersOf(server, segmentId));
    const missing = [...expected].filter((member) => !members.has(member));
    const fault = `${members.size} members, without ${missing.length} of the ${expected.size} players of its list`;
    run.violations.push(`${names}: version ${before.version} to ${after.version}, ${fault}, such as ${missing[0]}`);
  });
  if (outcome?.kind === 'resolved' && after.version !== outcome.version) {
    run.violations.push(`${names}: the segment has version ${after.version}`);
  }
  if (outcome?.kind === 'rejected' && !outcome.isUnclear && isReplaced) {
    run.violations.push(`${names}: the list was replaced although the upload failed`);
  }
  if (victim === undefined && outcome?.kind !== 'resolved') run.violations.push(`${names}: failed without a kill`);
  return tookMs;
}

const isSame = (expected: ReadonlySet<string>, members: readonly string[]): boolean =>
  members.length === expected.size && members.every((member) => expected.has(member));

interface Sender {
  /** `undefined`: it was killed. */
  outcome: Promise<ListOutcome | undefined>;
  kill(): void;
}

function startSender(spec: ListSpec): Sender {
  const child = spawn(process.execPath, [CLIENT, JSON.stringify(spec)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const outcome = once(child, 'close').then((): ListOutcome | undefined =>
    output === '' ? undefined : JSON.parse(output),
  );
  return { outcome, kill: () => void child.kill('SIGKILL') };
}

async function segmentOf(server: Server, segmentId: string) {
  return server.call('GET /v1/segments/segments/{id}', { path: { id: segmentId } });
}

/** The segment once its players are evaluated and no list is being loaded into it. */
async function untilSettled(server: Server, segmentId: string) {
  return until(
    'the segment is settled',
    async () => {
      const segment = await segmentOf(server, segmentId).catch(() => undefined);
      return segment?.evaluation.status === 'done' ? segment : undefined;
    },
    WELL_MS,
  );
}

/** External ids of all members, page by page. Empty while ClickHouse is away. */
async function membersOf(server: Server, segmentId: string): Promise<string[]> {
  const members: string[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const query: { limit: number; cursor?: string } = { limit: 500, ...(cursor === '' ? {} : { cursor }) };
    const page = await server.call('GET /v1/segments/segments/{id}/members', { path: { id: segmentId }, query });
    members.push(...page.players.map((player) => player.external_id));
    cursor = page.next_cursor;
  }
  return members;
}

export function reportOfListUploads({ uploads, kills, replaced, resolved, violations }: ListUploadRun): string {
  const killed = Object.entries(kills).map(([victim, count]) => `${count} ${victim}`);
  return [
    `${uploads} uploads, killed: ${killed.join(', ')}`,
    `${replaced} replaced the list, of which the sender was told ${resolved}`,
    violations.length === 0 ? 'after each the segment had exactly the old list or the new one' : violations.join('\n'),
  ].join('\n');
}
