import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { servePages, type PageServer } from './browser.ts';

/** Serves the sample page of the client SDK, with the SDK built for browsers. */
export async function serveGamePage(): Promise<PageServer> {
  const root = fileURLToPath(new URL('../../../sdk/typescript/', import.meta.url));
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root,
    build: {
      write: false,
      rolldownOptions: { input: `${root}src/game.ts`, preserveEntrySignatures: 'strict' },
    },
  });
  if (!('output' in built)) throw new Error('more than one bundle was built');
  return servePages({
    '/examples/page.html': readFileSync(`${root}examples/page.html`),
    '/dist/game.js': built.output[0].code,
  });
}
