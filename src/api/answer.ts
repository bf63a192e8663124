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
}

/** A body outside the envelope: metrics, the OpenAPI document. */
export interface TextAnswer {
  kind: 'text';
  contentType: string;
  body: string;
}

/** A success with the given JSON text as its `data`. */
export function answer(data: string, options: { status?: 200 | 201; replayed?: boolean } = {}): JsonAnswer {
  return { kind: 'json', status: options.status ?? 200, data, replayed: options.replayed ?? false };
}
