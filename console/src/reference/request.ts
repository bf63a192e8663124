import type { Operation, Parameter } from './document.ts';

/** What a person filled in for one request. */
export interface Filled {
  /** Values of parameters, by place and name. */
  values: Readonly<Record<string, string>>;
  body: string;
}

export const nameOf = (parameter: Pick<Parameter, 'in' | 'name'>): string => `${parameter.in} ${parameter.name}`;

/** The type of the body that is sent: the first documented one. */
export function bodyTypeOf({ requestBody }: Operation): string | undefined {
  return requestBody === undefined ? undefined : Object.keys(requestBody.content)[0];
}

/** The example of a body, as text. */
export function exampleBody(operation: Operation): string {
  const content = Object.values(operation.requestBody?.content ?? {})[0];
  if (content?.example === undefined) return '';
  return typeof content.example === 'string' ? content.example : JSON.stringify(content.example, null, 2);
}

export interface Sendable {
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** @param key an API key, or what stands for one */
export function requestOf(operation: Operation, { values, body }: Filled, key: string | undefined): Sendable {
  const inPlace = (place: Parameter['in']) => operation.parameters.filter((parameter) => parameter.in === place);
  let path = operation.path;
  for (const parameter of inPlace('path')) {
    const value = values[nameOf(parameter)] ?? '';
    path = path.replace(`{${parameter.name}}`, value === '' ? `{${parameter.name}}` : encodeURIComponent(value));
  }
  const query = new URLSearchParams();
  for (const parameter of inPlace('query')) {
    const value = values[nameOf(parameter)] ?? '';
    if (value !== '') query.append(parameter.name, value);
  }
  const headers: Record<string, string> = key === undefined ? {} : { 'X-API-Key': key };
  for (const parameter of inPlace('header')) {
    const value = values[nameOf(parameter)] ?? '';
    if (value !== '') headers[parameter.name] = value;
  }
  const type = bodyTypeOf(operation);
  if (type !== undefined && body !== '') headers['Content-Type'] = type;
  const text = query.toString();
  return {
    url: path + (text === '' ? '' : `?${text}`),
    headers,
    body: type === undefined || body === '' ? undefined : body,
  };
}

/** The same request for a shell. */
export function curlOf({ method }: Operation, { url, headers, body }: Sendable, origin: string): string {
  const lines = [`curl -X ${method} ${quoted(origin + url)}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data-binary ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Keys of the test environment: no request of this page reaches live players. */
export function isTestKey(key: string): boolean {
  return key.startsWith('sk_test_') || key.startsWith('pk_test_');
}
