import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { joinedValues } from '../../http/read/header-values.ts';
import type { CallerAddresses } from '../../../../core/kernel/caller-address.ts';

/** The network of a request's caller, behind trusted proxies. */
export function networkOf(callers: CallerAddresses, res: HttpResponse, req: HttpRequest): string {
  const peer = Buffer.from(res.getRemoteAddressAsText()).toString('latin1');
  return callers.networkOf(peer, callers.readsForwardedFor ? joinedValues(req, 'x-forwarded-for') : '');
}
