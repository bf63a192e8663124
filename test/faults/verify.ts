import { isDeepStrictEqual } from 'node:util';
import { viewOf } from '../../core/vocabulary/state/state.ts';
import { playerJson } from '../../src/api/players/state/player-resource.ts';
import { queryAsReader } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';
import type { ClientLog, PlayerLog } from './clients/client-log.ts';
import { NODES, type Rig } from './rig.ts';
import { FILLER } from './set-pieces.ts';
import type { LogRecord } from '../../streams/log/log.ts';
import { scanFacts, type FactsScan } from './verify-facts.ts';

/** The result of the run: counts of violations, each with its evidence in `violations`. */
export interface Verdict {
  ackedEvents: number;
  players: number;
  records: number;
  lost: number;
  doubled: number;
  reordered: number;
  /** Events in FACTS or rows in ClickHouse that no client sent or got acknowledged. */
  unexplained: number;
  /** Players whose state differs from the clients' logs or from the fold of FACTS. */
  differing: number;
  /** Terms that each node led. */
  terms: Readonly<Record<keyof typeof NODES, number>>;
  violations: string[];
}

interface Row {
  event_id: string;
  player_id: string;
  sequence: number;
  index: number;
}

/** The expected data. */
interface Known {
  players: readonly PlayerLog[];
  /** Ids of events that no client's log has. */
  fillers: ReadonlySet<string>;
  /** Event id → `<sequence>/<index>` in FACTS, as evidence. */
  standing: ReadonlyMap<string, string>;
}

/** The maximum time for ClickHouse to catch up once every process runs. */
const CATCH_UP_MS = 120_000;

/** Where the data of a run is. */
export type VerifiedRig = Pick<Rig, 'baseUrl' | 'natsUrl' | 'clickhouseUrl' | 'keys'>;

/**
 * Compares the clients' logs with FACTS, with ClickHouse and with the service's answers.
 * @param earlier a copy of FACTS from before its first records were trimmed
 */
export async function verify(
  rig: VerifiedRig,
  logs: readonly ClientLog[],
  earlier: readonly LogRecord[] = [],
): Promise<Verdict> {
  const players = logs.flatMap((log) => log.players);
  const scan = await scanFacts(rig.natsUrl, earlier);
  const rows = await rowsUpTo(rig, scan.events.at(-1)?.sequence ?? 0);
  const verdict: Verdict = {
    ackedEvents: players.reduce((sum, player) => sum + player.events.length, 0),
    players: players.length,
    records: scan.records,
    lost: 0,
    doubled: 0,
    reordered: 0,
    unexplained: 0,
    differing: 0,
    terms: termsOf(scan),
    violations: [...logs.flatMap((log) => log.violations), ...scan.violations],
  };
  const facts = scan.events.map(({ fact, sequence, index }) => ({
    event_id: fact.eventId,
    player_id: fact.entityId,
    sequence,
    index,
  }));
  const fillers = new Set(scan.events.filter(({ fact }) => fact.eventName === FILLER).map(({ fact }) => fact.eventId));
  const standing = new Map(facts.map((row) => [row.event_id, `${row.sequence}/${row.index}`]));
  validateEvents('FACTS', facts, { players, fillers, standing }, verdict);
  validateEvents('ClickHouse', rows, { players, fillers, standing }, verdict);
  await validatePlayers(rig, players, scan, verdict);
  return verdict;
}

/** Several processes of the service have names of their own. */
function termsOf({ terms }: FactsScan): Verdict['terms'] {
  const peer = terms.get(NODES.peer) ?? 0;
  return { service: [...terms.values()].reduce((sum, number) => sum + number, 0) - peer, peer };
}

/** Every row, once ClickHouse has caught up with FACTS. */
async function rowsUpTo(rig: VerifiedRig, sequence: number): Promise<Row[]> {
  await until(
    `ClickHouse has caught up with ${sequence}`,
    async () => {
      const found = await queryAsReader<{ last: string }>(
        rig.clickhouseUrl,
        'SELECT max(facts_sequence) AS last FROM events',
      ).catch(() => []);
      return Number(found[0]?.last) >= sequence;
    },
    CATCH_UP_MS,
  );
  const rows = await queryAsReader<{ event_id: string; player: string; facts_sequence: string; facts_index: number }>(
    rig.clickhouseUrl,
    'SELECT event_id, toString(player_id) AS player, facts_sequence, facts_index FROM events ' +
      'ORDER BY facts_sequence, facts_index',
  );
  return rows.map((row) => ({
    event_id: row.event_id,
    player_id: row.player,
    sequence: Number(row.facts_sequence),
    index: row.facts_index,
  }));
}

/**
 * Checks that `found`, in the order of the log, has each acknowledged event once, in its player's order, and no other.
 */
function validateEvents(
  where: string,
  found: readonly Row[],
  { players, fillers, standing }: Known,
  verdict: Verdict,
): void {
  const places = new Map<string, Row[]>();
  for (const row of found) {
    const same = places.get(row.event_id);
    if (same === undefined) places.set(row.event_id, [row]);
    else same.push(row);
  }
  const known = new Set(fillers);
  for (const player of players) {
    let before: Row | undefined;
    for (const event of player.events) {
      known.add(event.eventId);
      const [place, ...more] = (places.get(event.eventId) ?? []).filter((row) => row.player_id === player.id);
      const evidence = `${where}: ${player.externalId} (${player.id}) event ${JSON.stringify(event)}, in FACTS at ${standing.get(event.eventId)},`;
      if (place === undefined) {
        verdict.lost += 1;
        verdict.violations.push(`${evidence} is lost`);
        continue;
      }
      if (more.length > 0) {
        verdict.doubled += 1;
        verdict.violations.push(`${evidence} is there ${more.length + 1} times: ${JSON.stringify([place, ...more])}`);
      }
      if (before !== undefined && !isAfter(place, before)) {
        verdict.reordered += 1;
        verdict.violations.push(`${evidence} stands before the one sent before it: ${JSON.stringify([before, place])}`);
      }
      before = place;
    }
  }
  for (const [eventId, same] of places) {
    if (known.has(eventId) && (!fillers.has(eventId) || same.length === 1)) continue;
    verdict.unexplained += 1;
    verdict.violations.push(`${where}: no client was answered for ${JSON.stringify(same)}`);
  }
}

function isAfter(row: Row, before: Row): boolean {
  return row.sequence > before.sequence || (row.sequence === before.sequence && row.index > before.index);
}

/** Checks that the service's answer equals the result of the client's acknowledged changes and the fold of FACTS. */
async function validatePlayers(
  rig: VerifiedRig,
  players: readonly PlayerLog[],
  scan: FactsScan,
  verdict: Verdict,
): Promise<void> {
  for (const player of players) {
    const response = await fetch(`${rig.baseUrl}/v1/players/players/${player.id}`, {
      headers: { 'X-API-Key': rig.keys.live.server },
    });
    const answer: { data?: Record<string, unknown> } = JSON.parse(await response.text());
    const { attributes, email, external_id: externalId } = answer.data ?? {};
    const state = scan.states.get(player.id);
    const folded: unknown = state?.kind === 'player' ? JSON.parse(playerJson(viewOf(state), 'server')) : undefined;
    const expected = { attributes: player.attributes, email: player.email, externalId: player.externalId };
    const asTold = isDeepStrictEqual({ attributes, email, externalId }, expected);
    if (asTold && isDeepStrictEqual(answer.data, folded)) continue;
    verdict.differing += 1;
    verdict.violations.push(
      `player ${player.id}: answered ${JSON.stringify(answer)}, acknowledged ${JSON.stringify(expected)}, folded ${JSON.stringify(folded)}`,
    );
  }
  await until(
    'every player is in ClickHouse',
    async () => {
      const found = await queryAsReader<{ id: string }>(
        rig.clickhouseUrl,
        'SELECT toString(player_id) AS id FROM players',
      );
      const ids = new Set(found.map(({ id }) => id));
      return players.every(({ id }) => ids.has(id));
    },
    CATCH_UP_MS,
  );
}
