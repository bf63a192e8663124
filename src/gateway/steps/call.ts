import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { LiveRequest } from '../../../streams/live-feed.ts';
import type { AuditTrail } from '../../../streams/audit/audit-trail.ts';
import type { ApiKey } from '../../access/api-key.ts';
import type { ChangesRequest } from '../../api/flags/evaluate/changes-request.ts';
import type { OnlyPlayer, Services } from '../../api/route/request-context.ts';
import type { KeyedRoute } from '../../api/route/route.ts';
import type { CallerAddresses } from '../../../core/kernel/caller-address.ts';
import type { Logger } from '../../../core/kernel/logger.ts';
import type { AuditedRequests, OwnContext } from '../access/audited-request.ts';
import type { ConsoleSessions } from '../access/console/console-session.ts';
import type { KeyRing } from '../access/keys/key-ring.ts';
import type { PlayerTokens } from '../access/keys/player-tokens.ts';
import type { RateLimiter } from '../access/limits/rate-limiter.ts';
import type { Exchange } from '../http/exchange.ts';
import type { BodyOutcome, BodyReader } from '../http/read/request-body.ts';
import type { BodyRoute, RequestHead, RouteReader } from '../http/read/request-head.ts';
import type { StreamKind, StreamRegistry } from '../sse/stream-registry.ts';

/** What the steps of requests use. */
export interface PipelineDeps {
  services: Services;
  keyRing: KeyRing;
  consoleSessions: ConsoleSessions;
  playerTokens: PlayerTokens;
  limiter: RateLimiter;
  audited: AuditedRequests;
  /** For what people do to themselves and to each other. */
  trail: AuditTrail;
  callers: CallerAddresses;
  bodies: BodyReader;
  /** Bodies that are read while they arrive. */
  uploads: Pick<StreamRegistry, 'add'>;
  eventStreams: StreamKind<LiveRequest>;
  changeStreams: StreamKind<ChangesRequest>;
  logger: Logger;
}

/** A request on its way through the steps. `req` is valid only until its handler returns. */
export interface Call<R extends BodyRoute = KeyedRoute> {
  readonly kind: 'call';
  readonly deps: PipelineDeps;
  readonly route: R;
  readonly reader: RouteReader<R>;
  readonly exchange: Exchange;
  readonly res: HttpResponse;
  readonly req: HttpRequest;
  /** The key of the caller, once it is known. */
  key: ApiKey | undefined;
  /** The caller's network. */
  network: () => string;
}

/* What steps add to a call. */

export interface WithKey {
  readonly key: ApiKey;
}
export interface WithPlayer {
  readonly player: OnlyPlayer | undefined;
}
export interface WithHead {
  readonly head: RequestHead;
}
export interface WithContext {
  readonly context: OwnContext;
}
/** What reading a body adds to. */
export interface WithParsed {
  readonly context: Pick<OwnContext, 'idempotency' | 'faults'>;
}
export interface WithOutcome {
  readonly outcome: BodyOutcome;
}
export interface WithBytes {
  readonly bytes: Buffer;
}
