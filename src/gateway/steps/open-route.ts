import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { Services } from '../../api/route/request-context.ts';
import type { OpenRoute } from '../../api/route/route.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { isLocalRequest } from '../access/local-request.ts';
import { readQuery } from '../http/read/query-string.ts';

/** Answers a request that needs no key. */
export function respondOpen(route: OpenRoute, services: Services, res: HttpResponse, req: HttpRequest) {
  if (route.localOnly === true && !isLocalRequest(res, req)) return failure('NOT_FOUND');
  // These are public documents and probes: monitoring adds parameters of its own.
  const query = readQuery(req.getQuery() ?? '', route.input.query?.properties ?? {}, () => {});
  const acceptEncoding = req.getHeader('accept-encoding');
  return route.respond(services, query, { acceptEncoding, ifNoneMatch: req.getHeader('if-none-match') });
}
