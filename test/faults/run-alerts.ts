import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { alertsOf, PROMETHEUS_FOLDER } from '../support/browser/monitoring-files.ts';
import { selectorsOf } from '../support/browser/promql.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { SCENES, type Scene, type Traffic } from './alert-scenes.ts';

/**
 * Causes faults in the real service, and asks promtool which alerts fire in samples scraped meanwhile. One scrape a
 * second is given to promtool as one in 15 seconds, so that every `for` and range of the rules applies unchanged.
 * @param only a part of the names of the scenes that are played; '': all
 */
export async function runAlerts(report: (line: string) => void, only: string): Promise<boolean> {
  let whole = true;
  for (const scene of SCENES.filter(({ name }) => name.includes(only))) {
    const prepared = scene.prepare?.();
    if (scene.prepare !== undefined && prepared === undefined) {
      report(`${scene.name}: not played; this user may not do what it needs`);
      continue;
    }
    const fired = await play(scene, prepared?.settings).finally(() => prepared?.remove());
    const missing = scene.fires.filter((name) => !fired.includes(name));
    const others = fired.filter((name) => !scene.fires.includes(name) && !scene.mayFire.includes(name));
    whole &&= missing.length === 0 && others.length === 0;
    const faults = [...missing.map((name) => `MISSING ${name}`), ...others.map((name) => `UNEXPECTED ${name}`)];
    report(`${scene.name}: ${fired.length === 0 ? 'no alert' : fired.join(', ')} ${faults.join(', ')}`.trim());
  }
  return whole;
}

/** Seconds of traffic before the fault: more than the longest range that must be free of it. */
const BEFORE_SECONDS = 10;

/** @returns the alerts that fired during the scene, by name */
async function play({ settings = {}, seconds, begin }: Scene, more: Scene['settings'] = {}): Promise<string[]> {
  const service = await startService({
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PARTITIONS: '2',
    LOG_LEVEL: 'warn',
    ...settings,
    ...more,
  });
  const traffic: Traffic = { large: false };
  const scrapes: (string | undefined)[] = [];
  const over = new AbortController();
  const callers = Array.from({ length: 4 }, (_, place) => send(service, place, traffic, over.signal));
  const scrapeFor = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) {
      const due = delay(1_000);
      scrapes.push(await scrape(service.url));
      await due;
    }
  };
  try {
    await scrapeFor(BEFORE_SECONDS);
    const end = await begin(service, traffic);
    try {
      await scrapeFor(seconds);
    } finally {
      await end();
    }
  } finally {
    over.abort();
    await Promise.all(callers);
    await service.stop();
  }
  return firedIn(scrapes);
}

async function scrape(url: string): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(900) });
    return answer.ok ? await answer.text() : undefined;
  } catch {
    return undefined;
  }
}

/** Sends events one after another until the scene is over. Failures are the point of some scenes. */
async function send(service: RunningService, place: number, traffic: Traffic, signal: AbortSignal): Promise<void> {
  const { server } = service.keys.live;
  const id = await service.player(server, `caller-${place}`);
  while (!signal.aborted) {
    const event = { player_id: id, event_name: 'level_up', properties: traffic.large ? { text: LARGE } : {} };
    const headers = { 'X-API-Key': server, 'Content-Type': 'application/json' };
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(8_000)]);
    const request = { method: 'POST', headers, body: JSON.stringify(event), signal: timeout };
    await fetch(`${service.url}/v1/events/events`, request)
      .then((answer) => answer.arrayBuffer())
      .catch(() => {});
    await delay(20);
  }
}

const LARGE = Array.from({ length: 7 }, () => 'x'.repeat(8_000));

/** A series with the labels that Prometheus gives its target. */
function withTarget(series: string): string {
  const [name = '', labels = ''] = series.split(/[{}]/);
  const target = 'cluster="c",instance="a",job="player-analytics"';
  return `${name}{${labels === '' ? target : `${target},${labels}`}}`;
}

/** Asks promtool which alerts fire in a row of scrapes, by their names. */
function firedIn(scrapes: readonly (string | undefined)[]): string[] {
  const wanted = new Set(alertsOf().flatMap(({ expr }) => selectorsOf(expr).map(({ metric }) => metric)));
  const series = new Map<string, string[]>([['up{}', scrapes.map((text) => (text === undefined ? '0' : '1'))]]);
  for (const [place, text] of scrapes.entries()) {
    for (const [, name = '', labels = '{}', value = ''] of (text ?? '').matchAll(/^(\w+)(\{.*\})? (\S+)$/gm)) {
      if (!wanted.has(name)) continue;
      const key = `${name}${labels}`;
      const values = series.get(key) ?? Array.from({ length: scrapes.length }, () => '_');
      values[place] = value === 'Nan' ? 'NaN' : value;
      series.set(key, values);
    }
  }
  const input = [...series].map(([key, values]) => ({
    series: withTarget(key),
    values: values.join(' '),
  }));
  const seconds = scrapes.length * 15;
  const test = {
    rule_files: [join(PROMETHEUS_FOLDER, 'alerts.yml')],
    evaluation_interval: '15s',
    tests: [
      {
        interval: '15s',
        input_series: input,
        promql_expr_test: alertsOf().map(({ alert }) => ({
          expr: `group(count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${seconds}s]))`,
          eval_time: `${seconds - 15}s`,
          exp_samples: [],
        })),
      },
    ],
  };
  const folder = mkdtempSync(join(tmpdir(), 'player-analytics-alerts-'));
  try {
    const file = join(folder, 'alerts.test.yml');
    // JSON is YAML.
    writeFileSync(file, JSON.stringify(test));
    const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
    if (status === null) throw new Error('promtool is not installed (Debian: apt-get install prometheus)');
    const output = `${stdout}${stderr}`;
    const fired = [...output.matchAll(/expr: "group\(count_over_time\(ALERTS\{alertname=\\?"(\w+)/g)].map(
      ([, name = '']) => name,
    );
    if (status !== 0 && fired.length === 0) throw new Error(output.slice(0, 4_000));
    return fired;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
