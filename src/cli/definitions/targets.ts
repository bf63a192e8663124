import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Type } from 'typebox';
import { compile } from '../../../core/kernel/validation/validation.ts';
import { CliError } from '../cli-error.ts';
import type { Variables } from './webhook-values.ts';

/* games.json: the games whose definitions a directory holds, with the service and the key of each. */

const Games = Type.Object(
  {
    repository: Type.String({ pattern: '^[!-~]{1,200}$', description: 'What the definitions are managed by.' }),
    games: Type.Unsafe<Record<string, { base_url: string; key_env: string }>>({
      type: 'object',
      minProperties: 1,
      propertyNames: { type: 'string', pattern: '^[A-Za-z0-9_][A-Za-z0-9._-]*(/[A-Za-z0-9_][A-Za-z0-9._-]*)*$' },
      additionalProperties: Type.Object(
        {
          base_url: Type.String({ pattern: '^https?://', description: 'Where the service is.' }),
          key_env: Type.String({
            pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
            description: 'The environment variable with a server key of the game and environment.',
          }),
        },
        { additionalProperties: false },
      ),
      description: 'By folder.',
    }),
  },
  { additionalProperties: false },
);
const check = compile(Games);
const SERVER_KEY = /^sk_(live|test)_/;

/** A game and environment, which a key chooses. */
export interface Target {
  /** Its folder, as in games.json. */
  name: string;
  /** Its path. */
  folder: string;
  baseUrl: string;
  key: string;
  repository: string;
}

/** @param only names of folders; undefined: all */
export async function readTargets(
  dir: string,
  only: readonly string[] | undefined,
  variables: Variables,
): Promise<Target[]> {
  const path = join(dir, 'games.json');
  const json = await readJson(path);
  if (!check.accepts(json)) {
    const faults = check.faultsOf(json).map((fault) => `${path}: ${fault.path} ${fault.message}`);
    throw new CliError(faults.join('\n'));
  }
  const { games, repository } = json;
  const unknown = (only ?? []).filter((name) => !Object.hasOwn(games, name));
  if (unknown.length > 0) {
    throw new CliError(`${path} has no ${unknown.join(', ')}; it has ${Object.keys(games).join(', ')}.`);
  }
  const chosen = Object.entries(games).filter(([name]) => only === undefined || only.includes(name));
  return chosen.map(([name, { base_url: baseUrl, key_env: variable }]) => {
    const key = variables[variable];
    if (key === undefined || key === '') {
      throw new CliError(`${name} needs a server key in the environment variable ${variable}, which is not set.`);
    }
    // It is sent to the address that the file names, so no other secret may be.
    if (!SERVER_KEY.test(key)) throw new CliError(`${name}: the environment variable ${variable} holds no server key.`);
    return { name, folder: join(dir, name), baseUrl: baseUrl.replace(/\/$/, ''), key, repository };
  });
}

/** The JSON in a file. */
export async function readJson(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new CliError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  // Players would be served replacement characters.
  if (!isUtf8(bytes)) throw new CliError(`${path} is not UTF-8: save it in that encoding.`);
  try {
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new CliError(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
