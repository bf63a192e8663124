import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, readConfig } from '../settings/config.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { keepFilesPrivate } from './data-dir.ts';
import { localPlan } from './local-plan.ts';
import type { Endpoints } from './processes/run-files.ts';
import { consoleLink } from '../process/demo.ts';
import { startConsoleBuild } from './console-build.ts';
import { runUntilStopped } from './processes/run-until-stopped.ts';
import { watchSources } from './processes/watch-sources.ts';

/**
 * `npm start`: runs the whole service on this machine until SIGTERM or Ctrl-C. With `--watch` the service restarts when
 * its sources change.
 */
async function start(): Promise<0 | 1> {
  const config = readConfig();
  const watches = process.argv.includes('--watch');
  const report = (line: string) => console.log(line);
  report('starting …');
  const consoleBuild = startConsoleBuild(report);
  const code = await runUntilStopped({
    dataDir: config.dataDir,
    clock: systemClock,
    report,
    plan: (dataDir) => localPlan({ config, env: process.env, dataDir, ids: systemIds, report, onlyOne: watches }),
    onRunning(supervisor, plan) {
      void consoleLink(resolve(config.dataDir)).then((link) => report(welcome(config.dataDir, plan.endpoints, link)));
      if (!watches) return () => {};
      return watchSources(systemClock, () => {
        report('sources changed; restarting the service');
        supervisor.restartService();
      });
    },
  });
  consoleBuild.stop();
  return code;
}

/**
 * The addresses and a first request. Keys are not printed, because terminals and logs are shared. The link to the
 * console is valid once, and for an hour.
 */
function welcome(dataDir: string, endpoints: Endpoints, link: string | undefined): string {
  const folder = resolve(dataDir);
  const keys = join(folder, 'demo-keys.json');
  const lines = [
    '',
    `Ready: ${endpoints.base_url}`,
    ...(link === undefined ? [] : [`  Console        ${endpoints.base_url}${link} (signs you in once)`]),
    `  ClickHouse     ${endpoints.clickhouse.url}`,
    `  API reference  ${endpoints.base_url}/docs`,
    `  Data and logs  ${folder}`,
  ];
  if (existsSync(keys)) {
    lines.push(
      `  API keys       ${keys} (game "demo")`,
      '',
      'Create your first player:',
      [
        `curl -s ${endpoints.base_url}/v1/players/players`,
        `-H "X-API-Key: $(node -p 'require("${keys}").live.server')"`,
        "-H 'Content-Type: application/json'",
        `-d '{"external_id":"player-1","attributes":{"level":3}}'`,
      ].join(' '),
    );
  }
  lines.push('', 'README.md continues from here. Press Ctrl-C to stop.');
  return [...lines, ''].join('\n');
}

keepFilesPrivate();
try {
  process.exit(await start());
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  process.exit(1);
}
