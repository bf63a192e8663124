import type { AnswerOf } from '../../frame/api.ts';

/** A flag and what it did with a player. */
export type PlayerFlag = AnswerOf<'GET /v1/players/players/{id}/flags'>['flags'][number];
