import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { BROKER_LIMITS } from './limits.ts';

const run = promisify(execFile);

/** The release, and the SHA-256 of its archives as in the official container images. */
const VERSION = '2.14.5';
const ARCHIVES: Readonly<Record<string, { platform: string; sha256: string }>> = {
  'linux-x64': {
    platform: 'linux-amd64',
    sha256: '5e3b603d47c447bda1f77f9ac16dbf91c90aac4ff3681f8fbbc7201e4ed99355',
  },
  'linux-arm64': {
    platform: 'linux-arm64',
    sha256: '673a98d3faa79dde3f9ebf16d6dfac36a5f694e7ad2015e4954dd7939c85cd4c',
  },
};
const RELEASE = `https://github.com/nats-io/nats-server/releases/download/v${VERSION}`;
const TIMEOUT_MS = 120_000;

/** Downloads a URL of at most `maxBytes`; throws if that fails. */
export type Download = (url: string, maxBytes: number) => Promise<Uint8Array>;

/**
 * Downloads the official release archive of this platform and unpacks it only if it has the pinned hash. A list of
 * hashes next to the archive would not help: whoever replaces the archive can replace the list.
 */
export async function fetchNatsFromRelease(folder: string, download: Download = overHttps): Promise<string> {
  const pinned = ARCHIVES[`${process.platform}-${process.arch}`];
  if (pinned === undefined) throw new Error(`no release for ${process.platform}-${process.arch} is known`);
  const name = `nats-server-v${VERSION}-${pinned.platform}`;
  const archive = `${name}.tar.gz`;
  const bytes = await download(`${RELEASE}/${archive}`, BROKER_LIMITS.natsArchiveBytes);
  const actual = createHash('sha256').update(bytes).digest('hex');
  if (actual !== pinned.sha256) throw new Error(`${archive} has the SHA-256 ${actual}; ${pinned.sha256} is expected`);

  const file = join(folder, archive);
  await writeFile(file, bytes);
  await run('tar', ['-xzf', file, '-C', folder], { timeout: TIMEOUT_MS });
  return join(folder, name, 'nats-server');
}

async function overHttps(url: string, maxBytes: number): Promise<Uint8Array> {
  const response = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (!response.ok || response.body === null) throw new Error(`${url} returned ${response.status}`);
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body) {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new Error(`${url} is larger than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
