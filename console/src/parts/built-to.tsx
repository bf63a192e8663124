import { Alert } from '@mantine/core';
import { Time } from './lists/values.tsx';
import { daysBehind } from './days-behind.ts';
import { TEXTS } from '../texts.ts';

interface BuiltToProps {
  /** `built_to` of an answer: undefined if it does not read days; null while all days are built anew. */
  builtTo: string | null | undefined;
  /** When the answer arrived, epoch milliseconds. */
  answeredAt: number;
}

/** Says up to when the days behind figures are built, where that is not now. */
export function BuiltTo({ builtTo, answeredAt }: BuiltToProps) {
  const behind = daysBehind(builtTo, answeredAt);
  if (behind === undefined || builtTo === undefined) return null;
  return (
    <Alert color="yellow" variant="outline" role="status" py={6}>
      {builtTo === null ? (
        TEXTS.builtTo.anew
      ) : (
        <>
          {TEXTS.builtTo.upTo} <Time at={builtTo} />. {TEXTS.builtTo.later}
        </>
      )}
    </Alert>
  );
}
