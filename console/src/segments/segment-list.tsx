import { Button, Card, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api.ts';
import { Fault } from '../parts/states.tsx';
import { number, Time } from '../parts/values.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';
import { linesOf, type Segment } from './edited-segment.ts';

const texts = TEXTS.segment;

/** The list of a static segment, and players to add to it. */
export function SegmentList({ segment }: { segment: Segment }) {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const [ids, setIds] = useState('');
  const add = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/segments/segments/{id}/members', {
        path: { id: segment.segment_id },
        body: { external_ids: linesOf(ids) },
      }),
    onSuccess: async () => {
      setIds('');
      await queries.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const { list } = segment;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.kindStatic}
      </Title>
      <Stack gap="xs">
        {list === undefined ? null : (
          <Text size="sm">
            {texts.listOf(number(list.players))} <Time at={list.loaded_at} />
          </Text>
        )}
        {mayEdit ? (
          <>
            <Textarea
              label={texts.addMembers}
              autosize
              minRows={2}
              maxRows={8}
              value={ids}
              onChange={(event) => setIds(event.currentTarget.value)}
            />
            <Button
              variant="default"
              size="xs"
              w="fit-content"
              loading={add.isPending}
              disabled={linesOf(ids).length === 0}
              onClick={() => add.mutate()}
            >
              {texts.addMembersAction}
            </Button>
          </>
        ) : null}
        {add.error === null ? null : <Fault error={add.error} />}
        {add.data === undefined ? null : (
          <Text role="status">
            {texts.added(add.data.added)}{' '}
            {add.data.unknown_ids.length === 0 ? '' : texts.unknown(add.data.unknown_ids.join(', '))}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
