import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ScoreFeatures } from '../../streams/records/score-record.ts';
import { SHIPPED_MODEL } from '../../src/config.ts';
import { loadModel } from '../../src/scoring/load-model.ts';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';
import type { Workload } from '../load/workload.ts';
import { startBareTarget } from '../service/bare-target.ts';
import { call } from '../service/call.ts';
import type { Service } from '../service/service.ts';
import { createStage, type Stage } from '../service/stage.ts';
import { startService } from '../service/start-service.ts';
import type { ScoringOptions } from './scoring-options.ts';

const SCORE = '/v1/scoring/first-user-conversion';
/** How far a score may be from the golden one. */
const TOLERANCE = 1e-6;

/** A stage, and requests that score installs. */
export interface ScoringSetup {
  stage: Stage;
  workload: Workload;
}

/** Starts the service, checks its scores against the golden rows, and starts a bare server that answers as much. */
export async function prepareScoring(
  bench: Bench,
  options: Pick<ScoringOptions, 'installs' | 'folder'> & { nodeArguments?: readonly string[] },
): Promise<ScoringSetup> {
  const started = await startService(bench, { ...options, remote: undefined });
  const { countRows } = started;
  const service: Service = { ...started, countRows: countRows && (() => countRows('scores')) };
  const { probes, answerBytes } = await probe(service);
  const bodies = Array.from({ length: options.installs }, (_, turn) => scoreBody(turn));
  bench.report(
    `bodies of ${bodies[0]?.length ?? 0} bytes, answers of ${answerBytes}; ${probes} golden rows score as they should`,
  );
  const bare = await startBareTarget({ answers: { [SCORE]: answerBytes } });
  bench.cleanup.add(() => bare.stop());

  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-bodies-'));
  bench.cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  const bodiesFile = join(folder, 'scores.jsonl');
  writeFileSync(bodiesFile, bodies.join('\n'));
  const stage = createStage(service, bare, {});
  stage.ledger.acknowledged = probes;
  return { stage, workload: { path: SCORE, eventsPerRequest: 1, bodiesFile, sample: bodies[0] ?? '' } };
}

/** An install like those the model knows: most do little, a few do much. */
function scoreBody(turn: number): string {
  const keenness = ((turn * 37) % 100) / 100;
  const features: ScoreFeatures = {
    loot_distinct_types: Math.floor(8 * keenness ** 3),
    sess_duration_total: Math.round(18_000 * keenness) / 10,
    match_avg_fight_time: ((turn * 7) % 2_000) / 10,
    match_wins: Math.floor(10 * keenness ** 2),
    install_hour: turn % 24,
    vpay_count: Math.floor(25 * keenness ** 2),
  };
  return JSON.stringify({ device_id: `bench-${String(turn).padStart(8, '0')}`, ...features });
}

/** Scores the golden rows of the shipped model. @returns their number, and the mean size of the answers */
async function probe(service: Service): Promise<{ probes: number; answerBytes: number }> {
  const shipped = await loadModel(SHIPPED_MODEL);
  if (shipped.kind !== 'loaded') throw new BenchError(`the shipped model cannot be loaded: ${JSON.stringify(shipped)}`);
  const { golden_rows: rows } = shipped.model.manifest;
  let sumBytes = 0;
  for (const { name, features, score } of rows) {
    const text = await call(service, 'POST', SCORE, JSON.stringify({ device_id: 'bench-golden', ...features }));
    sumBytes += Buffer.byteLength(text);
    const { data }: { data: { score: number } } = JSON.parse(text);
    if (Math.abs(data.score - score) > TOLERANCE) {
      throw new BenchError(`the service scores the golden row "${name}" ${data.score}, not ${score}`);
    }
  }
  return { probes: rows.length, answerBytes: Math.round(sumBytes / rows.length) };
}
