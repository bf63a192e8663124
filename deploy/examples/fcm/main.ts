import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createFcm, type ServiceAccount } from './fcm-client.ts';
import { createPlayers } from './players.ts';
import { createReceiver } from './receiver.ts';

/* Starts the receiver. Its settings are environment variables; the README lists them. */

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`${name} is required.`);
  return value;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);
const account: ServiceAccount = JSON.parse(readFileSync(setting('GOOGLE_APPLICATION_CREDENTIALS'), 'utf8'));
const receiver = createReceiver({
  secret: setting('WEBHOOK_SECRET'),
  players: createPlayers(setting('PLAYER_ANALYTICS_URL'), setting('PLAYER_ANALYTICS_KEY')),
  fcm: createFcm({ account, log }),
  log,
});
const port = Number(process.env['PORT'] ?? 8090);
createServer(receiver).listen(port, () => log(`Campaigns go to FCM's project ${account.project_id}; port ${port}.`));
