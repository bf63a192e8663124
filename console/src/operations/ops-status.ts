import type { AnswerOf } from '../api.ts';

export type OpsStatus = AnswerOf<'GET /v1/ops/status'>;
