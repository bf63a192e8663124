import { failure } from '../../../core/kernel/errors.ts';

export const FROM_TEST = failure(
  'FORBIDDEN',
  'Both environments share the settings of a game. Change them with a key of the live environment.',
);
