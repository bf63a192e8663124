import { Button, Group, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useLocation } from 'wouter';
import { type BodyOf, call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import { Fault } from '../../parts/states.tsx';
import { TEXTS } from '../../texts.ts';

const texts = TEXTS.analytics;

interface SegmentOfPlayersProps {
  body: BodyOf<'PUT /v1/segments/segments/{id}/members/query'>;
}

/** Makes a static segment of the players behind a figure. */
export function SegmentOfPlayers({ body }: SegmentOfPlayersProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [name, setName] = useState('');
  /** The segment that is there without its list, after a list that failed. */
  const [made, setMade] = useState<string | undefined>();
  const make = useMutation({
    mutationFn: async () => {
      const id =
        made ??
        (await call(scope, 'POST /v1/segments/segments', { body: { name: name.trim(), kind: 'static' } })).segment_id;
      setMade(id);
      return call(scope, 'PUT /v1/segments/segments/{id}/members/query', { path: { id }, body });
    },
    onSuccess: async ({ segment_id: id }) => {
      await queries.invalidateQueries({ queryKey: ['all segments'] });
      navigate(`/${scope.game}/${scope.environment}/segments/${id}`);
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label={texts.segmentName}
          value={name}
          disabled={made !== undefined}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" variant="default" disabled={name.trim() === ''} loading={make.isPending}>
          {texts.makeSegment}
        </Button>
      </Group>
      {make.error === null ? null : <Fault error={make.error} />}
    </form>
  );
}
