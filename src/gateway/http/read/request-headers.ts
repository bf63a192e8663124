import type { HttpRequest } from 'uWebSockets.js';
import { framingOf, type Framing, type FramingHeaders } from './request-framing.ts';

/**
 * The headers that the gateway reads of every request: of several with one name the first, empty if none was sent.
 * They are read in one pass, because each call of the library costs more than a comparison of names.
 */
export interface RequestHeaders {
  readonly framing: Framing;
  readonly origin: string;
  readonly apiKey: string;
  readonly authorization: string;
  readonly playerToken: string;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly idempotencyKey: string;
}

export function readHeaders(headers: Pick<HttpRequest, 'forEach'>): RequestHeaders {
  const framing: FramingHeaders = {
    length: undefined,
    coding: undefined,
    connection: '',
    closesUnsaid: false,
    repeated: undefined,
  };
  let hosts = 0;
  let origin: string | undefined;
  let apiKey: string | undefined;
  let authorization: string | undefined;
  let playerToken: string | undefined;
  let contentType: string | undefined;
  let contentEncoding: string | undefined;
  let idempotencyKey: string | undefined;
  headers.forEach((name, value) => {
    switch (name) {
      case 'host':
        hosts += 1;
        if (hosts > 1) framing.repeated = 'Host';
        break;
      case 'content-length':
        if (framing.length !== undefined) framing.repeated = 'Content-Length';
        framing.length = value;
        break;
      case 'transfer-encoding':
        if (framing.coding !== undefined) framing.repeated = 'Transfer-Encoding';
        framing.coding = value;
        break;
      case 'connection':
        if (framing.connection === '') framing.closesUnsaid = value.length === 'close'.length;
        framing.connection = framing.connection === '' ? value : `${framing.connection},${value}`;
        break;
      case 'content-type':
        contentType ??= value;
        break;
      case 'x-api-key':
        apiKey ??= value;
        break;
      case 'authorization':
        authorization ??= value;
        break;
      case 'origin':
        origin ??= value;
        break;
      case 'x-player-token':
        playerToken ??= value;
        break;
      case 'content-encoding':
        contentEncoding ??= value;
        break;
      case 'idempotency-key':
        idempotencyKey ??= value;
        break;
      default:
    }
  });
  return {
    framing: framingOf(framing),
    origin: origin ?? '',
    apiKey: apiKey ?? '',
    authorization: authorization ?? '',
    playerToken: playerToken ?? '',
    contentType: contentType ?? '',
    contentEncoding: contentEncoding ?? '',
    idempotencyKey: idempotencyKey ?? '',
  };
}
