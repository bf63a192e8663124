import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApi } from '../../../src/api/route/openapi.ts';
import type { Route } from '../../../src/api/route/route.ts';
import { routes } from '../../../src/api/routes.ts';
import { endpointsText } from './endpoints.ts';
import { operationsText, type OpenApiDocument } from './operations.ts';

/* Writes the generated files of the package from the routes of the service, formatted as the rest of the project. */

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url));

// The session's length is a setting; it appears in a description only.
const allRoutes = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });
const isForPeople = (route: Route): boolean =>
  route.kind === 'console' || (route.auth !== 'none' && route.auth.keys.length === 0);
/** The routes that games and their servers call. */
export const declaredRoutes = allRoutes.filter((route) => !isForPeople(route));

/** The generated files with their texts, before they are formatted. */
const GENERATED: Readonly<Record<string, () => string>> = {
  [file('src/generated/operations.ts')]: () => {
    return operationsText(documentOf(declaredRoutes));
  },
  // Only the console calls these.
  [`${ROOT}console/src/generated/operations.ts`]: () => operationsText(documentOf(allRoutes.filter(isForPeople))),
  [file('server/generated/endpoints.ts')]: () => endpointsText(declaredRoutes),
};

function documentOf(some: readonly Route[]): OpenApiDocument {
  const document: OpenApiDocument = JSON.parse(JSON.stringify(openApi(some)));
  return document;
}

/** Paths of the generated files. */
export const GENERATED_FILES = Object.keys(GENERATED);

/** The formatted text of a generated file. */
export function generatedText(path: string): string {
  // A file beside it, where the formatter finds the project's settings.
  const scratch = path.replace(/[^/]*$/, `scratch-${process.pid}.ts`);
  try {
    writeFileSync(scratch, GENERATED[path]?.() ?? '');
    execFileSync(process.execPath, [`${ROOT}node_modules/oxfmt/bin/oxfmt`, scratch], { cwd: ROOT });
    return readFileSync(scratch, 'utf8');
  } finally {
    rmSync(scratch, { force: true });
  }
}

if (import.meta.main) for (const path of GENERATED_FILES) writeFileSync(path, generatedText(path));
