import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createServer, type Server } from '../../../sdk/typescript/server/server.ts';
import { until } from '../../support/until.ts';
import type { ListOutcome, ListSpec } from './list-client.ts';
import { createRandom, type Random } from '../random.ts';
import { startRig, type Rig, type Target } from '../rig.ts';

/**
 * Kills the sender of a list and processes of the service in the middle of uploads. After each of them the segment has
 * exactly the players of one list: of the new one, if the upload resolved; of the old one, if the segment has its
 * version; otherwise of the new one, or of an earlier one whose sender was killed: the service may load what it has
 * received although its sender is dead.
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
  /** Uploads after which the new list was current, and those that were acknowledged. */
  replaced: number;
  resolved: number;
  violations: string[];
}

const CLIENT = fileURLToPath(new URL('list-client.ts', import.meta.url));
const PLAYERS = 300;
const UNKNOWN_PER_PLAYER = 400;
/** A list has 12 of 17 players; 17 lists have different ones. */
const REMAINDERS = 17;
const LEFT_OUT = 5;
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
    const upload: UploadContext = { rig, server, segmentId, random, run, usualMs: 0, inForce: [], unclear: [] };
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
    .filter((number) => (number + 3 * list) % REMAINDERS >= LEFT_OUT)
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
  /** The players of the current list, and of lists that may still take effect. */
  inForce: string[];
  unclear: string[][];
}

/** @returns how long the sender lived */
async function uploadOnce(context: UploadContext, victim: Victim | undefined): Promise<number> {
  const { rig, server, segmentId, random, run, usualMs, inForce } = context;
  const { version: before } = await segmentOf(server, segmentId);
  run.uploads += 1;
  const next = playersOf(run.uploads);
  const { baseUrl, keys } = rig;
  const spec = { baseUrl, key: keys.live.server, segmentId, players: next, unknownPerPlayer: UNKNOWN_PER_PLAYER };
  const sender = startSender(spec);
  const begunMs = performance.now();
  if (victim !== undefined) {
    await delay(random.next() * usualMs * 1.1);
    if (victim === 'client') sender.kill();
    else await rig.kill(victim);
  }
  const outcome = await sender.outcome;
  const tookMs = performance.now() - begunMs;
  const isResolved = outcome?.kind === 'resolved';
  if (isResolved) run.resolved += 1;
  const isUnclear = !isResolved && outcome?.isUnclear !== false;
  const replacing = isResolved ? [next] : [...context.unclear, ...(isUnclear ? [next] : [])];
  const found = await listOf(context, (version) => {
    if (version < (isResolved ? outcome.version : before)) return [];
    return version === before ? [inForce] : replacing;
  });
  const names = [run.uploads, victim ?? 'no kill', JSON.stringify(outcome ?? 'killed')].join(', ');
  if (found.list === undefined) run.violations.push(`${names}: version ${before} to ${found.version}, ${found.fault}`);
  if (victim === undefined && !isResolved) run.violations.push(`${names}: failed without a kill`);
  if (found.version === before) {
    if (isUnclear) context.unclear.push(next);
    return tookMs;
  }
  run.replaced += 1;
  context.inForce = found.list ?? (await membersOf(server, segmentId));
  // A load that began with another current list cannot replace this one.
  context.unclear = [];
  return tookMs;
}

interface FoundList {
  version: number;
  /** The list whose players the segment has; `undefined`: of none. */
  list: string[] | undefined;
  fault: string;
}

/** Waits until the segment has exactly the players of a list that it may have with its version. */
async function listOf(
  { server, segmentId }: UploadContext,
  listsWith: (version: number) => readonly string[][],
): Promise<FoundList> {
  const found: FoundList = { version: 0, list: undefined, fault: '' };
  const hasList = async (): Promise<boolean> => {
    const segment = await segmentOf(server, segmentId);
    // ClickHouse has the last entries some moments later.
    const members = await membersOf(server, segmentId);
    const { players } = segment.list ?? { players: 0 };
    found.version = segment.version;
    found.list = listsWith(segment.version).find((list) => list.length === players && isSame(new Set(list), members));
    found.fault = `${members.length} members of a list of ${players}, ${members.slice(0, 20).join(' ')}`;
    return found.list !== undefined;
  };
  await until('the segment has the players of a list', hasList, WELL_MS).catch(() => {});
  return found;
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
