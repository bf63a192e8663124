/**
 * Loads the sources that `strip-sources.ts` has stripped. Preloaded in every process of a test run, from the folder of
 * the stripped sources, with the project's folder in `?root=`. Node strips a source itself if it has changed since.
 */
import { readFileSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const self = new URL(import.meta.url);
const root = self.searchParams.get('root') ?? '';
const stripped = new URL('../../../', self);

registerHooks({
  load(url, context, nextLoad) {
    const source = url.startsWith(root) && url.endsWith('.ts') ? strippedSource(url) : undefined;
    return source === undefined ? nextLoad(url, context) : { format: 'module', source, shortCircuit: true };
  },
});

function strippedSource(url: string): Buffer | undefined {
  const file = fileURLToPath(new URL(`${url.slice(root.length)}.mjs`, stripped));
  try {
    const isCurrent = statSync(file).mtimeMs > statSync(fileURLToPath(url)).mtimeMs;
    return isCurrent ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  }
}
