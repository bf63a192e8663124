import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addressesOf } from '../../../src/cli/audit/read/addresses.ts';
import { audit } from '../../../src/cli/audit/audit.ts';
import { type RunningService, startService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* Purchases in other currencies through the whole service: over HTTP and from a file, in rows and in an audit. */

const folder = mkdtempSync(join(tmpdir(), 'exchange-rates-'));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
// A rate of yesterday serves today too, if midnight passes during the test.
const YESTERDAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);

let service: RunningService;
let player: string;
beforeAll(async () => {
  service = await startService();
  player = await service.player(service.keys.live.server, 'tourist');
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

test('purchases of a request and of a file count by the rate of their day; one without a rate is refused', async () => {
  await service.cli('games', 'set', 'demo', '--currency', 'EUR', '--time-zone', 'Asia/Tokyo');
  const rates = `day,currency,rate\n2025-03-01,JPY,0.00631\n2025-03-02,JPY,0.00633\n${YESTERDAY},JPY,0.00617\n`;
  expect(await service.cli('games', 'rates', 'demo', '--file', file('rates.csv', rates))).toContain('Rates to EUR');

  const { server } = service.keys.live;
  const path = `/v1/players/players/${player}`;
  await until('the gateway has the rates', async () => {
    const { status } = await service.call(server, 'GET', '/v1/settings/exchange-rates');
    return status === 200;
  });
  const bought = await service.call(server, 'POST', `${path}/purchase?amount=1500&currency=JPY&transaction_id=a`);
  expect(bought.body.data).toMatchObject({ amount: 9.255, paid: { amount: 1500, currency: 'JPY' } });
  await service.call(server, 'POST', `${path}/refund?transaction_id=a&amount=500&refund_id=r`);
  const refused = await service.call(server, 'POST', `${path}/purchase?amount=9.99&currency=USD&transaction_id=b`);
  expect([refused.status, refused.body.error?.code]).toEqual([409, 'CONFLICT']);

  // 15:30 in UTC is the next day in Tokyo.
  const lines = [
    'external_id,amount,timestamp,currency,transaction_id',
    'tourist,1000,2025-03-01T12:00:00Z,JPY,c',
    'tourist,1000,2025-03-01T15:30:00Z,JPY,d',
    'tourist,1000,2025-03-20T12:00:00Z,JPY,e',
    'tourist,-400,2025-03-02T12:00:00Z,JPY,c',
  ];
  const sent = file('purchases.csv', `${lines.join('\n')}\n`);
  // Exit code 2: a line was rejected.
  await expect(service.cli('import', 'purchases', sent, '--game', 'demo')).rejects.toMatchObject({ code: 2 });
  const imports = join(service.supervised.dataDir, 'imports');
  const [rejected = ''] = readdirSync(imports).filter((name) => name.endsWith('.rejected.ndjson'));
  expect(readFileSync(join(imports, rejected), 'utf8')).toContain('no exchange rate of JPY for 2025-03-20');

  const { body } = await service.call(server, 'GET', path);
  expect(body.data['total_revenue']).toBe(16.286);
  const rows = () =>
    service.sql<object>(`SELECT transaction_id, toFloat64(amount) AS amount, toFloat64(paid_amount) AS paid, kind
      FROM purchases WHERE external_id = 'tourist' ORDER BY transaction_id, kind`);
  await until('the rows are there', async () => (await rows()).length === 5);
  expect(await rows()).toEqual([
    { transaction_id: 'a', amount: 9.255, paid: 1500, kind: 'purchase' },
    { transaction_id: 'a', amount: -3.085, paid: -500, kind: 'refund' },
    { transaction_id: 'c', amount: 6.31, paid: 1000, kind: 'purchase' },
    { transaction_id: 'c', amount: -2.524, paid: -400, kind: 'refund' },
    { transaction_id: 'd', amount: 6.33, paid: 1000, kind: 'purchase' },
  ]);
});

test('an audit compares what was paid', async () => {
  const addresses = addressesOf(service.supervised.env);
  const { differences, compared } = await audit({ addresses, waitMs: 60_000, note: () => {} });
  expect(differences.lines()).toEqual([]);
  expect(compared.get('purchases')).toBeGreaterThanOrEqual(5);
});
