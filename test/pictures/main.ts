import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NO_BROWSER } from '../support/browser/browser.ts';
import { openConsole } from '../support/browser/console-browser.ts';
import { startService } from '../support/servers/running-service.ts';
import { startWebhookReceiver } from '../support/wire/webhook-receiver.ts';
import { makeGame } from './made-game.ts';
import { withPalette } from './palette.ts';
import { takePictures } from './screens.ts';

/*
 * `npm run pictures` makes the pictures of docs/console.md anew, from a made game; it takes two minutes. Look at each
 * before you commit it. `--dark` and `--phone` show the screens that way; send these to another folder with `--to`.
 */

const { values } = parseArgs({
  options: {
    to: { type: 'string', default: fileURLToPath(new URL('../../docs/console', import.meta.url)) },
    dark: { type: 'boolean', default: false },
    phone: { type: 'boolean', default: false },
    /** A part of the names of the pictures to make. */
    only: { type: 'string', default: '' },
  },
});

mkdirSync(values.to, { recursive: true });
const receiver = await startWebhookReceiver((_, response) => void response.writeHead(503).end('maintenance'));
const service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
const browser = await openConsole(service);
try {
  if (browser === undefined) throw new Error(NO_BROWSER);
  const game = await makeGame(service, receiver.url);
  await takePictures({ service, browser, game, look: values }, (name, png) => {
    writeFileSync(join(values.to, `${name}.png`), withPalette(png));
    process.stdout.write(`${name}\n`);
  });
} finally {
  await browser?.close();
  await service.stop();
  await receiver.stop();
}
