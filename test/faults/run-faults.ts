import { addressesOf } from '../../src/cli/audit/read/addresses.ts';
import { audit } from '../../src/cli/audit/audit.ts';
import { createCaller } from './clients/caller.ts';
import { emptyTally, type Tally } from './clients/client-log.ts';
import { createInjector, type FaultRecord } from './injector.ts';
import { startLoadClient } from './clients/load-client.ts';
import { createProbe } from './probe.ts';
import type { LogRecord } from '../../streams/log/log.ts';
import { createRandom } from './random.ts';
import { startRig } from './rig.ts';
import { clickhouseAway, deposePeer, fillFacts, type SetPieceOptions } from './set-pieces.ts';
import { verify, type Verdict } from './verify.ts';

export interface FaultRunOptions {
  seed: number;
  /** The number of processes to kill, including those of the set pieces. */
  kills: number;
  clients?: number;
  /** How long ClickHouse is stopped, once. */
  clickhouseAwayMs?: number;
  /** Receives the course of the run, line by line. */
  report?: (line: string) => void;
  /** Receives the output of all processes, however the run ends. */
  onOutput?: (output: string) => void;
  /** Ends the run early, and its processes in order. */
  signal?: AbortSignal;
}

export interface FaultRun {
  seed: number;
  durationMs: number;
  faults: readonly FaultRecord[];
  /** The results of the set pieces. */
  notes: readonly string[];
  tally: Tally;
  verdict: Verdict;
}

const PLAYERS_PER_CLIENT = 3;
const PAUSE_MS = 60;
/** The maximum time for the last requests once every process runs again. */
const LAST_ANSWERS_MS = 60_000;
/** The maximum time for ClickHouse and `player_days` to catch up before the audit. */
const AUDIT_WAIT_MS = 120_000;
/** Kills inside the set pieces: four while FACTS is full, four while ClickHouse is stopped, and ClickHouse's own. */
const SET_PIECE_KILLS = 9;

/**
 * Runs the real service under load while its processes die and stop at times that the seed decides, then compares the
 * acknowledgements with the stored data. It leaves no process and no file.
 */
export async function runFaults(options: FaultRunOptions): Promise<FaultRun> {
  const { seed, kills, clients = 12, clickhouseAwayMs = 20_000, report = () => {} } = options;
  const random = createRandom(seed);
  const beganMs = performance.now();
  const nowMs = (): number => performance.now() - beganMs;
  const tally = emptyTally();
  const stop = new AbortController();
  const giveUp = new AbortController();
  const rig = await startRig({ withPeer: true });
  const callAborted = (): void => giveUp.abort();
  options.signal?.addEventListener('abort', callAborted);
  const caller = () =>
    createCaller({ baseUrls: [rig.baseUrl], keys: rig.keys, random: random.fork(), tally, giveUp: giveUp.signal });
  try {
    const probe = await createProbe(caller(), nowMs);
    const load = Array.from({ length: clients }, (_, place) =>
      startLoadClient({
        name: `client-${place}`,
        players: PLAYERS_PER_CLIENT,
        caller: caller(),
        random: random.fork(),
        stop: stop.signal,
        pauseMs: PAUSE_MS,
        nowMs,
      }),
    );
    const injector = createInjector({
      rig,
      probe,
      random: random.fork(),
      nowMs,
      onRecord: (record) => report(lineOf(record)),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    let copied: readonly LogRecord[] = [];
    const onCopied = (records: readonly LogRecord[]) => void (copied = records);
    const pieces: SetPieceOptions = { rig, injector, caller: caller(), nowMs, onCopied };
    const notes: string[] = [];
    const third = Math.max(0, Math.ceil((kills - SET_PIECE_KILLS) / 3));
    for (const piece of [
      () => fillFacts(pieces),
      () => clickhouseAway(pieces, clickhouseAwayMs),
      () => deposePeer(pieces),
    ]) {
      await injector.untilKills(third);
      const note = await piece();
      notes.push(note);
      report(note);
    }
    await injector.allWell();
    stop.abort();
    const cancel = setTimeout(callAborted, LAST_ANSWERS_MS);
    await Promise.all(load.map((client) => client.done));
    clearTimeout(cancel);
    const verdict = await verify(rig, [probe.log, ...load.map((client) => client.log)], copied);
    verdict.violations.push(...(await auditOf(rig.dataDir, report)));
    if (Object.values(verdict.terms).includes(0)) {
      verdict.violations.push(`a node led nothing, so the run shows nothing: ${JSON.stringify(verdict.terms)}`);
    }
    return { seed, durationMs: nowMs(), faults: injector.records, notes, tally, verdict };
  } finally {
    options.signal?.removeEventListener('abort', callAborted);
    stop.abort();
    giveUp.abort();
    options.onOutput?.(rig.output());
    await rig.stop();
  }
}

/** The differences that `npm run audit` finds at the end: it compares every column, by code of its own. */
async function auditOf(dataDir: string, report: (line: string) => void): Promise<string[]> {
  const result = await audit({ addresses: addressesOf({ DATA_DIR: dataDir }), waitMs: AUDIT_WAIT_MS, note: () => {} });
  const { factCount, players, differences, skipped } = result;
  report(`audit: ${factCount} facts, ${players.compared} players, ${differences.total} differences`);
  return [...differences.lines(), ...skipped];
}

function lineOf({ atMs, what, readyMs }: FaultRecord): string {
  const ready = readyMs === undefined ? '' : `: all well after ${Math.round(readyMs)} ms`;
  return `${(atMs / 1000).toFixed(1).padStart(7)} s  ${what}${ready}`;
}
