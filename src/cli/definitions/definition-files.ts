import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { CliError } from '../cli-error.ts';
import { textOf } from './references.ts';
import { FILE_KINDS, type FileKind, type Normal } from './file-kinds.ts';
import { DEFINITION_FILE_LIMITS } from './limits.ts';
import { readJson } from './targets.ts';
import { type Variables, type WebhookFile, webhookFile } from './webhook-values.ts';

/* The files of one game and environment: a definition each, and one with settings and one with exchange rates. */

export interface Desired {
  definitions: DesiredDefinition[];
  /** By the name of the file. */
  settings: ReadonlyMap<SettingsFile, JsonObject>;
}

export interface DesiredDefinition {
  kind: FileKind;
  key: string;
  normal: Normal;
  /** Of a webhook: what is not in its file. */
  values?: WebhookFile;
}

export const SETTINGS_FILES = ['settings.json', 'exchange-rates.json'] as const;
export type SettingsFile = (typeof SETTINGS_FILES)[number];

export const labelOf = ({ kind, key }: { kind: Pick<FileKind, 'folder'>; key: string }): string =>
  `${kind.folder}/${key}`;

/** Reads all files; throws with all that is wrong with them. */
export async function readDefinitions(folder: string, variables: Variables): Promise<Desired> {
  const faults: string[] = [];
  const definitions: DesiredDefinition[] = [];
  const settings = new Map<SettingsFile, JsonObject>();
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const kind = FILE_KINDS.find((one) => one.folder === entry.name);
    const file = SETTINGS_FILES.find((name) => name === entry.name);
    if (entry.isDirectory() && kind !== undefined) definitions.push(...(await readKind(kind, path)));
    else if (file !== undefined) await tried(async () => settings.set(file, objectOf(await readJson(path), path)));
    else if (!isPassedOver(entry.name)) faults.push(`${path} is neither a kind of definition nor settings.`);
  }
  if (faults.length > 0) throw new CliError(faults.join('\n'));
  return { definitions, settings };

  async function tried(read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      faults.push(error.message);
    }
  }

  async function readKind(kind: FileKind, path: string): Promise<DesiredDefinition[]> {
    const found: DesiredDefinition[] = [];
    for (const name of (await readdir(path)).toSorted()) {
      const file = join(path, name);
      if (name.endsWith('.json')) await tried(async () => found.push(await readDefinition(kind, file, name)));
      else if (!isPassedOver(name)) faults.push(`${file} is no .json file.`);
    }
    const keys = found.map(({ key }) => key);
    for (const key of new Set(keys.filter((one, place) => keys.indexOf(one) < place))) {
      faults.push(`${path} has two files for \`${key}\`.`);
    }
    return found;
  }

  async function readDefinition(kind: FileKind, file: string, name: string): Promise<DesiredDefinition> {
    const body = objectOf(await readJson(file), file);
    const values = kind.folder === 'webhooks' ? webhookFile(body, variables, file) : undefined;
    const read = kind.read(values?.compared ?? body);
    if (read.kind === 'faults') {
      throw new CliError(read.faults.map((fault) => `${file}: ${fault.path} ${fault.message}.`).join('\n'));
    }
    const key = textOf(body[kind.key]);
    if (!fileNames(key).includes(name)) throw new CliError(`${file} holds \`${key}\`: name it ${fileNames(key)[0]}.`);
    return { kind, key, normal: read, ...(values === undefined ? {} : { values }) };
  }
}

/** Files for people, and those of the system. */
const isPassedOver = (name: string): boolean => name.startsWith('.') || name.endsWith('.md');

function objectOf(json: unknown, path: string): JsonObject {
  const value: Json = JSON.parse(JSON.stringify(json));
  if (!isObject(value)) throw new CliError(`${path} is no JSON object.`);
  return value;
}

/** Writes the files of a kind, and deletes those of definitions that are not there any more. */
export async function writeKind(folder: string, kind: FileKind, bodies: ReadonlyMap<string, JsonObject>) {
  const path = join(folder, kind.folder);
  if (await isLink(path)) throw new CliError(`${path} is a symbolic link: export into a folder of its own.`);
  const folded = [...bodies.keys()].map((key) => fileNames(key)[0].toLowerCase());
  const files = new Map(
    [...bodies].map(([key, body]) => {
      const [plain, spelled] = fileNames(key);
      // Some file systems take names for the same that differ in case.
      const isAlone = folded.filter((name) => name === plain.toLowerCase()).length === 1;
      return [isAlone ? plain : spelled, body];
    }),
  );
  if (files.size > 0) await mkdir(path, { recursive: true });
  for (const [name, body] of files) await writeJson(join(path, name), body);
  const found = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of found) {
    const isOther = entry.name.endsWith('.json') && !files.has(entry.name);
    if (isOther && !entry.isDirectory()) await rm(join(path, entry.name));
  }
}

const isLink = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;

/** Writes a file in place of a link: the file that it points to is somebody else's. */
export async function writeJson(path: string, body: JsonObject): Promise<void> {
  if (await isLink(path)) await rm(path);
  await writeFile(path, `${JSON.stringify(body, null, 2)}\n`);
}

/** The name of the file of a definition, and the name that it may have beside one that differs in case. */
function fileNames(key: string): [string, string] {
  return [nameOf(key, /[A-Za-z0-9._-]/), nameOf(key, /[a-z0-9._-]/)];
}

/** Names that Windows has for devices, whatever follows a dot. */
const DEVICE = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

function nameOf(key: string, plain: RegExp): string {
  const encoded = [...Buffer.from(key)].map((byte, place) => {
    const character = String.fromCharCode(byte);
    const isSpecial = place === 0 && (character === '.' || DEVICE.test(key));
    return plain.test(character) && !isSpecial ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  });
  const text = encoded.join('');
  if (text.length <= DEFINITION_FILE_LIMITS.fileNameBytes) return `${text}.json`;
  const digest = createHash('sha256').update(key).digest('hex').slice(0, 16);
  return `${text.slice(0, DEFINITION_FILE_LIMITS.fileNameBytes - digest.length)}~${digest}.json`;
}
