import { isDeepStrictEqual } from 'node:util';
import { differenceOf } from '../../../actors/difference/difference.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { CliError } from '../cli-error.ts';
import { SETTINGS_FILES, type SettingsFile } from './definition-files.ts';
import type { GameService } from './service.ts';
import type { Step } from './step.ts';

/* The settings and exchange rates of a game, which its environments share: keys of the live one change them. */

interface SettingsRoute {
  path: string;
  method: 'PATCH' | 'PUT';
  /** The fields that a file has. */
  fields: readonly string[];
}

export const SETTINGS: Readonly<Record<SettingsFile, SettingsRoute>> = {
  'settings.json': {
    path: '/v1/settings',
    method: 'PATCH',
    fields: ['time_zone', 'currency', 'extracted_properties'],
  },
  // After the currency to which they convert.
  'exchange-rates.json': { path: '/v1/settings/exchange-rates', method: 'PUT', fields: ['rates'] },
};

/** What a service has of them; undefined: nothing. */
export async function currentSettings(
  { path, fields }: SettingsRoute,
  service: GameService,
): Promise<{ version: number; body: JsonObject } | undefined> {
  const answered = await service.get(path);
  if (answered.kind === 'answered') {
    const body = Object.fromEntries(fields.map((name) => [name, answered.data[name] ?? null]));
    return { version: Number(answered.data['version']), body };
  }
  if (answered.status === 404) return undefined;
  throw new CliError(`GET ${path}: ${answered.text}`);
}

export async function settingsSteps(
  wanted: ReadonlyMap<SettingsFile, JsonObject>,
  service: GameService,
): Promise<Step[]> {
  const steps: Step[] = [];
  for (const file of SETTINGS_FILES) {
    const body = wanted.get(file);
    if (body === undefined) continue;
    const route = SETTINGS[file];
    const unknown = Object.keys(body).filter((name) => !route.fields.includes(name));
    if (unknown.length > 0)
      throw new CliError(`${file}: ${unknown.join(', ')} is not one of ${route.fields.join(', ')}.`);
    const held = await currentSettings(route, service);
    // A setting that a file leaves out stays.
    const next = { ...held?.body, ...body };
    const step = { label: file, notes: [] };
    if (held !== undefined && isDeepStrictEqual(held.body, next)) {
      steps.push({ ...step, action: 'same', difference: [] });
      continue;
    }
    steps.push({
      ...step,
      action: held === undefined ? 'create' : 'change',
      difference: held === undefined ? [] : differenceOf(held.body, next),
      perform: () => service.change({ method: route.method, path: route.path, body, version: held?.version }),
    });
  }
  return steps;
}
