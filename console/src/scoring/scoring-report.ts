import type { AnswerOf } from '../api.ts';

export type ScoringReport = AnswerOf<'GET /v1/scoring/report'>;
