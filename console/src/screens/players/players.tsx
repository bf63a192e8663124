import {
  Alert,
  Anchor,
  Badge,
  Button,
  Group,
  NativeSelect,
  Text,
  TextInput,
  Title,
  VisuallyHidden,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { type AnswerOf, call } from '../../frame/api.ts';
import { useAddressField } from '../../parts/address.ts';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { NamedLink } from '../../parts/named-link.tsx';
import { Empty, Loaded, Page } from '../../parts/states.tsx';
import { money, number, Time } from '../../parts/lists/values.tsx';
import { usePlace } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { TestPlayerBadge } from './test-player.tsx';

const texts = TEXTS.players;
const REFRESH_MS = 10_000;
/** Without a search: the service orders all players, since the table holds the first of them only. */
const ORDERS = ['last_seen_at', 'total_revenue', 'session_count'] as const;

type Found = AnswerOf<'GET /v1/players/players'>['players'][number];

/** Finds players. The address holds what is searched for: `players/find/<text>`. */
export function Players() {
  const { scope } = usePlace();
  const { game, environment } = scope;
  const base = `/${game}/${environment}/players`;
  const [, navigate] = useLocation();
  const wanted = searchedText(globalThis.location.pathname);
  const [text, setText] = useState(wanted);
  const [shownFor, setShownFor] = useState(wanted);
  const [named, setOrder] = useAddressField('order');
  const order = ORDERS.find((each) => each === named) ?? 'last_seen_at';
  if (shownFor !== wanted) {
    // The palette opened another search.
    setShownFor(wanted);
    setText(wanted);
  }
  const found = useQuery({
    queryKey: ['players', game, environment, wanted, order],
    queryFn: ({ signal }) => {
      const query = wanted === '' ? { order } : { search: wanted };
      return call(scope, 'GET /v1/players/players', { query, signal });
    },
    refetchInterval: wanted === '' ? REFRESH_MS : false,
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const next = text.trim();
    navigate(next === '' ? base : `${base}/find/${encodeURIComponent(next)}`);
  };
  return (
    <Page title={texts.title} intro={texts.intro}>
      <SearchForm text={text} onText={setText} onSubmit={submit} />
      {wanted === '' ? (
        <NativeSelect
          label={texts.order}
          value={order}
          data={ORDERS.map((each) => ({ value: each, label: texts.orders[each] }))}
          onChange={({ currentTarget: { value } }) => setOrder(value === 'last_seen_at' ? '' : value)}
          maw={280}
        />
      ) : null}
      <Loaded query={found} rows={8}>
        {({ players, complete }) => (
          <>
            {complete ? null : <Alert color="yellow">{texts.incomplete}</Alert>}
            <Title order={2} size="h5">
              {wanted === '' ? texts.first[order] : texts.found(number(players.length))}
            </Title>
            <Text size="sm" c="dimmed">
              {wanted === '' ? texts.firstHelp : texts.foundHelp}
            </Text>
            <VisuallyHidden role="status">{wanted === '' ? '' : texts.found(number(players.length))}</VisuallyHidden>
            <DataTable
              label={wanted === '' ? texts.first[order] : texts.title}
              columns={columnsOf(base, wanted !== '')}
              rows={players}
              keyOf={({ id }) => id}
              empty={<NoPlayers wanted={wanted} start={`/${game}/${environment}/start`} />}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface SearchFormProps {
  text: string;
  onText: (text: string) => void;
  onSubmit: (event: FormEvent) => void;
}

function SearchForm({ text, onText, onSubmit }: SearchFormProps) {
  return (
    <form onSubmit={onSubmit} role="search">
      <Group align="flex-end">
        <TextInput
          label={texts.search}
          description={texts.searchHelp}
          placeholder={texts.searchHint}
          value={text}
          maxLength={256}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => onText(event.currentTarget.value)}
          flex="1 1 280px"
          maw={560}
        />
        <Button type="submit">{texts.submit}</Button>
      </Group>
    </form>
  );
}

function NoPlayers({ wanted, start }: { wanted: string; start: string }) {
  if (wanted !== '') return <Empty title={texts.noneFound(wanted)}>{texts.noneFoundHelp}</Empty>;
  return (
    <Empty title={texts.none}>
      <Text c="dimmed">{texts.noneHelp}</Text>
      <Anchor component={Link} href={start} underline="always">
        {texts.toStart}
      </Anchor>
    </Empty>
  );
}

function columnsOf(base: string, isSearch: boolean): Column<Found>[] {
  const matched: Column<Found> = {
    id: 'matched',
    label: texts.columns.matched,
    cell: (row) => <MatchedBy row={row} />,
  };
  return [
    {
      id: 'player',
      label: texts.columns.player,
      cell: ({ id, external_id: externalId }) => <NamedLink href={`${base}/${id}`} name={externalId} below={id} isId />,
    },
    ...(isSearch ? [matched] : []),
    {
      id: 'stage',
      label: texts.columns.stage,
      cell: ({ lifecycle_stage: stage, is_test_player: isTestPlayer }) => (
        <Group gap="xs">
          <Badge variant="outline" color="gray" tt="none">
            {stage}
          </Badge>
          {isTestPlayer ? <TestPlayerBadge /> : null}
        </Group>
      ),
    },
    {
      id: 'sessions',
      label: texts.columns.sessions,
      align: 'right',
      cell: ({ session_count: count }) => number(count),
    },
    {
      id: 'revenue',
      label: texts.columns.revenue,
      align: 'right',
      cell: ({ total_revenue: revenue }) => money(revenue),
    },
    {
      id: 'last',
      label: texts.columns.lastSeen,
      cell: ({ last_seen_at: at }) => <Time at={at} />,
    },
  ];
}

/** Says what matched, with the value if it stands in no other column. */
function MatchedBy({ row }: { row: Found }) {
  if (row.matched === null) return null;
  const value = row.matched === 'device_id' ? row.device_id : row.matched === 'email' ? row.email : null;
  return (
    <>
      {texts.matched[row.matched]}
      {value === null ? null : (
        <Text size="xs" c="dimmed" className="mono">
          {value}
        </Text>
      )}
    </>
  );
}

/** The text of an address. The router decodes its parameters once, which is once too often for a percent sign. */
function searchedText(pathname: string): string {
  const text = pathname.split('/players/find/')[1] ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
