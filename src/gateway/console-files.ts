import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Answer, TextAnswer } from '../api/route/answer.ts';
import { etagOf, type Negotiation, staticAnswer, type StaticContent } from '../api/route/static-answer.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { failure } from '../../core/kernel/errors.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import type { Logger } from '../../core/kernel/logger.ts';

/*
 * The files of the console, as `console/build.ts` wrote them: `current.json` names a build, and the folder of that name
 * holds its files, compressed ones beside them (`.br`). They are held in memory.
 *
 * Invariants
 * 1. Files below `assets/` have their hash in the name and never change. The page itself is never cached.
 * 2. Scripts run from files of this origin only; styles from these files, or with the nonce of the response.
 */

export const CONSOLE_PATH = '/console';
/** The API reference: a page of its own with files of the same build. It needs no session. */
export const REFERENCE_PATH = '/docs';

export interface ConsoleFiles {
  /** @param path the URL's path, from `/console` or `/docs` on */
  answer(path: string, negotiation: Negotiation): Answer;
}

interface Build {
  name: string;
  page: string;
  referencePage: string;
  files: ReadonlyMap<string, StaticContent>;
}

export interface ConsoleFilesOptions {
  /** The folder of builds, which may appear later; default: that of `console/build.ts`. */
  folder?: string;
  clock: Pick<Clock, 'monotonicMs'>;
  ids: Pick<Ids, 'bytes'>;
  logger: Pick<Logger, 'error' | 'info'>;
}

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};
const BUILDS = fileURLToPath(new URL('../../console/dist', import.meta.url));
/** In the page, where the nonce of a response belongs. */
const NONCE = '__NONCE__';
const NONCE_BYTES = 16;

/** Opens the files. It looks for a build now, and again with requests, while one may appear. */
export function openConsoleFiles({ folder = BUILDS, clock, ids, logger }: ConsoleFilesOptions): ConsoleFiles {
  let build: Build | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;

  function look(): void {
    const nowMs = clock.monotonicMs();
    if (nowMs - lookedAtMs < GATEWAY_LIMITS.consoleLookMs) return;
    lookedAtMs = nowMs;
    void load(folder, build).then(
      (found) => {
        if (found === undefined || found === build) return;
        build = found;
        logger.info({ build: found.name, files: found.files.size }, 'serving the console');
      },
      (error: unknown) => logger.error({ err: error, folder }, 'the files of the console cannot be read'),
    );
  }
  look();

  return {
    answer(path, negotiation) {
      look();
      if (build === undefined) return BUILDING;
      const isReference = !path.startsWith(CONSOLE_PATH);
      const name = isReference ? '' : path.slice(CONSOLE_PATH.length + 1);
      const file = build.files.get(name);
      if (file !== undefined) return staticAnswer(file, negotiation, headersOf(name));
      if (name.startsWith('assets/')) return failure('NOT_FOUND');
      const nonce = Buffer.from(ids.bytes(NONCE_BYTES)).toString('base64');
      const text = isReference ? build.referencePage : build.page;
      return page(200, text.replace(NONCE, nonce), nonce);
    },
  };
}

function headersOf(name: string): Readonly<Record<string, string>> {
  const isVersioned = name.startsWith('assets/');
  return { ...SECURITY, 'Cache-Control': isVersioned ? 'public, max-age=31536000, immutable' : 'no-cache' };
}

function page(status: number, body: string, nonce: string): TextAnswer {
  return {
    kind: 'text',
    status,
    contentType: 'text/html; charset=utf-8',
    body,
    headers: { ...SECURITY, 'Content-Security-Policy': policy(nonce) },
  };
}

/** Mantine and CodeMirror write style elements, which carry the nonce; scripts come from files only. */
function policy(nonce: string): string {
  return (
    `default-src 'self'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
  );
}

const SECURITY = {
  'Referrer-Policy': 'no-referrer',
  'X-Frame-Options': 'DENY',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

const BUILDING = page(
  503,
  '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="2">' +
    '<title>Console</title></head><body><h1>The console is being built</h1><p>This takes some seconds after the first ' +
    '<code>npm start</code>, and this page reloads itself. A service that was started in another way needs ' +
    '<code>npm run build -w console</code> once.</p></body></html>',
  'none',
);

/** The current build; undefined if there is none. Returns `held` if it is still the current one. */
async function load(folder: string, held: Build | undefined): Promise<Build | undefined> {
  const name = await currentBuild(folder);
  if (name === undefined) return undefined;
  if (name === held?.name) return held;
  const root = join(folder, name);
  const paths = (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const contents = new Map<string, Buffer>();
  let bytes = 0;
  for (const path of paths) {
    const content = await readFile(path);
    bytes += content.length;
    if (bytes > GATEWAY_LIMITS.consoleBytes)
      throw new Error(`${root} holds more than ${GATEWAY_LIMITS.consoleBytes} bytes`);
    contents.set(path.slice(root.length + 1), content);
  }
  const files = new Map<string, StaticContent>();
  for (const [path, plain] of contents) {
    const type = TYPES[extname(path)];
    if (type === undefined) continue;
    files.set(path, {
      type,
      plain,
      brotli: contents.get(`${path}.br`),
      etag: etagOf(plain),
    });
  }
  const textOf = (file: string): string => contents.get(file)?.toString('utf8') ?? '';
  return { name, page: textOf('index.html'), referencePage: textOf('reference.html'), files };
}

async function currentBuild(folder: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'current.json'), 'utf8');
  } catch {
    return undefined;
  }
  const value: unknown = JSON.parse(text);
  const name = typeof value === 'object' && value !== null && 'build' in value ? value.build : undefined;
  return typeof name === 'string' ? name : undefined;
}
