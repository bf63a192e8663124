import type { JsonObject } from '../../kernel/text/json.ts';
import type { Labelled } from '../labels.ts';
import type { WriteMark } from './write-mark.ts';

/** A question of the query API that people gave a name. Stored under its key. */
export interface SavedQueryDocument extends Labelled {
  key: string;
  name: string;
  description: string;
  /** The body of a query, as it was valid when it was saved. */
  query: JsonObject;
  /** Days before today, and today; `null`: the range of the query. */
  rangeDays: number | null;
  createdAt: number;
  updatedAt: number;
  version: number;
  /** The latest, bounded in number and age. */
  writes?: WriteMark[];
}
