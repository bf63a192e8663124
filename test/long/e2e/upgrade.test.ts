import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { caller, readAll, readTables, withoutTimes } from '../../fixtures/upgrade/fill.ts';
import {
  freshEnvironment,
  launch,
  stopAndRemove,
  untilReady,
  type Supervised,
} from '../../support/servers/supervised.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver } from '../../support/wire/webhook-receiver.ts';

const FOLDER = fileURLToPath(new URL('../../fixtures/upgrade', import.meta.url));
const VERSIONS = readdirSync(FOLDER).flatMap((name) =>
  name.endsWith('.tar.gz') ? [name.slice(0, -'.tar.gz'.length)] : [],
);

/** Starts the current code on the folder that an older version wrote. */
async function startOn(version: string, change: (dataDir: string) => void): Promise<Supervised> {
  const env: Record<string, string | undefined> = {
    ...(await freshEnvironment()),
    WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
  };
  const dataDir = env['DATA_DIR'] ?? '';
  execFileSync('tar', ['-xzf', join(FOLDER, `${version}.tar.gz`), '-C', dataDir]);
  change(dataDir);
  const service = launch({ env });
  await untilReady(service).catch(async (error: unknown) => {
    await stopAndRemove(service);
    throw error;
  });
  return service;
}

function eventsIn(page: unknown): { event_id: string; received_at: string }[] {
  const { events }: { events: { event_id: string; received_at: string }[] } = JSON.parse(JSON.stringify(page));
  return events;
}

describe.each(VERSIONS)('a data folder of %s', (version) => {
  const expected: Record<string, unknown> & { tables: unknown } = JSON.parse(
    readFileSync(join(FOLDER, `${version}.json`), 'utf8'),
  );

  test.each([
    ['as it was left', () => {}],
    [
      'without its local store, so that players come from snapshots and the log',
      (dataDir: string) => rmSync(join(dataDir, 'players'), { recursive: true }),
    ],
  ])('starts on this version with all its data: %s', async (_, change) => {
    const service = await startOn(version, change);
    const receiver = await startWebhookReceiver();
    try {
      const call = caller(service.baseUrl, service.dataDir);
      const { tables, ...answers } = expected;
      expect(await readTables(service.clickhouseUrl)).toEqual(tables);
      // Answers may have gained fields since, and lose none.
      expect({ answers: withoutTimes(await readAll(call)) }).toMatchObject({ answers: withoutTimes(answers) });

      // It also continues to work: a new event is counted, stored and delivered.
      const list: { webhooks: { webhook_id: string }[] } = JSON.parse(
        JSON.stringify(await call('server', 'GET', '/v1/integrations/webhooks')),
      );
      await call('server', 'PATCH', `/v1/integrations/webhooks/${list.webhooks[0]!.webhook_id}`, { url: receiver.url });
      const { id } = await call('server', 'POST', '/v1/players/players', { external_id: 'player-3' });
      await call('client', 'POST', '/v1/events/events', {
        player_id: id,
        event_name: 'boss_beaten',
        event_id: 'after the upgrade',
        properties: { mark: 'after the upgrade' },
      });
      await until('the event is delivered', async () => receiver.requests.length > 0);
      expect(receiver.requests[0]?.body).toContain('after the upgrade');
      await until('the event is stored', async () => {
        const page = await call('server', 'GET', '/v1/events/events?event_name=boss_beaten&limit=1');
        return eventsIn(page)[0]?.event_id === 'after the upgrade';
      });
      // An event id that the older version recorded is still a duplicate.
      const again = { player_id: id, event_name: 'boss_beaten', event_id: '3-boss_beaten', properties: { n: 3 } };
      const { received_at: receivedAt } = eventsIn(answers['/v1/events/events?limit=500']).find(
        ({ event_id: eventId }) => eventId === again.event_id,
      )!;
      expect(await call('client', 'POST', '/v1/events/events', again)).toMatchObject({ received_at: receivedAt });
    } finally {
      await receiver.stop();
      await stopAndRemove(service);
    }
  });
});
