import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { LIMITS } from '../kernel/limits.ts';

const run = promisify(execFile);

const VERSION = '2.15.1';
const RELEASE = `https://github.com/nats-io/nats-server/releases/download/v${VERSION}`;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };
const TIMEOUT_MS = 120_000;

/** Gets the bytes behind an address, at most `maxBytes`; throws when it cannot. */
export type Download = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Fetches the official release archive of this platform and checks it against the release's own list of SHA-256 sums
 * before anything of it is unpacked.
 */
export async function fetchNatsFromRelease(folder: string, download: Download = overHttps): Promise<string> {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new Error(`no release is known for ${process.arch}`);
  const name = `nats-server-v${VERSION}-${process.platform}-${architecture}`;
  const archive = `${name}.tar.gz`;

  const sums = Buffer.from(await download(`${RELEASE}/SHA256SUMS`, LIMITS.checksumListBytes)).toString('utf8');
  const expected = checksumOf(sums, archive);
  if (expected === undefined) throw new Error(`the release lists no ${archive}`);
  const bytes = await download(`${RELEASE}/${archive}`, LIMITS.natsArchiveBytes);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== expected) throw new Error(`${archive} has checksum ${actual}, the release lists ${expected}`);

  const file = join(folder, archive);
  await writeFile(file, bytes);
  await run('tar', ['-xzf', file, '-C', folder], { timeout: TIMEOUT_MS });
  return join(folder, name, 'nats-server');
}

/** Finds `<64 hex digits>  <name>` in a list of checksums. */
function checksumOf(sums: string, name: string): string | undefined {
  for (const line of sums.split('\n')) {
    const [sum, file] = line.trim().split(/\s+\*?/);
    if (file === name && sum !== undefined && /^[0-9a-f]{64}$/.test(sum)) return sum;
  }
  return undefined;
}

async function overHttps(url: string, maxBytes: number): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok || response.body === null) throw new Error(`${url} answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Error(`${url} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
