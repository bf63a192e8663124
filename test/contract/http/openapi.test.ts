import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { openApi } from '../../../src/api/route/openapi.ts';
import { routes } from '../../../src/api/routes.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let document: ReturnType<typeof openApi>;
beforeAll(async () => {
  gateway = await startGateway();
  document = JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text());
});
afterAll(() => gateway.close());

const all = routes({ webhookAllowPrivateHosts: [], sessionTtlSeconds: 1800 });

describe('/openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe('3.1');
  });

  it('is refused by the validator if it is damaged', async () => {
    const { valid } = await new Validator().validate({ ...document, paths: { x: 5 } });
    expect(valid).toBe(false);
  });

  it('contains every route and nothing else', () => {
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(documented.toSorted()).toEqual(all.map(({ method, path }) => `${method} ${path}`).toSorted());
  });

  it('has unique operation ids', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map((operation) => JSON.stringify(Object(operation).operationId)),
    );
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('exists for every documented route: none returns 404 NOT_FOUND or 405 without a key', async () => {
    for (const { method, path } of all) {
      const response = await fetch(gateway.url + path.replaceAll(/\{\w+\}/g, 'x'), { method });
      // A sign-in needs no key, but a body, a host name or a provider.
      expect([200, 401, 409, 415], `${method} ${path}`).toContain(response.status);
      await response.body?.cancel();
    }
  });
});
