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
  /** Name look-up, in the form `net.connect` takes; DNS and `/etc/hosts` when left out. */
  lookup?: LookupFunction;
}

/** Idle connections kept for the next delivery: few receivers are busy at once. */
const IDLE_CONNECTIONS = 256;
const IDLE_CONNECTION_MS = 15_000;

/**
 * Deliveries over HTTP(S), connections kept open between them. Redirects are not followed, response bodies are read only
 * to a bound, and the time limit covers the whole exchange.
 *
 * Addresses are checked where the connection is made: in the look-up the connection itself uses, so that a name which
 * answers differently the second time gains nothing. A literal address in a URL never meets a look-up and is checked by
 * itself; the URL parser has already brought its decimal, octal and short spellings to the usual one.
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

  /** Why this URL is not one to connect to, as far as the URL itself tells. */
  function refusalOf(url: URL): string | undefined {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'the URL is not http or https';
    if (isAllowed(url)) return undefined;
    const host = url.hostname.replaceAll(/[[\]]/g, '');
    if (isMetadataHost(host)) return "the name is that of a cloud's metadata";
    return isIP(host) !== 0 && !isPublicAddress(host) ? 'the address is not public' : undefined;
  }

  function open(url: URL, attempt: OutgoingAttempt, fresh: boolean): ClientRequest {
    const secure = url.protocol === 'https:';
    const requestOptions = {
      method: 'POST',
      headers: attempt.headers,
      lookup: isAllowed(url) ? lookup : publicLookup,
    };
    // `agent: false` makes a connection of its own, for this one request.
    const agent = fresh ? false : agents[secure ? 'https:' : 'http:'];
    return secure ? httpsRequest(url, { ...requestOptions, agent }) : httpRequest(url, { ...requestOptions, agent });
  }

  /** One exchange. `stale`: an idle connection turned out to be closed before the receiver can have seen anything. */
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
      // Every other way a request can end, such as an upgrade nobody asked for.
      request.on('close', () => finish({ kind: 'connection_failed', reason: 'closed without an answer' }, false));
      request.end(attempt.body);
    });
  }

  return {
    async send(attempt) {
      if (closed) return { kind: 'aborted' };
      if (!URL.canParse(attempt.url)) return { kind: 'refused', reason: 'the URL cannot be read' };
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
 * Takes the answer once the body has ended, or its bound is reached: a receiver that drips its body is one that did not
 * answer in time. A body cut short is a connection that failed.
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

/** Room for a date of HTTP and any number of seconds that makes sense. */
const RETRY_AFTER_LENGTH = 64;

class PrivateAddressError extends Error {}

/** A look-up that fails when any address of the name is not public. */
function refusePrivate(lookup: LookupFunction): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, address, family) => {
      if (error !== null) {
        callback(error, address, family);
        return;
      }
      const addresses = typeof address === 'string' ? [address] : address.map((entry) => entry.address);
      if (addresses.length === 0) callback(new Error('the name leads nowhere'), '', 0);
      else if (addresses.every(isPublicAddress)) callback(null, address, family);
      else callback(new PrivateAddressError('the name leads to an address that is not public'), '', 0);
    });
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}
