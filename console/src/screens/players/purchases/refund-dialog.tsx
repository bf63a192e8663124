import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError, call } from '../../../frame/api.ts';
import { usePlace } from '../../../frame/session.tsx';
import { Confirm } from '../../../parts/editors/confirm.tsx';
import { money } from '../../../parts/lists/values.tsx';
import { TEXTS } from '../../../texts.ts';
import { amountOf, type Purchase, refundable } from './purchase-list.ts';

const texts = TEXTS.purchases;

interface RefundDialogProps {
  playerId: string;
  purchase: Purchase;
  onClose: () => void;
  /** @param remaining what remains of the purchase, as the service says */
  onDone: (remaining: number) => void;
}

const newId = (): string => `console-${crypto.randomUUID()}`;

/** Refunds a purchase, whole or in part, once: another try has the same id. */
export function RefundDialog({ playerId, purchase, onClose, onDone }: RefundDialogProps) {
  const { scope, currency: own } = usePlace();
  const queries = useQueryClient();
  const [refundId, setRefundId] = useState(newId);
  const [isPart, setPart] = useState(false);
  const [text, setText] = useState('');
  const { most, currency } = refundable(purchase, own);
  const amount = isPart ? amountOf(text, most) : most > 0 ? most : undefined;
  const inCurrency = (value: number): string => `${money(value)} ${currency}`.trim();
  const refund = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/players/players/{id}/refund', {
        path: { id: playerId },
        query: {
          transaction_id: purchase.transaction,
          refund_id: refundId,
          amount,
        },
      }),
    onSuccess({ remaining }) {
      onDone(remaining);
      onClose();
    },
    onError(error) {
      // Refused: other refunds came first. Without an answer the next try is the same refund.
      if (error instanceof ApiError && error.status === 409) setRefundId(newId());
    },
    onSettled() {
      const { game, environment } = scope;
      // What the service said does not wait for the lists.
      void queries.invalidateQueries({ queryKey: ['timeline', game, environment, playerId] });
      void queries.invalidateQueries({ queryKey: ['player', game, environment, playerId] });
    },
  });
  const ofAmount = refund.error instanceof ApiError && refund.error.fields.find(({ path }) => path.endsWith('amount'));
  return (
    <Confirm
      opened
      onClose={onClose}
      title={texts.askTitle(purchase.transaction)}
      action={texts.action(amount === undefined ? '' : inCurrency(amount))}
      onConfirm={() => refund.mutate()}
      busy={refund.isPending}
      error={ofAmount ? null : refund.error}
      disabled={amount === undefined}
      isDangerous
      changes={texts.changes(scope.game)}
    >
      <Radio.Group
        label={texts.what}
        value={isPart ? 'part' : 'whole'}
        onChange={(value) => {
          refund.reset();
          setPart(value === 'part');
        }}
      >
        <Stack gap={4} mt={4}>
          <Radio value="whole" label={texts.whole(inCurrency(most))} />
          <Radio value="part" label={texts.part} />
        </Stack>
      </Radio.Group>
      {isPart ? (
        <TextInput
          label={texts.amount}
          description={texts.amountHelp(inCurrency(most))}
          inputMode="decimal"
          value={text}
          error={ofAmount ? ofAmount.message : text !== '' && amount === undefined}
          onChange={(event) => {
            refund.reset();
            setText(event.currentTarget.value);
          }}
        />
      ) : null}
      <Text size="sm">{texts.follows}</Text>
    </Confirm>
  );
}
