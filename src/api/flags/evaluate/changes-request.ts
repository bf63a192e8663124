import type { Environment } from '../../../../core/vocabulary/documents/scope.ts';
import type { KeyKind } from '../../../access/api-key.ts';

/** A request for the stream of changed flags. */
export interface ChangesRequest {
  game: string;
  environment: Environment;
  /** Server keys get `definitions_changed` too. */
  kind: KeyKind;
  /** The `Last-Event-ID` of the request. */
  lastEventId?: string;
}
