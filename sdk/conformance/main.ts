import { parseArgs } from 'node:util';
import type { ClientKind } from './client.ts';
import { fetchGodot } from './fetch-godot.ts';
import { godotClient } from './godot-client.ts';
import { play, scenariosFor } from './scenarios/all.ts';
import { typescriptClient } from './typescript-client.ts';
import { unityClient } from './unity-client.ts';

/*
 * Plays the scenarios to a game client:
 *
 *   npm run conformance -- typescript|unity|godot [--only words] [--fetch]
 *
 * Ends with 1 if the client fails one, and with 0 and a message if what it needs is not on this machine.
 */

const KINDS: Record<string, () => Promise<ClientKind | { missing: string }>> = {
  typescript: () => Promise.resolve(typescriptClient),
  unity: unityClient,
  godot: godotClient,
};

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    fetch: { type: 'boolean', default: false },
    'at-once': { type: 'string', default: '2' },
  },
  allowPositionals: true,
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const [name = ''] = positionals;
if (values.fetch) await fetchGodot();
const kind = await KINDS[name]?.();

if (kind === undefined) {
  print(`Usage: npm run conformance -- ${Object.keys(KINDS).join('|')} [--only words] [--fetch]`);
  process.exitCode = 2;
} else if ('missing' in kind) {
  print(`skipped: ${kind.missing}`);
} else {
  const waiting = scenariosFor(kind).filter((scenario) => scenario.name.includes(values.only));
  const counts = { passed: 0, failed: 0 };
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await play(next, kind);
        counts.passed += 1;
        print(`ok      ${next.name}`);
      } catch (error) {
        counts.failed += 1;
        print(`FAILED  ${next.name}\n${error instanceof Error ? error.stack : String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
  print(`${counts.passed} passed, ${counts.failed} failed`);
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1;
}
