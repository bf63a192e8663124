import { App, type HttpRequest, type HttpResponse, type TemplatedApp } from 'uWebSockets.js';
import type { Route } from '../api/route/route.ts';
import { failure } from '../../core/kernel/errors.ts';
import { isForBrowsers, preflightHeaders, PREFLIGHT_SECONDS } from './http/cors.ts';
import { respond, respondEmpty } from './http/exchange.ts';
import type { Exchanges } from './http/exchanges.ts';
import { CONSOLE_PATH, type ConsoleFiles, REFERENCE_PATH } from './console-files.ts';
import { handlerOf } from './request-steps.ts';
import type { PipelineDeps } from './steps/call.ts';

/** Creates an app with the given routes, and the documented errors for all other requests. */
export function createApp(
  routes: readonly Route[],
  pipeline: PipelineDeps,
  exchanges: Exchanges,
  maxConnections: number,
  consoleFiles?: ConsoleFiles,
): TemplatedApp {
  const app = App();
  let connections = 0;
  app.filter((res, change) => {
    connections += change;
    if (change > 0 && connections > maxConnections) res.close();
  });
  for (const route of routes) register(app, route, pipeline, exchanges);
  if (consoleFiles !== undefined) serveConsole(app, consoleFiles, exchanges);
  for (const [path, onPath] of Map.groupBy(routes, (route) => route.path)) {
    const allow = [...onPath.flatMap(methodsOf), 'OPTIONS'].join(', ');
    const browsers = onPath.some(isForBrowsers);
    app.options(pattern(path), (res, req) => {
      const exchange = exchanges.begin(path, res, req, browsers);
      if (exchange === undefined) return;
      respondEmpty(exchange, {
        Allow: allow,
        ...(exchange.allowOrigin === undefined
          ? {}
          : {
              'Access-Control-Allow-Methods': allow,
              'Access-Control-Allow-Headers': preflightHeaders(onPath, req.getHeader('access-control-request-headers')),
              'Access-Control-Max-Age': String(PREFLIGHT_SECONDS),
            }),
      });
    });
    app.any(pattern(path), (res, req) => {
      const exchange = exchanges.begin(path, res, req, browsers);
      if (exchange !== undefined) respond(exchange, failure('METHOD_NOT_ALLOWED'), { Allow: allow });
    });
  }
  app.any('/*', (res, req) => {
    const exchange = exchanges.begin('unknown', res, req, false);
    if (exchange !== undefined) respond(exchange, NO_PATH, UNFRAMED);
  });
  return app;
}

const NO_PATH = failure('NOT_FOUND', 'There is no endpoint at this path. `GET /openapi.json` lists all of them.');

/** No page of another site shows an answer in a frame, errors included. Pages have a policy of their own. */
const UNFRAMED = { 'X-Frame-Options': 'DENY', 'Content-Security-Policy': "frame-ancestors 'none'" } as const;

/** The pages of the console and the API reference, and their files. */
function serveConsole(app: TemplatedApp, files: ConsoleFiles, exchanges: Exchanges): void {
  const handlerOf =
    (route: string) =>
    (res: HttpResponse, req: HttpRequest): void => {
      const exchange = exchanges.begin(route, res, req, false);
      if (exchange === undefined) return;
      respond(
        exchange,
        files.answer(req.getUrl(), {
          acceptEncoding: req.getHeader('accept-encoding'),
          ifNoneMatch: req.getHeader('if-none-match'),
        }),
        UNFRAMED,
      );
    };
  const refuseMethod = (res: HttpResponse, req: HttpRequest): void => {
    const exchange = exchanges.begin(CONSOLE_PATH, res, req, false);
    if (exchange !== undefined) respond(exchange, failure('METHOD_NOT_ALLOWED'), { ...UNFRAMED, Allow: 'GET, HEAD' });
  };
  for (const route of [CONSOLE_PATH, REFERENCE_PATH]) {
    for (const path of [route, `${route}/*`]) {
      app.get(path, handlerOf(route));
      app.head(path, handlerOf(route));
      app.any(path, refuseMethod);
    }
  }
}

/** The router's function for each method. */
const REGISTER = { GET: 'get', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'del' } as const;

function register(app: TemplatedApp, route: Route, pipeline: PipelineDeps, exchanges: Exchanges): void {
  const path = pattern(route.path);
  const browsers = isForBrowsers(route);
  const handle = handlerOf(route, pipeline);
  const handler = (res: HttpResponse, req: HttpRequest): void => {
    const exchange = exchanges.begin(route.path, res, req, browsers);
    if (exchange !== undefined) handle(exchange, res, req);
  };
  app[REGISTER[route.method]](path, handler);
  if (methodsOf(route).includes('HEAD')) app.head(path, handler);
}

/** A GET route also handles HEAD, except for streams, whose response never ends. */
function methodsOf(route: Route): string[] {
  const streams = route.reply.mediaType === 'text/event-stream';
  return route.method === 'GET' && !streams ? ['GET', 'HEAD'] : [route.method];
}

/** Converts `{name}` to the router's notation. */
function pattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
