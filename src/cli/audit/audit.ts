import { connect, type NatsConnection } from '@nats-io/transport-node';
import { decodeCommit, decodeScores } from '../../../core/codec/codec.ts';
import type { Addresses } from './read/addresses.ts';
import { AuditError } from './audit-error.ts';
import { AUDITED, type AuditedName } from './compare/audited-tables.ts';
import { checkCampaigns } from './compare/check-campaigns.ts';
import { checkPlayerDays } from './compare/check-player-days.ts';
import { openClickHouse, type ClickHouse, type Whole } from './read/clickhouse.ts';
import { checkExtracted } from './compare/check-extracted.ts';
import { comparePlayers } from './compare/compare-players.ts';
import { createRowComparison, type RowComparison } from './compare/compare-rows.ts';
import { createTestPlayers, type TestPlayers } from './compare/check-test-players.ts';
import { createOverrides, type Overrides } from './compare/check-overrides.ts';
import { createDifferences, type Differences } from './compare/differences.ts';
import { readErasures, type Erasures } from './read/erasures.ts';
import { readMerges, type Merges } from './read/merges.ts';
import { rowOfScore, rowsOfFact } from './read/expected-rows.ts';
import { createPlayerTotals, type PlayerTotals } from './compare/player-totals.ts';
import { readBucket, readStream, streamBounds, type StreamBounds } from './read/read-stream.ts';
import { checkMemberships, checkReleases, checkScores, checkTotals } from './compare/table-checks.ts';
import { untilTrue } from './until-true.ts';

/** What an audit read and found. */
export interface Audit {
  facts: StreamBounds;
  /** Facts that were read. */
  factCount: number;
  compared: ReadonlyMap<AuditedName, number>;
  /** Players with facts in the log, those compared with `players`, and snapshots compared with the facts before. */
  players: { inLog: number; compared: number; snapshots: number };
  differences: Differences;
  /** What could not be compared, and why. */
  skipped: readonly string[];
}

export interface AuditOptions {
  addresses: Addresses;
  /** How long ClickHouse may take to catch up with the log. */
  waitMs: number;
  /** Receives what is being done, line by line. */
  note: (line: string) => void;
}

/**
 * Replays the log and compares it with ClickHouse. It uses nothing of the service but the codec of the log's records,
 * so that an error of the service is not an error of the audit.
 *
 * Rows: each fact makes the rows that docs/analytics.md promises; all of their columns are compared. Totals: facts are
 * added up by player, and compared with the snapshots in the log and with `players`. Tables are then compared with each
 * other, which covers what the log has trimmed.
 * @throws AuditError if it cannot compare
 */
export async function audit({ addresses, waitMs, note }: AuditOptions): Promise<Audit> {
  const clickhouse = openClickHouse(addresses.clickhouse);
  const nats = await connect(addresses.nats).catch((error: unknown) => {
    throw new AuditError(`NATS does not answer: ${String(error)}`);
  });
  try {
    return await auditWith(nats, clickhouse, { waitMs, note });
  } finally {
    await nats.close();
  }
}

type Waiting = Omit<AuditOptions, 'addresses'>;

async function auditWith(nats: NatsConnection, clickhouse: ClickHouse, options: Waiting): Promise<Audit> {
  const { note, waitMs } = options;
  const [facts, records] = [await streamBounds(nats, 'FACTS'), await streamBounds(nats, 'RECORDS')];
  note(`FACTS holds the records ${facts.firstSequence} to ${facts.lastSequence}.`);
  await untilConfirmed(clickhouse, 'FACTS', facts, waitMs);
  await untilConfirmed(clickhouse, 'RECORDS', records, waitMs);
  const differences = createDifferences();
  const erasures = await readErasures(clickhouse, facts.createdMs);
  const merges = await readMerges(clickhouse, facts.createdMs);
  const totals = createPlayerTotals();
  const states = { testPlayers: createTestPlayers(), overrides: createOverrides() };
  const devices = new Set<string>();

  const ofFacts = createRowComparison({
    clickhouse,
    erasures,
    merges,
    differences,
    tables: tablesOf('FACTS'),
    createdMs: facts.createdMs,
    from: facts.firstSequence,
  });
  const factCount = await replayFacts(nats, facts, { rows: ofFacts, totals, states, devices, differences, note });
  await ofFacts.finish(facts.lastSequence);
  note(`${factCount} facts of ${totals.size} players are compared with their rows.`);

  const comparedPlayers = await comparePlayers(clickhouse, totals, placeOf(facts), erasures, differences);
  const ofRecords = createRowComparison({
    clickhouse,
    erasures,
    merges,
    differences,
    tables: tablesOf('RECORDS'),
    createdMs: records.createdMs,
    from: records.firstSequence,
    isExcused: ({ cells }) => devices.has(`${String(cells[1])}/${String(cells[3])}/${String(cells[4])}`),
  });
  await replayScores(nats, records, ofRecords);
  await ofRecords.finish(records.lastSequence);

  note('Tables are compared with each other.');
  const compared = { facts, totals, states, erasures, merges, differences, waitMs };
  const late = await compareTables(nats, clickhouse, compared);
  return {
    facts,
    factCount,
    compared: new Map([...ofFacts.compared, ...ofRecords.compared]),
    players: { inLog: totals.size, compared: comparedPlayers, snapshots: totals.checked },
    differences,
    skipped: late === undefined ? [] : [late],
  };
}

const placeOf = ({ createdMs, lastSequence: last }: StreamBounds): { createdMs: number; last: number } => ({
  createdMs,
  last,
});

function tablesOf(stream: 'FACTS' | 'RECORDS'): AuditedName[] {
  return Object.keys(AUDITED).filter((name): name is AuditedName => name in AUDITED && isOf(name, stream));
}

const isOf = (name: string, stream: string): boolean =>
  Object.entries(AUDITED).some(([known, table]) => known === name && table.stream === stream);

/** How far the tables hold a stream, by ClickHouse's own note. */
async function confirmedTo(clickhouse: ClickHouse, stream: string, createdMs: number): Promise<number> {
  const [row] = await clickhouse.rows<[created: Whole, sequence: Whole]>(
    'SELECT stream_created, sequence FROM sink_positions FINAL WHERE stream = {stream: String}',
    { stream },
  );
  return row !== undefined && Number(row[0]) === createdMs ? Number(row[1]) : 0;
}

async function untilConfirmed(
  clickhouse: ClickHouse,
  stream: string,
  { createdMs, lastSequence, firstSequence }: StreamBounds,
  waitMs: number,
): Promise<void> {
  if (lastSequence < firstSequence) return;
  const isHeld = await untilTrue(
    async () => (await confirmedTo(clickhouse, stream, createdMs)) >= lastSequence,
    waitMs,
  );
  if (isHeld) return;
  const held = await confirmedTo(clickhouse, stream, createdMs);
  throw new AuditError(`ClickHouse holds ${stream} up to the record ${held} of ${lastSequence}: nothing was compared.`);
}

/** Tables whose rows replace each other. */
interface States {
  testPlayers: TestPlayers;
  overrides: Overrides;
}

interface Replay {
  rows: RowComparison;
  totals: PlayerTotals;
  states: States;
  /** Devices of erased players, as `<game>/<environment>/<device>`. */
  devices: Set<string>;
  differences: Differences;
  note: (line: string) => void;
}

const NOTED_EVERY = 1_000_000;

async function replayFacts(nats: NatsConnection, bounds: StreamBounds, replay: Replay): Promise<number> {
  const { rows, totals, states, devices, differences, note } = replay;
  const takers = Object.values(states);
  let count = 0;
  let next = bounds.firstSequence;
  for await (const { sequence, data } of readStream(nats, 'FACTS', {
    from: bounds.firstSequence,
    last: bounds.lastSequence,
  })) {
    if (sequence > next) {
      await rows.finish(next - 1);
      rows.skipTo(sequence - 1);
      note(`The records ${next} to ${sequence - 1} were trimmed meanwhile.`);
    }
    next = sequence + 1;
    const { facts } = decodeCommit(data);
    // A snapshot holds the state before its record.
    for (const fact of facts) {
      if (fact.kind !== 'EntitySnapshot') continue;
      for (const { take } of takers) take(fact);
      const fault = totals.take(fact, sequence);
      if (fault !== undefined)
        differences.add('totals', `FACTS ${sequence}: the snapshot of ${fact.entityId}: ${fault}`);
    }
    for (const [index, fact] of facts.entries()) {
      count += 1;
      if (count % NOTED_EVERY === 0) note(`${count} facts, up to the record ${sequence} of ${bounds.lastSequence}.`);
      if (fact.kind === 'EntitySnapshot') continue;
      totals.take(fact, sequence);
      for (const { take } of takers) take(fact);
      if (fact.kind === 'PlayerErased' && fact.deviceId !== undefined) {
        devices.add(`${fact.game}/${fact.environment}/${fact.deviceId}`);
      }
      for (const row of rowsOfFact(fact, sequence, index)) rows.take(row);
    }
    await rows.recordEnds(sequence);
  }
  return count;
}

async function replayScores(nats: NatsConnection, bounds: StreamBounds, rows: RowComparison): Promise<void> {
  let next = bounds.firstSequence;
  const { firstSequence: from, lastSequence: last } = bounds;
  for await (const { sequence, subject, data } of readStream(nats, 'RECORDS', { from, last })) {
    if (sequence > next) {
      await rows.finish(next - 1);
      rows.skipTo(sequence - 1);
    }
    next = sequence + 1;
    if (!subject.startsWith('records.scores.')) continue;
    for (const [index, score] of decodeScores(data).entries()) rows.take(rowOfScore(score, sequence, index));
    await rows.recordEnds(sequence);
  }
}

interface Tables {
  facts: StreamBounds;
  totals: PlayerTotals;
  states: States;
  erasures: Erasures;
  merges: Merges;
  differences: Differences;
  waitMs: number;
}

async function compareTables(
  nats: NatsConnection,
  clickhouse: ClickHouse,
  { facts, totals, states, erasures, merges, differences, waitMs }: Tables,
): Promise<string | undefined> {
  await Promise.all([erasures.refresh(), merges.refresh()]);
  const scope = { ...placeOf(facts), pending: [...erasures.pending(), ...merges.pending()] };
  await checkMemberships(clickhouse, scope, differences);
  for (const each of Object.values(states)) await each.check(clickhouse, totals, scope, differences);
  await checkTotals(clickhouse, scope, differences);
  await checkReleases(clickhouse, scope, differences);
  await checkScores(clickhouse, differences);
  await checkExtracted(clickhouse, differences);
  await checkCampaigns(clickhouse, await readBucket(nats, 'CONFIG'), scope, differences);
  const sinkSequence = () => confirmedTo(clickhouse, 'FACTS', facts.createdMs);
  return checkPlayerDays(clickhouse, scope, differences, { waitMs, sinkSequence });
}
