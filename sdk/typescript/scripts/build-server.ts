import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

/*
 * Builds the entry for game servers. It evaluates flags with sources of the service (`actors/`, `core/kernel`) and with
 * `re2js`; all of them become one module, so that the package depends on nothing.
 */

const PACKAGE = fileURLToPath(new URL('..', import.meta.url));
const COMPILER = fileURLToPath(new URL('../../../node_modules/typescript/bin/tsc', import.meta.url));

/** @param folder where the package's `dist` is */
export async function buildServer(folder: string): Promise<void> {
  const outDir = join(folder, 'server');
  execFileSync(process.execPath, [COMPILER, '-p', join(PACKAGE, 'tsconfig.server.json'), '--outDir', outDir]);
  await build({
    configFile: false,
    logLevel: 'silent',
    root: PACKAGE,
    build: {
      outDir,
      emptyOutDir: false,
      target: 'node20',
      // Stack traces name the functions of the sources.
      minify: false,
      lib: { entry: join(PACKAGE, 'server/server.ts'), formats: ['es'], fileName: 'server' },
      rolldownOptions: { external: /^node:/ },
      // The licence of what is bundled goes with it.
      license: { fileName: 'LICENSES.md' },
    },
  });
}

if (import.meta.main) await buildServer(join(PACKAGE, 'dist'));
