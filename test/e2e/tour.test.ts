import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { reservedPort } from '../support/reserved-port.ts';
import { startService, type RunningService } from '../support/running-service.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { until } from '../support/until.ts';

/* README's tour, typed as it stands there; only addresses and the data folder are this test's own. */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

let service: RunningService;
let shell: Shell;
let receiverPort: number;
beforeAll(async () => {
  receiverPort = await reservedPort();
  service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
  const { env } = service.supervised;
  // The machine's own Node may be older than the one that comes with the packages.
  shell = openShell({ cwd: ROOT, env: { ...env, PATH: `${dirname(process.execPath)}:${env['PATH']}` } });
});
afterAll(async () => {
  await shell.close();
  await service.stop();
});

/** The paragraphs of the fenced `sh` blocks of a section, in order. */
function paragraphs(section: string): string[] {
  const text = README.split(/^## /m).find((part) => part.startsWith(section)) ?? '';
  const { baseUrl, clickhouseUrl, dataDir } = service.supervised;
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)]
    .flatMap(([, block = '']) => block.trim().split('\n\n'))
    .map((paragraph) =>
      paragraph
        .replaceAll('http://127.0.0.1:8080', baseUrl)
        .replaceAll('http://127.0.0.1:8123', clickhouseUrl)
        .replaceAll('./.data/', `${dataDir}/`)
        .replaceAll('9000', String(receiverPort)),
    );
}

/** The first answer of the service in what was printed; the stream in the background may print right before or after it. */
function json(output: string): { success: boolean; data: Record<string, unknown> } {
  const from = output.indexOf('{"success"');
  let depth = 0;
  for (let at = from; at < output.length; at += 1) {
    if (output[at] === '{') depth += 1;
    if (output[at] === '}') depth -= 1;
    if (depth === 0) return JSON.parse(output.slice(from, at + 1));
  }
  throw new Error(`no answer in: ${output}`);
}

test('the five minutes with curl', async () => {
  const [setUp, register, listen, track, batch, patch, select, end, webhook, ...more] =
    paragraphs('Five minutes with curl');
  if (webhook === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  expect(await shell.type(setUp ?? '')).toBe('');

  const registered = await shell.type(register ?? '');
  expect(registered).toContain('HTTP/1.1 201 Created');
  const player = json(registered).data;
  expect(player).toMatchObject({
    external_id: 'player-1',
    email: 'ann@example.com',
    lifecycle_stage: 'new',
    attributes: { level: 3, country: 'SE' },
  });
  expect((await shell.type('echo "id is $ID"')).trim()).toBe(`id is ${String(player['id'])}`);

  await shell.type(listen ?? '');
  await until('the stream is connected', () => shell.printed().includes('data: {"type":"connected","game_id":"demo"}'));

  const tracked = json(await shell.type(track ?? ''));
  expect(tracked.data).toMatchObject({ player_id: player['id'], event_name: 'level_up' });
  await until('the event is on the stream', () =>
    shell.printed().includes(`data: {"type":"event","event_id":"${String(tracked.data['event_id'])}"`),
  );

  const batched = await shell.type(batch ?? '');
  expect(batched).toMatch(/"accepted":2,"duplicates":0,"rejected":0/);
  const again = await shell.type((batch ?? '').replace('curl -s ', 'curl -si '));
  expect(again).toContain('Idempotent-Replayed: true');

  const patched = await shell.type(patch ?? '');
  expect(patched).toContain('"attributes":{"level":4,"country":"SE","is_vip":true}');

  const selected = await until(
    'analysts see the events and the player',
    async () => {
      const output = await shell.type(select ?? '');
      return output.includes('coins_spent') && output.includes('player-1') ? output : undefined;
    },
    30_000,
  );
  expect(selected.match(/│ (level_up|match_end|coins_spent) +│/g)).toHaveLength(3);
  expect(selected).toContain(String(player['id']));

  await shell.type(end ?? '');
  await shell.type(webhook);
  // curl ends its output without a new line, so the receiver's may begin anywhere.
  const delivery = /(sha256=[0-9a-f]{64}) (\{.*"type":"event\.level_up".*)$/m;
  const delivered = await until('the receiver was called', () => delivery.exec(shell.printed()));
  const secret = /"secret":"(whsec_[^"]+)"/.exec(shell.printed())?.[1] ?? '';
  expect(delivered[1]).toBe(
    `sha256=${createHmac('sha256', secret)
      .update(delivered[2] ?? '')
      .digest('hex')}`,
  );
  expect(delivered[2]).toContain('"properties":{"level":5}');
});

test('segments and flags', async () => {
  const [segment, flag, before, after, override, ...more] = paragraphs('Segments and flags');
  if (override === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  await shell.type(segment ?? '');
  const id = (await shell.type('echo "$SEGMENT"')).trim();
  expect(id).toMatch(/^seg_[0-9a-f-]{36}$/);
  expect(json(await shell.type(flag ?? '')).data).toMatchObject({ key: 'new_shop', version: 1 });
  expect(json(await shell.type(before ?? '')).data).toMatchObject({
    value: null,
    variant_key: null,
    reason: 'default',
  });
  const [, evaluated = ''] = (await shell.type(after ?? '')).split(/(?=\{"success")/);
  expect(json(evaluated).data).toMatchObject({ reason: 'segment_match', segment_id: id });
  const [overridden = '', patched = ''] = (await shell.type(override)).split(/(?=\{"success")/);
  expect(json(overridden).data).toMatchObject({ value: 'new', variant_key: 'b' });
  expect(json(patched).data).toMatchObject({ enabled: false, version: 2 });
});

test("a game's session", async () => {
  const [init, enable, sync, end, ...more] = paragraphs("A game's session");
  if (end === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  const { data } = json(await shell.type(init ?? ''));
  expect(data).toMatchObject({
    player: { external_id: 'player-1', properties: { level: 4, country: 'SE', is_vip: true } },
    session_id: expect.stringMatching(/^ses_/),
    flags: { new_shop: { enabled: false } },
    segments: ['regulars'],
  });
  expect(json(await shell.type(enable ?? '')).data).toMatchObject({ enabled: true });
  expect(json(await shell.type(sync ?? '')).data).toEqual({
    events_accepted: 2,
    interventions: [],
    updated_flags: { new_shop: { enabled: true, variant: 'b' } },
    rejected: [],
  });
  const { session_summary: summary } = json(await shell.type(end)).data;
  expect(summary).toMatchObject({
    session_id: data['session_id'],
    total_events: 3,
    achievements_unlocked: ['first_win'],
  });
});

test('sessions and purchases', async () => {
  const [sessions, purchases, select, refuse, ...more] = paragraphs('Sessions and purchases');
  if (refuse === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  const [recorded = '', own = ''] = (await shell.type(sessions ?? '')).split(/(?=\{"success")/);
  expect(json(recorded).data).toMatchObject({ session_id: 'offline-1', session_count: 2 });
  expect(json(own).data).toMatchObject({ session_id: expect.stringMatching(/^ses_/), session_count: 2 });
  const bought = await shell.type((purchases ?? '').replaceAll('curl -s ', 'curl -si '));
  expect(bought.match(/"amount":9\.99,"total_revenue":9\.99,"purchase_count":1,"is_payer":true/g)).toHaveLength(2);
  expect(bought.match(/Idempotent-Replayed: true/g)).toHaveLength(1);

  const selected = await until(
    'analysts see both',
    async () => {
      const output = await shell.type(select ?? '');
      return output.includes('offline-1') && output.includes('tx-1') ? output : undefined;
    },
    30_000,
  );
  expect(selected).toMatch(/ended.*[^]*offline-1.*recorded.*1800/);
  expect(selected).toMatch(/9\.99.*EUR.*gems_100.*tx-1/);
  expect((await shell.type(refuse)).trim()).toBe('demo');
});

test('stages and churn risk', async () => {
  const [lifecycle, churn, thresholds, select, ...more] = paragraphs('Stages and churn risk');
  if (select === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  const { data } = json(await shell.type(lifecycle ?? ''));
  expect(data).toMatchObject({ lifecycle_stage: 'active', session_count: 2 });
  for (const name of ['lifecycle_changed_at', 'first_seen_at', 'last_seen_at']) {
    expect(data[name]).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  }
  expect(json(await shell.type(churn ?? '')).data).toMatchObject({ risk_score: 0, risk_level: 'low' });
  expect((await shell.type(thresholds ?? '')).trim()).toBe('demo');
  const rows = await until('analysts see the change', async () => {
    const output = await shell.type(select);
    return output.includes('active') ? output : undefined;
  });
  expect(rows).toMatch(/player-1.*new.*active/);
});

test('campaigns', async () => {
  const [create, sync, shown, select, ...more] = paragraphs('Campaigns');
  if (select === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  expect(json(await shell.type(create ?? '')).data).toMatchObject({ key: 'stuck', caps: { per_day: 1 }, version: 1 });
  expect(json(await shell.type(sync ?? '')).data['interventions']).toEqual([
    {
      intervention_id: expect.stringMatching(/^int_/),
      type: 'in_app_message',
      content: { title: 'Stuck?', body: 'Here is a hint.', cta: 'Show me' },
      display_rules: { priority: 'high', dismiss_after_seconds: 30 },
    },
  ]);
  expect(json(await shell.type(shown ?? '')).data).toMatchObject({ events_accepted: 2, interventions: [] });
  const rows = await until('analysts see what happened', async () => {
    const output = await shell.type(select);
    return output.includes('cap_per_day') ? output : undefined;
  });
  for (const word of ['triggered', 'offered', 'shown', 'suppressed', 'event:level_failed'])
    expect(rows).toContain(word);
});

test('scoring', async () => {
  const [keen, forced, select, drift, list, ...more] = paragraphs('Scoring');
  if (list === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  const { data } = json(await shell.type(keen ?? ''));
  expect(data).toMatchObject({ device_id: 'device-1', bucket: 'top_1pct' });
  expect(json(await shell.type(forced ?? '')).data).toMatchObject({ bucket: 'top_5pct' });
  const rows = await until('analysts see both', async () => {
    const output = await shell.type(select ?? '');
    return output.includes('device-1') && output.includes('SERVICE_TEST_TOP_5PCT') ? output : undefined;
  });
  expect(rows).toMatch(/device-1.*top_1pct.*live.*(?:0|false)/);
  expect(rows).toMatch(/SERVICE_TEST_TOP_5PCT.*top_5pct.*test.*(?:1|true)/);
  const measured = await shell.type(drift ?? '');
  // The test key's forced score is in no view: one device.
  for (const measure of ['score', 'vpay_count']) expect(measured).toMatch(new RegExp(`^.*${measure}.*\\b1\\b`, 'm'));
  expect(await shell.type(list)).toMatch(
    new RegExp(`^current +${String(data['model_version'])} +synthetic .* good`, 'm'),
  );
});

test('webhooks', async () => {
  const [create, sample, real, again, recover, rotate, ...more] = paragraphs('Webhooks');
  if (rotate === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);
  const received = (type: string): number => shell.printed().split(`"type":"${type}"`).length - 1;

  await shell.type(create ?? '');
  expect((await shell.type('echo "$HOOK"')).trim()).toMatch(/^wh_[0-9a-f-]{36}$/);
  expect(json(await shell.type(sample ?? '')).data).toMatchObject({
    kind: 'event.boss_beaten',
    delivered: true,
    status: 200,
  });
  const [tracked = '', list = '', select = ''] = (real ?? '').split(/^(?=curl -s "|npm run)/m);
  await shell.type(tracked);
  await until('the attempt is logged', async () => {
    const { deliveries } = json(await shell.type(list)).data;
    return JSON.stringify(deliveries).includes('"outcome":"delivered"');
  });
  expect(await shell.type(select)).toMatch(/event\.boss_beaten.*1.*delivered.*200/);
  const before = received('event.boss_beaten');
  expect(json(await shell.type(again ?? '')).data).toMatchObject({ queued: true });
  await until('it came again', () => received('event.boss_beaten') === before + 1);
  expect(json(await shell.type(recover ?? '')).data).toMatchObject({ since: '2026-01-01T00:00:00.000Z' });
  await until('it came by the recovery', () => received('event.boss_beaten') === before + 2);
  expect(json(await shell.type(rotate)).data).toMatchObject({ version: 2, secret: expect.stringMatching(/^whsec_/) });
});

test('the commands about keys', async () => {
  const [keys = ''] = paragraphs('Keys');
  const output = await shell.type(keys);
  expect(output).toMatch(/^pk_live_\w{32}$/m);
  expect(output).toMatch(/growth/);
  expect(output).toContain('Usage: cli keys revoke');
});

test('openapi.json holds the whole interface; the probes need no key', async () => {
  const document: { openapi: string; paths: Record<string, Record<string, unknown>> } = JSON.parse(
    await (await fetch(`${service.url}/openapi.json`)).text(),
  );
  const validator = new Validator();
  expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 }).map(
    ({ method, path }) => `${method} ${path}`,
  );
  expect(documented.toSorted()).toEqual(all.toSorted());
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(service.url + path)).status).toBe(200);
});

test('event schemas', async () => {
  const [define, track, list, replay, ...more] = paragraphs('Event schemas');
  if (replay === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  expect(json(await shell.type(define ?? '')).data).toMatchObject({ event_name: 'level_completed', version: 1 });
  expect(json(await shell.type(track ?? '')).data).toMatchObject({
    event_id: 'from-an-old-build',
    status: 'quarantined',
    warnings: [{ path: '/level', message: 'must be integer' }],
  });
  await until('it is listed', async () =>
    JSON.stringify(json(await shell.type(list ?? '')).data['events']).includes('from-an-old-build'),
  );
  const [changed = '', replayed = ''] = (await shell.type(replay)).split(/(?=\{"success")/);
  expect(json(changed).data).toMatchObject({ version: 2 });
  expect(json(replayed).data).toMatchObject({ replayed: 1, failed: 0, already_replayed: 0, next_cursor: null });
});

test('export and erase a player', async () => {
  const [made, exported, erased, receipt, ...more] = paragraphs('Export and erase a player');
  if (receipt === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  await shell.type(made ?? '');
  const rows = await until('the event is exported', async () => {
    const { data } = json(await shell.type(exported ?? ''));
    expect(data).toMatchObject({ player: { external_id: 'player-2', email: 'bo@example.com' } });
    return JSON.stringify(data['rows']).includes('goodbye') ? data['rows'] : undefined;
  });
  expect(rows).toMatchObject({ events: [{ event_name: 'goodbye' }] });
  expect(json(await shell.type(erased ?? '')).data).toMatchObject({ status: 'pending', rows_deleted: null });
  const done = await until('the erasure is done', async () => {
    const { data } = json(await shell.type(receipt));
    return data['status'] === 'done' ? data : undefined;
  });
  expect(Number(done['rows_deleted'])).toBeGreaterThan(0);
});

test('querying events', async () => {
  const [first, second, ...more] = paragraphs('Querying events');
  if (second === undefined) throw new Error('README has fewer paragraphs than this test knows');
  expect(more).toEqual([]);

  const ids = (output: string) => {
    const { events }: { events: { event_id: string }[] } = JSON.parse(JSON.stringify(json(output).data));
    return events.map((found) => found.event_id);
  };
  const newest = await until('a page of events is there', async () => {
    const output = await shell.type(first ?? '');
    return json(output).data['next_cursor'] === null ? undefined : ids(output);
  });
  const older = ids(await shell.type(second));
  expect(newest).toHaveLength(2);
  expect(older.length).toBeGreaterThan(0);
  expect(newest.filter((id) => older.includes(id))).toEqual([]);
});
