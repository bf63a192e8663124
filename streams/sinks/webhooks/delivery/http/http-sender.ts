import { type LookupFunction, isIP } from 'node:net';
import type { Clock } from '../../../../../core/kernel/clock.ts';
import { DELIVERY_HTTP_LIMITS } from './limits.ts';
import { isMetadataHost } from '../../../../config/webhooks/metadata-hosts.ts';
import { createConnections } from './http-connections.ts';
import { isPublicAddress } from './public-address.ts';
import { createResolver } from './resolver.ts';
import { responseText } from './response-text.ts';
import type { AttemptOutcome, DeliverySender, OutgoingAttempt } from '../sender.ts';

export interface HttpSenderOptions {
  clock: Clock;
  /** Hosts (or `host:port`) that may be private. */
  allowPrivateHosts: readonly string[];
  /** Name look-up as `net.connect` expects it; DNS and `/etc/hosts` by default. */
  lookup?: LookupFunction;
}

/**
 * Sends deliveries over HTTP(S), and owns the connections kept open between them.
 *
 * Invariants
 * 1. Redirects are not followed, response bodies are read up to a bound, and the time-out covers the whole exchange.
 * 2. Every connection goes to an address that was checked. The check is part of the look-up that the connection itself
 *    uses, so a name that resolves differently the second time (DNS rebinding) reaches nothing private.
 * 3. An address literal in a URL needs no look-up and is checked by itself; the URL parser has already normalised its
 *    decimal, octal and short forms.
 */
export function createHttpSender(options: HttpSenderOptions): DeliverySender {
  const { clock } = options;
  const allowed = new Set(options.allowPrivateHosts.map((host) => host.toLowerCase().replaceAll(/[[\]]/g, '')));
  const connections = createConnections();
  const inFlight = new Set<() => void>();
  const lookup = options.lookup ?? createResolver({ clock });
  const publicLookup = refusePrivate(lookup);
  let closed = false;

  function isAllowed(url: URL): boolean {
    const host = url.hostname.replaceAll(/[[\]]/g, '');
    return allowed.has(host) || allowed.has(url.host);
  }

  /** The reason to refuse a URL, as far as the URL itself shows it. */
  function refusalOf(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the URL is not http or https';
    if (isAllowed(url)) return undefined;
    const host = url.hostname.replaceAll(/[[\]]/g, '');
    if (isMetadataHost(host)) return 'the host is a cloud metadata service';
    return isIP(host) !== 0 && !isPublicAddress(host) ? 'the address is not public' : undefined;
  }

  /** One exchange. `stale`: the reused connection was already closed, so the receiver has not seen the request. */
  function exchange(url: URL, attempt: OutgoingAttempt, timeoutMs: number, fresh: boolean) {
    return new Promise<AttemptOutcome | 'stale'>((resolve) => {
      const connection = connections.take(url, isAllowed(url) ? lookup : publicLookup, fresh);
      let isOver = false;
      const finish = (outcome: AttemptOutcome | 'stale', keep: boolean): void => {
        if (isOver) return;
        isOver = true;
        cancelTimer();
        inFlight.delete(abort);
        if (keep) connection.release();
        else connection.destroy();
        resolve(outcome);
      };
      const abort = (): void => finish({ kind: 'aborted' }, false);
      const cancelTimer = clock.timer(timeoutMs, () => finish({ kind: 'timed_out' }, false));
      inFlight.add(abort);
      const response = createResponseStart(attempt);
      connection.client.dispatch(
        { path: `${url.pathname}${url.search}`, method: 'POST', headers: attempt.headers, body: attempt.body },
        {
          onRequestStart() {},
          onResponseStart: (_, status, headers) => response.begin(status, headers['retry-after']),
          onResponseData(_, chunk) {
            if (response.add(chunk)) finish(response.outcome(), false);
          },
          onResponseEnd: () => finish(response.outcome(), true),
          onResponseError(_, error) {
            const isReset = RESETS.has(codeOf(error));
            if (isReset && connection.isReused && !response.hasBegun()) finish('stale', false);
            else if (error instanceof PrivateAddressError) finish({ kind: 'refused', reason: error.message }, false);
            else finish({ kind: 'connection_failed', reason: reasonOf(error) }, false);
          },
        },
      );
    });
  }

  return {
    async send(attempt) {
      if (closed) return { kind: 'aborted' };
      const url = URL.parse(attempt.url);
      if (url === null) return { kind: 'refused', reason: 'the URL is not valid' };
      const refusal = refusalOf(url);
      if (refusal !== undefined) return { kind: 'refused', reason: refusal };
      const startedMs = clock.monotonicMs();
      const outcome = await exchange(url, attempt, attempt.timeoutMs, false);
      if (outcome !== 'stale') return outcome;
      if (closed) return { kind: 'aborted' };
      const leftMs = attempt.timeoutMs - (clock.monotonicMs() - startedMs);
      const again = await exchange(url, attempt, leftMs, true);
      return again === 'stale' ? { kind: 'connection_failed', reason: 'ECONNRESET' } : again;
    },
    close() {
      closed = true;
      for (const abort of inFlight) abort();
      connections.close();
    },
  };
}

/** Codes of a connection that the receiver closed or reset. */
const RESETS: ReadonlySet<string | undefined> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * The first bytes of a response. An exchange is over once the body has ended or its bound is reached, so a body that
 * arrives too slowly times out, and a truncated one is a failed connection.
 */
function createResponseStart(attempt: OutgoingAttempt) {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let status = 0;
  let retryAfter: string | undefined;
  return {
    begin(code: number, after: string | string[] | undefined): void {
      status = code;
      retryAfter = [after].flat()[0]?.slice(0, RETRY_AFTER_LENGTH);
    },
    hasBegun: () => status !== 0,
    /** @returns whether the bound is reached */
    add(chunk: Buffer): boolean {
      chunks.push(chunk);
      sizeBytes += chunk.byteLength;
      return sizeBytes >= DELIVERY_HTTP_LIMITS.deliveryResponseBytes;
    },
    outcome: (): AttemptOutcome => ({
      kind: 'answered',
      status,
      responseStart: responseText(
        Buffer.concat(chunks).subarray(0, DELIVERY_HTTP_LIMITS.deliveryResponseBytes).toString('utf8'),
        attempt,
      ),
      ...(retryAfter === undefined ? {} : { retryAfter }),
    }),
  };
}

/** Characters kept of a `Retry-After` header: enough for an HTTP date and any sensible number of seconds. */
const RETRY_AFTER_LENGTH = 64;

class PrivateAddressError extends Error {}

/** Wraps a look-up so that it fails if any address of the name is not public. */
function refusePrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error !== null) {
        callback(error, address, family);
        return;
      }
      const addresses = typeof address === 'string' ? [address] : address.map((entry) => entry.address);
      if (addresses.length === 0) callback(new Error('the name has no address'), '', 0);
      else if (addresses.every(isPublicAddress)) callback(null, address, family);
      else callback(new PrivateAddressError('the name resolves to an address that is not public'), '', 0);
    });
  };
}

function codeOf(error: Error): string | undefined {
  return 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** What a caller sees of a failed connection: the system's or the parser's code. */
function reasonOf(error: Error): string {
  const code = codeOf(error) ?? error.name;
  return code === 'UND_ERR_SOCKET' ? 'ECONNRESET' : code;
}
