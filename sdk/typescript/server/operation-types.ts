import type { Operations } from '../src/generated/operations.ts';
import type { ENDPOINTS } from './generated/endpoints.ts';

/* The types of calls, by endpoint: method and path as in the service's OpenAPI document. */

/** Every endpoint of the service. */
export type OperationName = keyof Operations;

/** Endpoints that answer with a stream of Server-Sent Events. */
export type StreamName = {
  [K in keyof typeof ENDPOINTS]: (typeof ENDPOINTS)[K]['answers'] extends 'stream' ? K : never;
}[keyof typeof ENDPOINTS];

/** Endpoints with one answer. */
export type CallName = Exclude<OperationName, StreamName>;

/** A part of a request: absent where the endpoint has none, optional where all of its fields are. */
type Part<Name extends string, T> = [T] extends [undefined]
  ? { readonly [K in Name]?: undefined }
  : object extends T
    ? { readonly [K in Name]?: T }
    : { readonly [K in Name]: T };

/** What a request to the endpoint carries. */
export type OperationInput<K extends OperationName> = Part<'path', Operations[K]['path']> &
  Part<'query', Operations[K]['query']> &
  Part<'header', Operations[K]['header']> &
  Part<'body', Operations[K]['body']>;

/** The `data` of the envelope, or the whole answer where there is no envelope. */
export type OperationAnswer<K extends OperationName> = Operations[K]['answer'];

export interface CallOptions {
  /** Ends the call; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds to wait for each attempt; the client's `timeoutMs` by default. */
  readonly timeoutMs?: number;
  /** Attempts after the first one; the client's `retries` by default. */
  readonly retries?: number;
  /**
   * Makes a write safe to repeat. By default each call to an endpoint that supports it gets a new one, so that its own
   * retries count once.
   */
  readonly idempotencyKey?: string;
}

/** The arguments of a call after the endpoint: optional if nothing is required. */
export type CallArguments<K extends OperationName> =
  object extends OperationInput<K>
    ? [input?: OperationInput<K> & CallOptions]
    : [input: OperationInput<K> & CallOptions];

/** An answer with its headers. */
export interface FullAnswer<K extends OperationName> {
  readonly status: number;
  readonly data: OperationAnswer<K>;
  /** The version of a definition, for `If-Match`. */
  readonly etag: string | undefined;
  readonly requestId: string | undefined;
  /** Whether this is the stored answer of an earlier attempt. */
  readonly replayed: boolean;
}
