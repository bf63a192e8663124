import { Badge, Button, Card, FileButton, Group, Stack, Table, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { SHARED_LIMITS } from '../../../../core/kernel/limits.ts';
import { csvText } from '../../../../core/kernel/text/csv-text.ts';
import { RATE_COLUMNS } from '../../../../core/kernel/text/rate-lines.ts';
import { type AnswerOf, call, type Scope } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Confirm } from '../../parts/editors/confirm.tsx';
import { ConfirmButton } from '../../parts/editors/confirm-button.tsx';
import { download } from '../../parts/lists/csv.ts';
import { number, Time } from '../../parts/lists/values.tsx';
import { isMissing } from '../../parts/not-there.tsx';
import { ScrollRegion } from '../../parts/scroll-region.tsx';
import { Fault, Loaded } from '../../parts/states.tsx';
import { dayText } from '../../parts/zoned-time.ts';
import { TEXTS } from '../../texts.ts';
import { AddRate } from './add-rate.tsx';
import { changesOf, fileRows, isTooOld, type Rates, ratesInFile, rowsOf } from './rate-table.ts';

const texts = TEXTS.rates;

type RateTable = AnswerOf<'GET /v1/settings/exchange-rates'>;

const ratesQuery = ({ game }: Scope): string[] => ['exchange rates', game];

/** The rates by which purchases in other currencies are converted. Both environments share them. */
export function ExchangeRates() {
  const { scope, currency } = usePlace();
  const found = useQuery({
    queryKey: ratesQuery(scope),
    queryFn: ({ signal }) => call(scope, 'GET /v1/settings/exchange-rates', { signal }),
  });
  return (
    <Card withBorder component="section" aria-labelledby="rates">
      <Stack gap="sm">
        <Title order={2} size="h5" id="rates">
          {texts.title}
        </Title>
        {currency === null ? (
          <Text c="dimmed">{texts.noCurrency}</Text>
        ) : (
          <>
            <Text size="sm" c="dimmed">
              {texts.intro(currency)}
            </Text>
            {isMissing(found.error) ? (
              <>
                <Text>{texts.none}</Text>
                <Actions table={undefined} currency={currency} />
              </>
            ) : (
              <Loaded query={found} rows={2}>
                {(table) => (
                  <>
                    <Text size="sm">
                      {texts.set(table.version)} <Time at={table.updated_at} />.
                    </Text>
                    <Currencies rates={table.rates} />
                    <Actions table={table} currency={currency} />
                  </>
                )}
              </Loaded>
            )}
          </>
        )}
      </Stack>
    </Card>
  );
}

/** What a table has of each currency. */
function Currencies({ rates }: { rates: Rates }) {
  const { zone } = usePlace();
  const today = dayText(zone, Date.now());
  return (
    <ScrollRegion label={texts.label}>
      <Table aria-label={texts.label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.columns.currency}</Table.Th>
            <Table.Th ta="right">{texts.columns.count}</Table.Th>
            <Table.Th>{texts.columns.first}</Table.Th>
            <Table.Th>{texts.columns.last}</Table.Th>
            <Table.Th ta="right">{texts.columns.rate}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rowsOf(rates).map(({ currency, count, firstDay, lastDay, lastRate }) => (
            <Table.Tr key={currency}>
              <Table.Th scope="row">{currency}</Table.Th>
              <Table.Td ta="right">{number(count)}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{firstDay}</Table.Td>
              <Table.Td>
                <Group gap="xs">
                  {lastDay}
                  {isTooOld(lastDay, today, SHARED_LIMITS.rateAgeDays) ? (
                    <Badge color="orange" variant="outline" tt="none">
                      {texts.tooOld(SHARED_LIMITS.rateAgeDays)}
                    </Badge>
                  ) : null}
                </Group>
              </Table.Td>
              <Table.Td ta="right">{String(lastRate)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

/** What an admin does in live: replace, add, delete. Everybody takes the table as a file. */
function Actions({ table, currency }: { table: RateTable | undefined; currency: string }) {
  const { scope, isAdmin } = usePlace();
  const mayChange = isAdmin && scope.environment === 'live';
  const replace = useReplace(table);
  return (
    <>
      {mayChange ? null : (
        <Text size="sm" c="dimmed">
          {isAdmin ? TEXTS.settings.onlyLive : TEXTS.viewOnly('admin')}
        </Text>
      )}
      <Group gap="xs">
        {table === undefined ? null : (
          <Button
            size="xs"
            variant="default"
            onClick={() => download('exchange-rates.csv', csvText(RATE_COLUMNS, fileRows(table.rates)))}
          >
            {texts.download}
          </Button>
        )}
        {mayChange ? <Upload table={table} /> : null}
        {mayChange && table !== undefined ? <Remove table={table} /> : null}
      </Group>
      {mayChange ? (
        <>
          <Text size="xs" c="dimmed">
            {texts.uploadHelp}
          </Text>
          <AddRate table={table} own={currency} replace={replace} />
        </>
      ) : null}
    </>
  );
}

/** Replaces the whole table, on the version that the screen shows. */
function useReplace(table: RateTable | undefined) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (rates: Rates) =>
      call(scope, 'PUT /v1/settings/exchange-rates', {
        headers: table === undefined ? {} : { 'If-Match': String(table.version) },
        body: { rates },
      }),
    onSuccess: (saved) => queries.setQueryData(ratesQuery(scope), saved),
  });
}

type FileOfRates = ReturnType<typeof ratesInFile>;

function Upload({ table }: { table: RateTable | undefined }) {
  const { scope } = usePlace();
  const [file, setFile] = useState<FileOfRates | undefined>();
  const again = useRef<() => void>(null);
  const replace = useReplace(table);
  const rates = file?.kind === 'rates' ? file.rates : undefined;
  const read = async (chosen: File | null): Promise<void> => {
    if (chosen !== null) setFile(ratesInFile(await chosen.text()));
    // The same file can be chosen again once it is mended.
    again.current?.();
  };
  const close = (): void => {
    setFile(undefined);
    replace.reset();
  };
  return (
    <>
      <FileButton onChange={(chosen) => void read(chosen)} accept=".csv" resetRef={again}>
        {(props) => (
          <Button {...props} variant="default" size="xs">
            {texts.upload}
          </Button>
        )}
      </FileButton>
      {file?.kind === 'fault' ? <Fault error={new Error(file.message)} onClose={close} /> : null}
      <Confirm
        opened={rates !== undefined}
        onClose={close}
        title={texts.ask}
        size="xl"
        action={texts.replace}
        changes={texts.changes(scope.game)}
        busy={replace.isPending}
        error={replace.error}
        onConfirm={() => {
          if (rates !== undefined) replace.mutate(rates, { onSuccess: close });
        }}
      >
        <RateChanges before={table?.rates ?? {}} after={rates ?? {}} />
        <Currencies rates={rates ?? {}} />
      </Confirm>
    </>
  );
}

/** How many rates differ. */
function RateChanges({ before, after }: { before: Rates; after: Rates }) {
  const { added, changed, removed } = changesOf(before, after);
  return (
    <>
      <Text fw={600}>{texts.counts(number(added), number(changed), number(removed))}</Text>
      <Text size="sm">{texts.keeps}</Text>
    </>
  );
}

function Remove({ table: { version } }: { table: RateTable }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => call(scope, 'DELETE /v1/settings/exchange-rates', { headers: { 'If-Match': String(version) } }),
    onSuccess: () => queries.resetQueries({ queryKey: ratesQuery(scope) }),
  });
  return (
    <ConfirmButton
      action={texts.remove}
      title={texts.removeTitle}
      changes={texts.changes(scope.game)}
      isDangerous
      size="xs"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={(close) => remove.mutate(undefined, { onSuccess: close })}
      onClose={() => remove.reset()}
    >
      <Text>{texts.removeHelp}</Text>
      <Text size="sm">{texts.keeps}</Text>
    </ConfirmButton>
  );
}
