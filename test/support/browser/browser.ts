import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium, type Browser } from 'playwright-core';

/** Where Debian and others install a browser of the Chromium family. */
const PLACES = [
  process.env['CHROMIUM'] ?? '',
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
];

/** The path of an installed browser; undefined if there is none. */
export function findBrowser(): string | undefined {
  return PLACES.find((path) => path !== '' && existsSync(path));
}

export const NO_BROWSER = 'no browser: install Debian’s chromium-headless-shell, or set CHROMIUM to the path of one';

export function launchBrowser(executablePath: string): Promise<Browser> {
  // Containers have no user namespaces, and often a small /dev/shm.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}

/** A server of pages and scripts on an origin of its own. */
export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param files contents by path; their type follows from the ending of the path */
export async function servePages(files: Readonly<Record<string, string | Buffer>>): Promise<PageServer> {
  const server = createServer(({ url = '/' }, response) => {
    const path = url.split('?')[0] ?? '/';
    const content = files[path];
    if (content === undefined) response.writeHead(404).end();
    else
      response.writeHead(200, { 'Content-Type': path.endsWith('js') ? 'text/javascript' : 'text/html' }).end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
