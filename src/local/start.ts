import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError, readConfig } from '../config.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemIds } from '../kernel/ids.ts';
import { localPlan } from './local-plan.ts';
import type { Endpoints } from './run-files.ts';
import { supervise } from './supervisor.ts';
import { watchSources } from './watch-sources.ts';

/**
 * `npm start`: the whole service on this machine, kept running until SIGTERM or Ctrl-C. Exit code 0 after an orderly
 * stop, 1 when it cannot be started; then the last lines say why. With `--watch` the service restarts when its sources
 * change.
 */
async function start(): Promise<number> {
  const config = readConfig();
  const stopRequest = new AbortController();
  // A signal often comes twice (from the terminal and again from npm): the second one changes nothing.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => stopRequest.abort());
  // Whoever read our output may go first.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const report = (line: string) => console.log(line);
  report('starting …');
  const supervision = await supervise({
    dataDir: config.dataDir,
    clock: systemClock,
    report,
    plan: (dataDir) => localPlan({ config, env: process.env, dataDir, ids: systemIds, report }),
    signal: stopRequest.signal,
  });
  if (supervision.kind === 'refused') {
    console.error(supervision.message);
    return 1;
  }
  if (supervision.kind === 'aborted') return 0;

  const { supervisor, plan } = supervision;
  report(welcome(config.dataDir, plan.endpoints));
  const unwatch = process.argv.includes('--watch')
    ? watchSources(systemClock, () => {
        report('sources changed; restarting the service');
        supervisor.restartService();
      })
    : () => {};
  await new Promise<void>((settle) => {
    if (stopRequest.signal.aborted) settle();
    stopRequest.signal.addEventListener('abort', () => settle());
  });
  unwatch();
  report('stopping …');
  await supervisor.stop();
  report('stopped');
  return 0;
}

/** What to try first. The keys are not printed: terminals and their logs are read by many. */
function welcome(dataDir: string, endpoints: Endpoints): string {
  const keys = resolve(dataDir, 'demo-keys.json');
  const lines = ['', `Ready: ${endpoints.base_url} (ClickHouse: ${endpoints.clickhouse.url})`];
  if (existsSync(keys)) {
    lines.push(
      `Keys of the game "demo": ${keys}`,
      'Try it:',
      [
        `curl -s ${endpoints.base_url}/v1/players/players`,
        `-H "X-API-Key: $(node -p 'require("${keys}").live.server')"`,
        "-H 'Content-Type: application/json'",
        `-d '{"external_id":"player-1","attributes":{"level":3}}'`,
      ].join(' '),
    );
  }
  return [...lines, ''].join('\n');
}

try {
  process.exit(await start());
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
