import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench } from '../bench.ts';
import { BenchError } from '../bench-error.ts';
import type { Workload } from '../load/workload.ts';
import { startBareTarget } from '../service/bare-target.ts';
import { call } from '../service/call.ts';
import { playerOf, registerPlayers } from '../service/register-players.ts';
import type { Service } from '../service/service.ts';
import { createStage, type Stage } from '../service/stage.ts';
import { startService } from '../service/start-service.ts';
import { answerFaults, neverServed, type BulkAnswer, type Expected } from './answer-faults.ts';
import { defineSamples, FLAGS_PATH } from './define-samples.ts';
import { SAMPLE_SEGMENTS, type SampleFlag } from './sample-definitions.ts';

const EVALUATE = `${FLAGS_PATH}/evaluate`;
/** Players whose answers are checked, and whose mean size the bare server's answer has. */
const PROBES = 200;

/** A stage with segments, flags and players, and requests that evaluate the flags. */
export interface EvaluationSetup {
  stage: Stage;
  workload: Workload;
}

/** Defines, registers, checks answers, and starts a bare server that answers bodies of their mean size. */
export async function prepareEvaluation(
  bench: Bench,
  options: { players: number; folder: string | undefined; nodeArguments?: readonly string[] },
): Promise<EvaluationSetup> {
  const { cleanup, signal, report } = bench;
  const service = await startService(bench, { ...options, remote: undefined });
  const { flags, segmentIds } = await defineSamples(service);
  report(`registering ${options.players} players`);
  const playerIds = await registerPlayers(service, options.players, signal);

  const bodies = playerIds.map((playerId, turn) => evaluationBody(playerId, turn, flags));
  const answerBytes = await probe(service, bodies, { flags, segments: SAMPLE_SEGMENTS, segmentIds });
  report(`${flags.length} flags in one request; bodies of ${bodies[0]?.length ?? 0} bytes, answers of ${answerBytes}`);
  const bare = await startBareTarget({ answers: { [EVALUATE]: answerBytes } });
  cleanup.add(() => bare.stop());

  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-bench-bodies-'));
  cleanup.add(async () => rmSync(folder, { recursive: true, force: true }));
  const bodiesFile = join(folder, 'evaluations.jsonl');
  writeFileSync(bodiesFile, bodies.join('\n'));
  const workload = { path: EVALUATE, eventsPerRequest: 0, bodiesFile, sample: bodies[0] ?? '' };
  return { stage: createStage(service, bare, {}), workload };
}

function evaluationBody(playerId: string, turn: number, flags: readonly SampleFlag[]): string {
  return JSON.stringify({
    player_id: playerId,
    flag_keys: flags.map(({ body }) => body.key),
    context: { platform: turn % 3 === 0 ? 'android' : 'ios', app_version: '2.4.0' },
  });
}

/** Checks the answers for the first players. @returns their mean size in bytes */
async function probe(service: Service, bodies: readonly string[], expected: Expected): Promise<number> {
  const answers: BulkAnswer[] = [];
  let sumBytes = 0;
  for (const [turn, body] of bodies.slice(0, PROBES).entries()) {
    const text = await call(service, 'POST', EVALUATE, body);
    sumBytes += Buffer.byteLength(text);
    const answer: { data: BulkAnswer } = JSON.parse(text);
    const faults = answerFaults(answer.data, playerOf(turn).attributes, expected);
    if (faults.length > 0) throw new BenchError(`the service evaluates wrongly: ${faults.join('; ')}`);
    answers.push(answer.data);
  }
  const missing = answers.length < PROBES ? [] : neverServed(answers, ['control', 'red', 'blue']);
  if (missing.length > 0) throw new BenchError(`nobody was served: ${missing.join(', ')}`);
  return Math.round(sumBytes / answers.length);
}
