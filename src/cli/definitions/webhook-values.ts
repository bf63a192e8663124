import { isObject, type JsonObject } from '../../../core/kernel/text/json.ts';
import { HIDDEN, hiddenValues } from '../../../streams/config/hidden-texts.ts';
import { CliError } from '../cli-error.ts';
import type { Normal } from './file-kinds.ts';
import { textOf } from './references.ts';

/*
 * Values of webhooks that are not in files: the secret, the values of headers, and a URL whose path is a secret. A file
 * has `${WEBHOOK_…}` instead; the value is in that environment variable. Other variables are out of reach: whoever
 * writes a file chooses where their values would be sent.
 */

export type Variables = Readonly<Record<string, string | undefined>>;

const VARIABLE = /^\$\{(WEBHOOK_[A-Za-z0-9_]+)\}$/;

export interface WebhookFile {
  /** Without values that the service does not show. A URL whose variable is not set is `[hidden]`, which keeps it. */
  compared: JsonObject;
  /** Whether its URL is a value that only the environment has, which no plan shows. */
  isUrlHidden: boolean;
  /** What only its creation needs; throws if a variable is not set. */
  created: () => JsonObject;
  /** What its changes need. */
  changed: () => JsonObject;
}

/** @param where the file, for messages */
export function webhookFile(body: JsonObject, variables: Variables, where: string): WebhookFile {
  const { secret, headers, ...rest } = body;
  const named = isObject(headers) ? headers : undefined;
  for (const [name, value] of Object.entries(named ?? {})) reference(value, `${where}: /headers/${name}`);
  if (secret !== undefined) reference(secret, `${where}: /secret`);
  const isUrlHidden = typeof body['url'] === 'string' && body['url'].startsWith('${');
  if (isUrlHidden) reference(body['url'], `${where}: /url`);
  const shown = headers === undefined ? {} : { headers: named === undefined ? headers : hiddenValues(named) };

  function value(text: unknown): string {
    const variable = reference(text, where);
    const found = variables[variable];
    if (found === undefined || found === '') {
      throw new CliError(`${where} needs the environment variable ${variable}, which is not set.`);
    }
    return found;
  }

  const valuesOf = (of: (text: unknown) => string) =>
    named === undefined
      ? {}
      : { headers: Object.fromEntries(Object.entries(named).map(([name, text]) => [name, of(text)])) };
  const orHidden = (text: unknown): string => variables[reference(text, where)] || HIDDEN;
  return {
    isUrlHidden,
    compared: { ...rest, ...(isUrlHidden ? { url: orHidden(body['url']) } : {}), ...shown },
    created: () => ({
      ...(isUrlHidden ? { url: value(body['url']) } : {}),
      ...valuesOf(value),
      ...(secret === undefined ? {} : { secret: value(secret) }),
    }),
    // The service keeps the value of a header that is sent as it shows it.
    changed: () => valuesOf(orHidden),
  };
}

/** A webhook as its file has it, with the URL that the service has if the file hides it. */
export function withUrl(normal: Normal, held: Normal): Normal {
  if (normal.wire['url'] !== HIDDEN) return normal;
  const url = { url: held.wire['url'] ?? HIDDEN };
  return { ...normal, wire: { ...normal.wire, ...url }, document: { ...normal.document, ...url } };
}

function reference(text: unknown, where: string): string {
  const [, variable] = typeof text === 'string' ? (VARIABLE.exec(text) ?? []) : [];
  if (variable !== undefined) return variable;
  throw new CliError(
    `${where} must be \`\${WEBHOOK_…}\`, an environment variable whose name begins with WEBHOOK_: files hold no secrets.`,
  );
}

/** A webhook as a file has it, with a variable for its URL and for each header, and the names of the variables. */
export function withVariables(webhook: JsonObject): { body: JsonObject; variables: string[] } {
  const { name, headers } = webhook;
  const variables: string[] = [];
  const variableOf = (...words: string[]): string => {
    const made = ['WEBHOOK', textOf(name), ...words]
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_');
    variables.push(made);
    return `\${${made}}`;
  };
  const url = variableOf('URL');
  const values = isObject(headers)
    ? { headers: Object.fromEntries(Object.keys(headers).map((header) => [header, variableOf(header)])) }
    : {};
  return { body: { ...webhook, url, ...values }, variables };
}
