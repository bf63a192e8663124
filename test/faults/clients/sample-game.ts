import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { playSessions } from '../../../sdk/typescript/examples/play-sessions.ts';

/** Players at the same time: each sends from a device of its own. */
const AT_ONCE = 20;
const SESSIONS_OF_A_PLAYER = 5;

export interface SampleGameOptions {
  seed: number;
  sessions: number;
  report: (line: string) => void;
}

/**
 * Starts a service and plays the sample game of the client SDK against it, through a proxy that treats requests badly
 * and with kills of the clients. Resolves with whether ClickHouse has every event once and in the order of its player.
 */
export async function runSampleGame({ seed, sessions, report }: SampleGameOptions): Promise<boolean> {
  const service = await startService();
  try {
    const played = await playSessions({
      url: service.url,
      key: service.keys.live.client,
      clickhouse: service.supervised.clickhouseUrl,
      players: Math.ceil(sessions / SESSIONS_OF_A_PLAYER),
      sessions: SESSIONS_OF_A_PLAYER,
      atOnce: AT_ONCE,
      seed,
    });
    report(JSON.stringify(played.report, null, 2));
    for (const fault of played.faults.slice(0, SHOWN_FAULTS)) {
      report(JSON.stringify(fault));
      report(await rowsOf(service, fault.player));
    }
    return played.faults.length === 0 && played.report.unsent === 0;
  } finally {
    await service.stop();
  }
}

const SHOWN_FAULTS = 10;

/** The rows of a player in their order, to find out how they came. */
async function rowsOf(service: RunningService, player: string): Promise<string> {
  const rows = await service.sql(
    "SELECT JSONExtractUInt(properties, 'n') AS n, event_name, event_id, session_id, timestamp, received_at, " +
      `facts_sequence, facts_index FROM events WHERE external_id = '${player}' ORDER BY facts_sequence, facts_index`,
  );
  return rows.map((row) => `  ${JSON.stringify(row)}`).join('\n');
}
