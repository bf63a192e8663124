import { Button, Group, Text, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AnswerOf } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { dayText } from '../../parts/zoned-time.ts';
import { TEXTS } from '../../texts.ts';
import { type Rates, withRate } from './rate-table.ts';

const texts = TEXTS.rates;

type RateTable = AnswerOf<'GET /v1/settings/exchange-rates'>;

interface AddRateProps {
  table: RateTable | undefined;
  /** The currency of the game. */
  own: string;
  replace: UseMutationResult<RateTable, Error, Rates>;
}

/** Adds the rate of one currency and day. */
export function AddRate({ table, own, replace }: AddRateProps) {
  const { scope, zone } = usePlace();
  const [currency, setCurrency] = useState('');
  const [day, setDay] = useState(() => dayText(zone, Date.now()));
  const [text, setText] = useState('');
  const [asking, setAsking] = useState(false);
  const rate = Number(text);
  const isRate = text.trim() !== '' && Number.isFinite(rate) && rate > 0;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setAsking(true);
  };
  const close = (): void => {
    setAsking(false);
    replace.reset();
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-start" gap="sm" role="group" aria-label={texts.add}>
        <TextInput
          size="xs"
          label={texts.currency}
          placeholder="JPY"
          maxLength={3}
          value={currency}
          onChange={(event) => setCurrency(event.currentTarget.value.toUpperCase())}
        />
        <TextInput
          size="xs"
          type="date"
          label={texts.day}
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
        />
        <TextInput
          size="xs"
          inputMode="decimal"
          label={texts.rate(own)}
          placeholder="0.00547"
          value={text}
          error={text === '' || isRate ? undefined : texts.badRate}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Group>
      <Button
        type="submit"
        size="xs"
        variant="default"
        mt="xs"
        disabled={!isRate || day === '' || currency.length !== 3}
        title={texts.addHelp}
      >
        {texts.add}
      </Button>
      <Confirm
        opened={asking}
        onClose={close}
        title={texts.askAdd(currency, day)}
        action={texts.add}
        changes={texts.changes(scope.game)}
        busy={replace.isPending}
        error={replace.error}
        onConfirm={() =>
          replace.mutate(withRate(table?.rates ?? {}, currency, day, rate), {
            onSuccess: () => {
              setText('');
              close();
            },
          })
        }
      >
        <Text>{texts.addHelp}</Text>
        <Text size="sm">{texts.keeps}</Text>
      </Confirm>
    </form>
  );
}
