import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { buildServer } from '../scripts/build-server.ts';

/* The entry for game servers as others get it: built, with types, outside of the project. */

const scratch = mkdtempSync(join(tmpdir(), 'player-analytics-sdk-server-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the excerpts of the pages take for granted. */
const BEFORE_EXCERPTS = `
import { createServer, ServiceError, verifyWebhook, WebhookError } from './dist/server/sdk/typescript/server/server.js';
declare const baseUrl: string;
declare const key: string;
declare const secrets: string[];
declare const playerId: string;
declare const segmentId: string;
declare const rows: AsyncIterable<{ external_id: string }>;
declare const request: { headers: Headers; text(): Promise<string> };
declare const bootstrap: undefined;
declare const server: ReturnType<typeof createServer>;
`;

/** The excerpts of a page that use the server's client. */
function excerptsOf(page: string): string[] {
  const text = readFileSync(new URL(page, import.meta.url), 'utf8');
  return [...text.matchAll(/```ts\n([^`]*)```/g)].flatMap(([, code = '']) =>
    /\bserver\b|verifyWebhook/.test(code) ? [code] : [],
  );
}

it('is one module that needs nothing but Node, and compiles as another project would use it', async () => {
  await buildServer(join(scratch, 'dist'));
  const file = join(scratch, 'dist/server/server.js');
  const code = readFileSync(file, 'utf8');
  const imported = [...code.matchAll(/^import .*? from "([^"]+)"/gm)].map(([, name]) => name);
  expect(imported.length).toBeGreaterThan(0);
  for (const name of imported) expect(name).toMatch(/^node:/);
  expect(code).not.toMatch(/\brequire\(|process\.env/);
  expect(readFileSync(join(scratch, 'dist/server/LICENSES.md'), 'utf8')).toContain('re2js');

  const rule = { value: true, percentage: 100, priority: 1, start_at: null, end_at: null };
  const flag = { key: 'shop', version: 1, flag_type: 'boolean', enabled: true, salt: 's', default_value: false };
  const conditions = { 'attributes.name': { $regex: '^z' } };
  const bootstrap = {
    format: 1,
    revision: 1,
    flags: [{ ...flag, variants: [], prerequisites: [], targeting_rules: [{ ...rule, segment_id: 'seg_a' }] }],
    segments: [{ segment_id: 'seg_a', key: 'a', version: 1, conditions }],
  };
  writeFileSync(
    join(scratch, 'run.mjs'),
    `import { createServer } from ${JSON.stringify(pathToFileURL(file).href)};
     const server = createServer({ baseUrl: 'http://127.0.0.1:9', key: 'sk_test_1', flags: false,
       bootstrap: ${JSON.stringify(bootstrap)} });
     const id = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
     const seen = ['zoe', 'adam'].map((name) => server.flag('shop', false, { id, attributes: { name } }, { exposes: false }));
     await server.shutdown();
     process.stdout.write(JSON.stringify(seen));`,
  );
  expect(execFileSync(process.execPath, [join(scratch, 'run.mjs')], { encoding: 'utf8' })).toBe('[true,false]');

  const excerpts = [...excerptsOf('../README.md'), ...excerptsOf('../../../docs/sdk-server.md')];
  expect(excerpts.length).toBeGreaterThan(3);
  const files = excerpts.map((excerpt, index) => {
    const path = join(scratch, `excerpt-${index}.mts`);
    const own = excerpt.includes('import ') ? '' : BEFORE_EXCERPTS;
    const from = './dist/server/sdk/typescript/server/server.js';
    writeFileSync(path, `${own}${excerpt.replaceAll('@player-analytics/sdk/server', from)}\nexport {};`);
    return path;
  });
  const compiler = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));
  const options = '--ignoreConfig --noEmit --strict --target es2022 --module nodenext --lib es2022,dom,dom.iterable';
  execFileSync(
    process.execPath,
    [compiler, ...options.split(' '), '--skipLibCheck', 'false', '--types', '', ...files],
    {
      encoding: 'utf8',
    },
  );
});
