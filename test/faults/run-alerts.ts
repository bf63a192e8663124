import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { alertsOf, PROMETHEUS_FOLDER } from '../support/monitoring-files.ts';
import { selectorsOf } from '../support/promql.ts';
import { startService, type RunningService } from '../support/running-service.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';

/**
 * Causes faults in the real service, and asks promtool which alerts fire in samples scraped meanwhile. One scrape a
 * second is given to promtool as one in 15 seconds, so that every `for` and range of the rules applies unchanged.
 */
export async function runAlerts(report: (line: string) => void): Promise<boolean> {
  let whole = true;
  for (const scene of SCENES) {
    const fired = await play(scene);
    const missing = scene.fires.filter((name) => !fired.includes(name));
    const others = fired.filter((name) => !scene.fires.includes(name) && !scene.mayFire.includes(name));
    whole &&= missing.length === 0 && others.length === 0;
    const faults = [...missing.map((name) => `MISSING ${name}`), ...others.map((name) => `UNEXPECTED ${name}`)];
    report(`${scene.name}: ${fired.length === 0 ? 'no alert' : fired.join(', ')} ${faults.join(', ')}`.trim());
  }
  return whole;
}

interface Scene {
  name: string;
  settings?: Readonly<Record<string, string>>;
  /** Seconds of the fault; one is 15 s for Prometheus. */
  seconds: number;
  fires: readonly string[];
  /** Consequences that depend on how far the load got. */
  mayFire: readonly string[];
  /** Begins the fault; returns what ends it. */
  begin: (service: RunningService) => Promise<() => void | Promise<void>>;
}

const nothing = (): void => {};
/** The test machine's disk is not a part of the service. */
const MACHINE = ['DiskAlmostFull', 'MainThreadLate'];
const SMALL_LOG = { FACTS_MAX_BYTES: String(16 * 1024 ** 2) };

const SCENES: readonly Scene[] = [
  { name: 'no fault', seconds: 60, fires: [], mayFire: MACHINE, begin: () => Promise.resolve(nothing) },
  {
    name: 'the service is stopped',
    seconds: 12,
    fires: ['ProcessDown'],
    mayFire: MACHINE,
    begin: (service) => stopped(service, 'service'),
  },
  {
    name: 'the broker is stopped',
    seconds: 40,
    fires: ['NotReady', 'PartitionWithoutOwner', 'ServerErrors'],
    mayFire: [...MACHINE, 'WritesRefused', 'SinkUnreachable', 'ClockWrong', 'PartitionRefused'],
    begin: (service) => stopped(service, 'nats'),
  },
  {
    name: 'a receiver answers 410',
    seconds: 10,
    fires: ['WebhookDisabled'],
    mayFire: MACHINE,
    begin: async (service) => {
      const receiver = await startWebhookReceiver((_, response) => void response.writeHead(410).end());
      const webhook = { name: 'gone', url: receiver.url, events: ['event.level_up'] };
      await service.call(service.keys.live.server, 'POST', '/v1/integrations/webhooks', webhook);
      return () => receiver.stop();
    },
  },
  {
    name: 'ClickHouse is stopped until the log is full',
    settings: SMALL_LOG,
    seconds: 90,
    fires: ['LogFillsUp', 'LogFull', 'ServerErrors'],
    mayFire: [...MACHINE, 'SinkUnreachable', 'SinkLate'],
    begin: async (service) => {
      const goOn = await stopped(service, 'clickhouse');
      large = true;
      return () => {
        large = false;
        goOn();
      };
    },
  },
  {
    name: 'other programs take the processor',
    seconds: 60,
    fires: ['MainThreadLate'],
    mayFire: [...MACHINE, 'ServerErrors'],
    begin: (service) => {
      const pid = pidOf(service, 'service');
      const over = new AbortController();
      const turns = (async () => {
        while (!over.signal.aborted) {
          process.kill(pid, 'SIGSTOP');
          await delay(600);
          process.kill(pid, 'SIGCONT');
          await delay(200);
        }
      })();
      return Promise.resolve(() => {
        over.abort();
        return turns;
      });
    },
  },
];

let large = false;

function pidOf(service: RunningService, name: 'service' | 'nats' | 'clickhouse'): number {
  const pid = service.supervised.pids()?.[name];
  if (typeof pid !== 'number') throw new Error(`${name} has no process`);
  return pid;
}

function stopped(service: RunningService, name: 'service' | 'nats' | 'clickhouse'): Promise<() => void> {
  const pid = pidOf(service, name);
  process.kill(pid, 'SIGSTOP');
  return Promise.resolve(() => void process.kill(pid, 'SIGCONT'));
}

/** Seconds of traffic before the fault: more than the longest range that must be free of it. */
const BEFORE_SECONDS = 10;

/** @returns the alerts that fired during the scene, by name */
async function play({ settings = {}, seconds, begin }: Scene): Promise<string[]> {
  const service = await startService({
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    PARTITIONS: '2',
    LOG_LEVEL: 'warn',
    ...settings,
  });
  const scrapes: (string | undefined)[] = [];
  const over = new AbortController();
  const callers = Array.from({ length: 4 }, (_, place) => send(service, place, over.signal));
  const scrapeFor = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done++) {
      const due = delay(1_000);
      scrapes.push(await scrape(service.url));
      await due;
    }
  };
  try {
    await scrapeFor(BEFORE_SECONDS);
    const end = await begin(service);
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
async function send(service: RunningService, place: number, signal: AbortSignal): Promise<void> {
  const { server } = service.keys.live;
  const id = await service.player(server, `caller-${place}`);
  while (!signal.aborted) {
    const event = { player_id: id, event_name: 'level_up', properties: large ? { text: LARGE } : {} };
    const headers = { 'X-API-Key': server, 'Content-Type': 'application/json' };
    const timeout = AbortSignal.any([signal, AbortSignal.timeout(8_000)]);
    const request = { method: 'POST', headers, body: JSON.stringify(event), signal: timeout };
    await fetch(`${service.url}/v1/events/events`, request)
      .then((answer) => answer.arrayBuffer())
      .catch(nothing);
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
