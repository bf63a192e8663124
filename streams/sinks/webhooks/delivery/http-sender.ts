import { Agent as HttpAgent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type LookupFunction, isIP } from 'node:net';
import type { Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import { isMetadataHost } from '../../../config/metadata-hosts.ts';
import { isPublicAddress } from './public-address.ts';
import { createResolver } from './resolver.ts';
import type { AttemptOutcome, DeliverySender, OutgoingAttempt } from './sender.ts';

export interface HttpSenderOptions {
  clock: Clock;
  /** Hosts (or `host:port`) that may be private. */
  allowPrivateHosts: readonly string[];
  /** Name look-up as `net.connect` expects it; DNS and `/etc/hosts` by default. */
  lookup?: LookupFunction;
}

/** Idle connections kept for later deliveries: few receivers are busy at once. */
const IDLE_CONNECTIONS = 256;
const IDLE_CONNECTION_MS = 15_000;

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
  const agentOptions = { keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS, timeout: IDLE_CONNECTION_MS } as const;
  const agents = { 'http:': new HttpAgent(agentOptions), 'https:': new HttpsAgent(agentOptions) };
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

  function open(url: URL, attempt: OutgoingAttempt, fresh: boolean): ClientRequest {
    const secure = url.protocol === 'https:';
    const requestOptions = {
      method: 'POST',
      headers: attempt.headers,
      lookup: isAllowed(url) ? lookup : publicLookup,
    };
    // `agent: false` opens a new connection for this request only.
    const agent = fresh ? false : agents[secure ? 'https:' : 'http:'];
    return secure ? httpsRequest(url, { ...requestOptions, agent }) : httpRequest(url, { ...requestOptions, agent });
  }

  /** One exchange. `stale`: the reused connection was already closed, so the receiver has not seen the request. */
  function exchange(url: URL, attempt: OutgoingAttempt, timeoutMs: number, fresh: boolean) {
    return new Promise<AttemptOutcome | 'stale'>((resolve) => {
      let request: ClientRequest;
      try {
        request = open(url, attempt, fresh);
      } catch (error) {
        resolve({ kind: 'connection_failed', reason: reasonOf(error) });
        return;
      }
      const finish = (outcome: AttemptOutcome | 'stale', destroy: boolean): void => {
        cancelTimer();
        inFlight.delete(abort);
        if (destroy) request.destroy();
        resolve(outcome);
      };
      const abort = (): void => finish({ kind: 'aborted' }, true);
      const cancelTimer = clock.timer(timeoutMs, () => finish({ kind: 'timed_out' }, true));
      inFlight.add(abort);
      let answered = false;
      request.on('response', (response) => {
        answered = true;
        readStart(response, finish);
      });
      request.on('error', (error) => {
        const reset = 'code' in error && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (reset && request.reusedSocket && !answered && !fresh) finish('stale', true);
        else if (error instanceof PrivateAddressError) finish({ kind: 'refused', reason: error.message }, true);
        else finish({ kind: 'connection_failed', reason: reasonOf(error) }, true);
      });
      // All other ends of a request, such as an upgrade that was not requested.
      request.on('close', () => finish({ kind: 'connection_failed', reason: 'closed without a response' }, false));
      request.end(attempt.body);
    });
  }

  return {
    async send(attempt) {
      if (closed) return { kind: 'aborted' };
      if (!URL.canParse(attempt.url)) return { kind: 'refused', reason: 'the URL is not valid' };
      const url = new URL(attempt.url);
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
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

/**
 * Completes the exchange once the body has ended or its bound is reached. A body that arrives too slowly therefore
 * times out, and a truncated body is a failed connection.
 */
function readStart(response: IncomingMessage, finish: (outcome: AttemptOutcome, destroy: boolean) => void): void {
  const status = response.statusCode ?? 0;
  const retryAfter = response.headers['retry-after']?.slice(0, RETRY_AFTER_LENGTH);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const answered = (): AttemptOutcome => ({
    kind: 'answered',
    status,
    responseStart: Buffer.concat(chunks).subarray(0, LIMITS.deliveryResponseBytes).toString('utf8'),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    sizeBytes += chunk.byteLength;
    if (sizeBytes >= LIMITS.deliveryResponseBytes) finish(answered(), true);
  });
  response.on('end', () => finish(answered(), false));
  response.on('error', (error) => finish({ kind: 'connection_failed', reason: reasonOf(error) }, true));
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
