import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/*
 * Builds the console into `dist/<hash of its sources>` and names that folder in `dist/current.json`, which the gateway
 * reads. Without a change of the sources it does nothing. Several builds may run at the same time.
 */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');
/** Pages of the documentation that the console contains. */
const PAGES = ['../docs/operations.md'].map((page) => fileURLToPath(new URL(page, import.meta.url)));
const LOCK = fileURLToPath(new URL('../package-lock.json', import.meta.url));
/** Vite takes how to compile from these. */
const COMPILER = ['tsconfig.json', '../tsconfig.json'].map((file) => join(HERE, file));
/** The console, and the API reference. */
const ENTRIES = ['index.html', 'reference.html'];
/** Files that browsers load compressed. */
const COMPRESSED: ReadonlySet<string> = new Set(['.js', '.css', '.svg']);

const name = hashOfSources();
if (currentBuild() === name && ENTRIES.every((page) => existsSync(join(DIST, name, page)))) {
  process.stdout.write(`the console is built (${name})\n`);
} else {
  await build();
  process.stdout.write(`built the console (${name})\n`);
}

async function build(): Promise<void> {
  // Vite takes half a second to load, which a start without a change saves.
  const { build: bundle } = await import('vite');
  const out = join(DIST, `building-${process.pid}`);
  mkdirSync(out, { recursive: true });
  try {
    await bundle({
      root: HERE,
      base: '/console/',
      configFile: false,
      logLevel: 'error',
      publicDir: join(HERE, 'public'),
      // Whatever NODE_ENV says: JSX for developers is larger and names files of this machine.
      oxc: { jsx: { runtime: 'automatic', development: false } },
      build: {
        outDir: out,
        rolldownOptions: { input: ENTRIES.map((page) => join(HERE, page)) },
        emptyOutDir: true,
        target: 'es2023',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 1_000,
      },
    });
    for (const file of filesBelow(out)) compress(file);
    const place = join(DIST, name);
    // A build without a page was interrupted by a full disk.
    if (existsSync(place)) rmSync(place, { recursive: true });
    renameSync(out, place);
    writeWhole(join(DIST, 'current.json'), JSON.stringify({ build: name }));
    removeOthers();
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** The first characters of a hash of all that the build depends on. */
function hashOfSources(): string {
  const hash = createHash('sha256');
  const own = ['build.ts', ...ENTRIES, 'package.json', ...below('src'), ...below('public')].map((file) =>
    join(HERE, file),
  );
  for (const path of [...own, ...PAGES, ...COMPILER, LOCK]) {
    if (!existsSync(path)) continue;
    const content = readFileSync(path);
    hash.update(`${path.slice(HERE.length)} ${content.length}\n`).update(content);
  }
  return hash.digest('hex').slice(0, 16);
}

function below(folder: string): string[] {
  return filesBelow(join(HERE, folder))
    .map((path) => path.slice(HERE.length))
    .toSorted();
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function compress(file: string): void {
  if (!COMPRESSED.has(extname(file))) return;
  const plain = readFileSync(file);
  const small = brotliCompressSync(plain, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 10, [constants.BROTLI_PARAM_SIZE_HINT]: plain.length },
  });
  if (small.length < plain.length) writeFileSync(`${file}.br`, small);
}

function currentBuild(): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(join(DIST, 'current.json'), 'utf8'));
    const build = typeof value === 'object' && value !== null && 'build' in value ? value.build : undefined;
    return typeof build === 'string' ? build : undefined;
  } catch {
    return undefined;
  }
}

function writeWhole(path: string, text: string): void {
  const half = `${path}.${process.pid}`;
  writeFileSync(half, text);
  renameSync(half, path);
}

/** Removes earlier builds, but none that another process is writing. */
function removeOthers(): void {
  for (const entry of readdirSync(DIST)) {
    if (/^[0-9a-f]{16}$/.test(entry) && entry !== name) rmSync(join(DIST, entry), { recursive: true, force: true });
  }
}
