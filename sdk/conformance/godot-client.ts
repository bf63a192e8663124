import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ClientKind } from './client.ts';
import { fetchedGodot } from './fetch-godot.ts';
import { spawnClient } from './spawned-client.ts';

const run = promisify(execFile);
/** A project that holds nothing but the client behind commands. */
const PROJECT = join(import.meta.dirname, '../godot');

/** The addon of `sdk/godot`, run by Godot 4 without a window. */
export async function godotClient(): Promise<ClientKind | { missing: string }> {
  for (const command of ['godot', 'godot4', fetchedGodot]) {
    const version = await versionOf(command);
    if (!version?.startsWith('4.')) continue;
    const args = ['--headless', '--path', PROJECT, '--script', 'res://conformance/program.gd'];
    return { name: 'godot', features: ['log'], launch: () => spawnClient(command, args) };
  }
  return {
    missing: 'the GDScript client needs Godot 4 on PATH; on Debian `npm run conformance -- godot --fetch` gets it',
  };
}

async function versionOf(command: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, ['--headless', '--version'], { timeout: 20_000 });
    return stdout.trim();
  } catch {
    return undefined;
  }
}
