import type { AnswerOf } from '../frame/api.ts';

export type OpsStatus = AnswerOf<'GET /v1/ops/status'>;
