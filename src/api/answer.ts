import type { Failure } from '../kernel/errors.ts';

/** What a route answers with. The gateway puts it into the envelope and onto the wire. */
export type Answer = JsonAnswer | TextAnswer | Failure;

/** A success. `data` is JSON text, so that documents held as text are spliced in without being parsed. */
export interface JsonAnswer {
  kind: 'json';
  status: 200 | 201;
  data: string;
  /** Whether it repeats an earlier answer: sets `Idempotent-Replayed: true`. */
  replayed: boolean;
  /** Version of what is answered; goes out as a strong ETag. */
  etag?: number;
}

/** An answer outside the envelope: metrics, the OpenAPI document, protocols that others defined. */
export interface TextAnswer {
  kind: 'text';
  /** 200 when left out. */
  status?: number;
  /** `undefined` without a body. */
  contentType: string | undefined;
  body: string;
  /** Headers of its own; those that are not standard stand in RESPONSE_HEADERS, so that browsers may read them. */
  headers?: Readonly<Record<string, string>>;
}

/** A success with the given JSON text as its `data`. */
export function answer(data: string, { status = 200, replayed = false, etag }: AnswerOptions = {}): JsonAnswer {
  return { kind: 'json', status, data, replayed, ...(etag === undefined ? {} : { etag }) };
}

type AnswerOptions = Partial<Pick<JsonAnswer, 'status' | 'replayed' | 'etag'>>;
