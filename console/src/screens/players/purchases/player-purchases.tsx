import { Button, Stack, Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../frame/api.ts';
import { usePlace } from '../../../frame/session.tsx';
import { type Column, DataTable } from '../../../parts/lists/data-table.tsx';
import { money, Time } from '../../../parts/lists/values.tsx';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { TEXTS } from '../../../texts.ts';
import { type Purchase, purchasesOf, remainsOf } from './purchase-list.ts';
import { RefundDialog } from './refund-dialog.tsx';

const texts = TEXTS.purchases;
const AGAIN_MS = 1_000;

/** What a player bought, what was refunded of it, and the action that refunds. */
export function PlayerPurchases({ playerId }: { playerId: string }) {
  const { scope, mayEdit, currency } = usePlace();
  const { game, environment } = scope;
  const [refunding, setRefunding] = useState<string | undefined>();
  /** What remains of refunded purchases, as the service answered: rows follow a second later. */
  const [answered, setAnswered] = useState<ReadonlyMap<string, number>>(new Map());
  const pages = useInfiniteQuery({
    queryKey: ['timeline', game, environment, playerId, 'purchases'],
    initialPageParam: '',
    queryFn: ({ signal, pageParam }) =>
      call(scope, 'GET /v1/players/players/{id}/timeline', {
        path: { id: playerId },
        query: { kind: ['purchase'], cursor: pageParam },
        signal,
      }),
    getNextPageParam: ({ next_cursor: cursor }) => cursor,
    refetchInterval: ({ state }) => {
      const shown = purchasesOf(state.data?.pages.flatMap(({ entries }) => entries) ?? []);
      // An open dialog must know of refunds of others.
      return refunding !== undefined || shown.some((each) => isLater(each, answered)) ? AGAIN_MS : false;
    },
  });
  const purchases = purchasesOf(pages.data?.pages.flatMap(({ entries }) => entries) ?? []);
  const refunded = purchases.find(({ id }) => id === refunding);
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {texts.help(currency)}
      </Text>
      <Loaded query={pages} rows={6}>
        {() => (
          <DataTable
            label={texts.title}
            rows={purchases.map((each) => withAnswer(each, answered))}
            keyOf={({ id }) => id}
            columns={columnsOf(mayEdit ? ({ id }) => setRefunding(id) : undefined)}
            empty={<Empty title={texts.none}>{texts.noneHelp}</Empty>}
            more={{
              isThere: pages.hasNextPage,
              isLoading: pages.isFetchingNextPage,
              load: () => void pages.fetchNextPage(),
            }}
          />
        )}
      </Loaded>
      {refunded === undefined ? null : (
        <RefundDialog
          playerId={playerId}
          purchase={withAnswer(refunded, answered)}
          onClose={() => setRefunding(undefined)}
          onDone={(remaining) => setAnswered(new Map(answered).set(refunded.transaction, remaining))}
        />
      )}
    </Stack>
  );
}

/** Whether the rows do not have a refund yet that was answered. */
const isLater = (purchase: Purchase, answered: ReadonlyMap<string, number>): boolean =>
  remainsOf(purchase) > (answered.get(purchase.transaction) ?? Number.POSITIVE_INFINITY);

function withAnswer(purchase: Purchase, answered: ReadonlyMap<string, number>): Purchase {
  const remaining = answered.get(purchase.transaction);
  return remaining === undefined || !isLater(purchase, answered)
    ? purchase
    : { ...purchase, refunded: purchase.paid - remaining };
}

/** What counts, and what the player paid if that was converted. */
const paidText = ({ paid, sent, currency }: Purchase): string =>
  sent === undefined ? money(paid) : `${money(paid)} (${money(sent.paid)} ${currency})`;

function columnsOf(refund: ((purchase: Purchase) => void) | undefined): readonly Column<Purchase>[] {
  const { columns } = texts;
  return [
    { id: 'at', label: columns.at, cell: ({ at }) => <Time at={at} />, sortBy: ({ at }) => at },
    { id: 'product', label: columns.product, cell: ({ product }) => product, sortBy: ({ product }) => product },
    {
      id: 'transaction',
      label: columns.transaction,
      cell: ({ transaction }) =>
        transaction === '' ? (
          <Text span size="sm" c="dimmed">
            {texts.noTransaction}
          </Text>
        ) : (
          <span className="mono break-anywhere">{transaction}</span>
        ),
    },
    { id: 'by', label: columns.by, cell: ({ by }) => by },
    { id: 'paid', label: columns.paid, align: 'right', cell: paidText, sortBy: ({ paid }) => paid },
    {
      id: 'refunded',
      label: columns.refunded,
      align: 'right',
      cell: ({ refunded }) => (refunded === 0 ? '–' : money(refunded)),
      sortBy: ({ refunded }) => refunded,
    },
    { id: 'net', label: columns.net, align: 'right', cell: (each) => money(remainsOf(each)), sortBy: remainsOf },
    ...(refund === undefined
      ? []
      : [
          {
            id: 'action',
            label: columns.action,
            cell: (each: Purchase) =>
              each.transaction === '' ? null : remainsOf(each) === 0 ? (
                texts.gone
              ) : (
                <Button
                  size="compact-xs"
                  variant="default"
                  aria-label={texts.refundLabel(each.transaction)}
                  onClick={() => refund(each)}
                >
                  {texts.refund}
                </Button>
              ),
          },
        ]),
  ];
}
