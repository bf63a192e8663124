import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApi } from '../../../src/api/openapi.ts';
import { routes } from '../../../src/api/routes.ts';
import { operationsText, type OpenApiDocument } from './operations.ts';

/* Writes `src/generated/operations.ts` from the routes of the service, formatted as the rest of the project. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
export const GENERATED = fileURLToPath(new URL('../src/generated/operations.ts', import.meta.url));

/**
 * The formatted text.
 * @param scratch a file beside which the formatter finds the project's settings; written and removed
 */
export function generatedText(scratch = GENERATED.replace('operations.ts', `scratch-${process.pid}.ts`)): string {
  // The session's length is a setting; it appears in a description only.
  const declared = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
  const document: OpenApiDocument = JSON.parse(JSON.stringify(openApi(declared)));
  try {
    writeFileSync(scratch, operationsText(document));
    execFileSync(process.execPath, [`${ROOT}node_modules/oxfmt/bin/oxfmt`, scratch], { cwd: ROOT });
    return readFileSync(scratch, 'utf8');
  } finally {
    rmSync(scratch, { force: true });
  }
}

if (import.meta.main) writeFileSync(GENERATED, generatedText());
