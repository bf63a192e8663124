import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { CliError } from '../cli-error.ts';
import { isOver, readCurrent } from './current.ts';
import { SETTINGS_FILES, writeJson, writeKind } from './definition-files.ts';
import { FILE_KINDS } from './file-kinds.ts';
import type { GameService } from './service.ts';
import { currentSettings, SETTINGS } from './settings-steps.ts';
import type { Target } from './targets.ts';
import { withVariables } from './webhook-values.ts';

/**
 * Writes what a service has as files, which replace those of the folder.
 * @returns how many, and the variables that they need
 */
export async function exportDefinitions(
  { folder, name, key }: Pick<Target, 'folder' | 'name' | 'key'>,
  service: GameService,
): Promise<{ files: number; variables: string[] }> {
  const { definitions, repeated } = await readCurrent(service);
  if (repeated.size > 0) {
    throw new CliError(`${name} has two of ${[...repeated].join(', ')}. Files need one name for each: rename one.`);
  }
  const variables: string[] = [];
  let files = 0;
  await mkdir(folder, { recursive: true });
  for (const kind of FILE_KINDS) {
    const bodies = new Map<string, JsonObject>();
    for (const held of definitions.values()) {
      if (held.kind !== kind || isOver(held)) continue;
      const file =
        kind.folder === 'webhooks' ? withVariables(held.normal.wire) : { body: held.normal.wire, variables: [] };
      bodies.set(held.key, file.body);
      variables.push(...file.variables);
    }
    await writeKind(folder, kind, bodies);
    files += bodies.size;
  }
  // Both environments share the settings, which keys of the live one change.
  for (const file of key.startsWith('sk_test_') ? [] : SETTINGS_FILES) {
    const held = await currentSettings(SETTINGS[file], service);
    if (held === undefined) continue;
    await writeJson(join(folder, file), held.body);
    files += 1;
  }
  return { files, variables };
}
