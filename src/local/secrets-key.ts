import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError, type Config, type SecretsConfig } from '../config.ts';
import type { Ids } from '../kernel/ids.ts';
import { createSecretBox, SECRET_KEY_BYTES, type SecretBox } from '../kernel/secret-box.ts';

/** The key file of a deployment on one machine, below DATA_DIR. */
export function localKeyFile(dataDir: string): string {
  return join(dataDir, 'secrets-key');
}

/**
 * Makes `$DATA_DIR/secrets-key` (mode 0600) with a random key when there is none; the file is on the disk before anything
 * is sealed with it. Without it the secrets of all webhooks are lost: it belongs into backups, apart from the data.
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
    // Unlike a rename, this never replaces the key of somebody who was faster.
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
 * The box with the keys that the settings name: SECRETS_KEY and SECRETS_KEY_PREVIOUS, or the lines of a file, where the
 * first seals. `undefined`: they name none.
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
  if (keys.length === 0) throw new ConfigError(`The key file ${file} holds no key. ${HOW_TO_MAKE}`);
  return keys;
}

const HOW_TO_MAKE = '`openssl rand -base64 32` makes one.';

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
 * The box of a process of the service. `undefined`: the settings name no key, and other machines share the broker, so none can be made
 * here. Secrets are then stored in the clear.
 */
export function serviceSecretBox(config: Config, dataDir: string, ids: Ids): SecretBox | undefined {
  const isLocal = config.natsUrl === undefined || config.natsUrl === '';
  return (
    openSecretBox(config.secrets, ids) ??
    (isLocal ? openSecretBox({ ...config.secrets, file: ensureLocalKey(dataDir, ids) }, ids) : undefined)
  );
}

/** Logged at each start without a key. */
export const NO_SECRETS_KEY = `Secrets of webhooks and player tokens are stored in the clear. Set SECRETS_KEY or SECRETS_KEY_FILE, the same on all processes. ${HOW_TO_MAKE}`;

/** The box of an operator's tool, which makes no key. */
export function toolSecretBox(config: Config, ids: Ids): SecretBox | undefined {
  const isLocal = config.natsUrl === undefined || config.natsUrl === '';
  const file = localKeyFile(config.dataDir);
  return (
    openSecretBox(config.secrets, ids) ??
    (isLocal && existsSync(file) ? openSecretBox({ ...config.secrets, file }, ids) : undefined)
  );
}
