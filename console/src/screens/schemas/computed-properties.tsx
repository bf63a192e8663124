import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { DetailsDialog } from '../../history/details-dialog.tsx';
import { type Column, DataTable } from '../../parts/lists/data-table.tsx';
import { Loaded } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.computed;

type Property = AnswerOf<'GET /v1/properties/properties'>['properties'][number];

/** The computed properties of the game, which the API defines, with owner, tags and history of each. */
export function ComputedProperties() {
  const { scope, mayEdit } = usePlace();
  const [open, setOpen] = useState('');
  const found = useQuery({
    queryKey: ['properties', scope.game, scope.environment],
    queryFn: ({ signal }) => call(scope, 'GET /v1/properties/properties', { query: { limit: 500 }, signal }),
  });
  const property = found.data?.properties.find(({ key }) => key === open);
  return (
    <Stack component="section" aria-labelledby="computed" gap="xs">
      <Title order={2} size="h5" id="computed">
        {texts.title}
      </Title>
      <Text size="sm" c="dimmed">
        {texts.intro}
      </Text>
      <Loaded query={found} rows={2}>
        {({ properties }) => (
          <DataTable
            label={texts.title}
            columns={columnsOf(setOpen)}
            rows={properties}
            keyOf={({ key }) => key}
            empty={<Text>{texts.none}</Text>}
          />
        )}
      </Loaded>
      {property === undefined ? null : (
        <DetailsDialog
          title={property.key}
          base="/v1/properties/properties/{key}"
          path={{ key: property.key }}
          definition={property}
          mayChange={mayEdit}
          save={(labels) =>
            call(scope, 'PUT /v1/properties/properties/{key}', {
              path: { key: property.key },
              body: { ...property, ...labels },
            })
          }
          renews={[['properties']]}
          onClose={() => setOpen('')}
        />
      )}
    </Stack>
  );
}

function columnsOf(onOpen: (key: string) => void): Column<Property>[] {
  return [
    {
      id: 'key',
      label: texts.columns.key,
      sortBy: ({ key }) => key,
      cell: ({ key }) => (
        <Anchor component="button" fw={600} fz="inherit" ta="left" onClick={() => onOpen(key)}>
          {key}
        </Anchor>
      ),
    },
    { id: 'event', label: texts.columns.event, sortBy: ({ event }) => event, cell: ({ event }) => event },
    { id: 'aggregate', label: texts.columns.value, cell: valueText },
    { id: 'owner', label: texts.columns.owner, sortBy: ({ owner }) => owner, cell: ({ owner }) => owner },
    { id: 'tags', label: texts.columns.tags, cell: ({ tags }) => tags.join(', ') },
  ];
}

/** Such as "sum of properties.amount, 30 days". */
const valueText = ({ aggregate, value, within_days: days }: Property): string =>
  `${value === null ? aggregate : texts.of(aggregate, value)}${days === null ? '' : `, ${texts.days(days)}`}`;
