import type { AnswerOf } from '../frame/api.ts';

export type ScoringReport = AnswerOf<'GET /v1/scoring/report'>;
