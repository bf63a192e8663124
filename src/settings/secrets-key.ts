import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config, type SecretsConfig } from './config.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { createSecretBox, SECRET_KEY_BYTES, type SecretBox } from '../../core/kernel/secrets/secret-box.ts';

/** The path of the key file of a deployment on one machine. */
export function localKeyFile(dataDir: string): string {
  return join(dataDir, 'secrets-key');
}

/**
 * Creates `$DATA_DIR/secrets-key` (mode 0600) with a random key unless the file exists, and syncs it before any secret
 * is sealed. Without the key all webhook secrets are lost: back it up, separately from the data.
 * @returns its path
 */
export function ensureLocalKey(dataDir: string, ids: Ids): string {
  const path = localKeyFile(dataDir);
  if (existsSync(path)) return path;
  const half = `${path}.${randomUUID()}`;
  const file = openSync(half, 'wx', 0o600);
  writeSync(file, `${Buffer.from(ids.bytes(SECRET_KEY_BYTES)).toString('base64')}\n`);
  fsyncSync(file);
  closeSync(file);
  try {
    // Unlike a rename, a link never replaces the key of a process that was faster.
    linkSync(half, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  }
  rmSync(half);
  const folder = openSync(dataDir, 'r');
  fsyncSync(folder);
  closeSync(folder);
  return path;
}

/**
 * The box with the keys of the settings: SECRETS_KEY and SECRETS_KEY_PREVIOUS, or the lines of a file, of which the
 * first seals. `undefined`: no key is set.
 */
function openSecretBox({ key, previous, file }: SecretsConfig, ids: Ids): SecretBox | undefined {
  const texts = file === undefined ? (key === undefined ? [] : [key, ...previous]) : [...linesOf(file), ...previous];
  const name = file === undefined ? 'SECRETS_KEY' : `The key in ${file}`;
  const [first, ...others] = texts.map((text) => parseKey(text, name));
  return first === undefined ? undefined : createSecretBox([first, ...others], (sizeBytes) => ids.bytes(sizeBytes));
}

function linesOf(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `The key file ${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  const lines = text.split('\n').map((line) => line.trim());
  const keys = lines.filter((line) => line !== '');
  if (keys.length === 0) throw new ConfigError(`The key file ${file} contains no key. ${HOW_TO_MAKE}`);
  return keys;
}

const HOW_TO_MAKE = 'Create one with `openssl rand -base64 32`.';

function parseKey(text: string, name: string): Uint8Array {
  const isHex = text.length === 2 * SECRET_KEY_BYTES && /^[0-9a-fA-F]+$/.test(text);
  const isBase64 = text.length <= 44 && /^[\w+/-]+={0,2}$/.test(text);
  const key = isHex ? Buffer.from(text, 'hex') : Buffer.from(isBase64 ? text : '', 'base64');
  if (key.length !== SECRET_KEY_BYTES) {
    throw new ConfigError(`${name} must be 32 bytes in base64 or hex. ${HOW_TO_MAKE}`);
  }
  return key;
}

/**
 * The box of a service process. `undefined`: no key is set, and none can be created because other machines share the
 * broker. Secrets are then stored in plain text.
 */
export function serviceSecretBox(config: Config, dataDir: string, ids: Ids): SecretBox | undefined {
  const isLocal = config.natsUrl === undefined || config.natsUrl === '';
  return (
    openSecretBox(config.secrets, ids) ??
    (isLocal ? openSecretBox({ ...config.secrets, file: ensureLocalKey(dataDir, ids) }, ids) : undefined)
  );
}

/** Logged at each start without a key. */
export const NO_SECRETS_KEY =
  'Secrets of webhooks and player tokens are stored in plain text. Set SECRETS_KEY or SECRETS_KEY_FILE ' +
  `to the same key on all processes. ${HOW_TO_MAKE}`;

/** The box of the command line, which never creates a key. */
export function toolSecretBox(config: Config, ids: Ids): SecretBox | undefined {
  const isLocal = config.natsUrl === undefined || config.natsUrl === '';
  const file = localKeyFile(config.dataDir);
  return (
    openSecretBox(config.secrets, ids) ??
    (isLocal && existsSync(file) ? openSecretBox({ ...config.secrets, file }, ids) : undefined)
  );
}
