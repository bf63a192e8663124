import { Button, Card, FileButton, Group, Stack, Text, Textarea, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../frame/api.ts';
import { Confirm } from '../parts/editors/confirm.tsx';
import { Fault } from '../parts/states.tsx';
import { number, Time } from '../parts/lists/values.tsx';
import { usePlace } from '../frame/session.tsx';
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
  const named = new Set(linesOf(ids)).size;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.list}
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
            {named === 0 ? null : <Text fw={600}>{texts.adds(number(named))}</Text>}
            <Button
              variant="default"
              size="xs"
              w="fit-content"
              loading={add.isPending}
              disabled={named === 0}
              onClick={() => add.mutate()}
            >
              {texts.addMembersAction}
            </Button>
          </>
        ) : null}
        {mayEdit ? <Replace segment={segment} /> : null}
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

const TYPES: ReadonlyMap<string, string> = new Map([
  ['csv', 'text/csv'],
  ['ndjson', 'application/x-ndjson'],
  ['jsonl', 'application/x-ndjson'],
  ['json', 'application/json'],
]);

/** Replaces the whole list by a file, after a question. */
function Replace({ segment }: { segment: Segment }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const replace = useMutation({
    mutationFn: (content: File) =>
      call(scope, 'PUT /v1/segments/segments/{id}/members', {
        path: { id: segment.segment_id },
        file: { type: TYPES.get(content.name.split('.').at(-1)?.toLowerCase() ?? '') ?? 'text/csv', content },
      }),
    onSuccess: async () => {
      setFile(null);
      await queries.invalidateQueries({ queryKey: ['segment'] });
      await queries.invalidateQueries({ queryKey: ['members'] });
    },
  });
  const { data: done } = replace;
  return (
    <>
      <Group gap="xs">
        <FileButton onChange={setFile} accept={[...TYPES.keys()].map((end) => `.${end}`).join()}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {texts.replace}
            </Button>
          )}
        </FileButton>
      </Group>
      <Text size="xs" c="dimmed">
        {texts.replaceHelp}
      </Text>
      {done === undefined ? null : (
        <Text role="status">
          {texts.replaced(number(done.members), number(done.received))}{' '}
          {done.unknown_ids.length === 0 ? '' : texts.unknown(done.unknown_ids.join(', '))}
        </Text>
      )}
      <Confirm
        opened={file !== null}
        onClose={() => {
          setFile(null);
          replace.reset();
        }}
        title={texts.replaceTitle(file?.name ?? '')}
        action={texts.replace}
        busy={replace.isPending}
        error={replace.error}
        onConfirm={() => {
          if (file !== null) replace.mutate(file);
        }}
      >
        {file === null ? null : <ReplaceCounts segment={segment} file={file} />}
      </Confirm>
    </>
  );
}

/** How many players the list has, and how many lines the file: only its players stay. */
function ReplaceCounts({ segment: { list }, file }: { segment: Segment; file: File }) {
  const { data: lines } = useQuery({
    queryKey: ['lines of a file', file.name, file.size, file.lastModified],
    queryFn: () => countLines(file),
  });
  if (lines === undefined) return <Text c="dimmed">{TEXTS.playerCount.counting}</Text>;
  return (
    <Text fw={600} role="status">
      {texts.replaces(number(list?.players ?? 0), number(lines))}
    </Text>
  );
}

/** The lines of a file that are not empty, read piece by piece: a list may have millions. */
async function countLines(file: File): Promise<number> {
  const reader = file.stream().getReader();
  let lines = 0;
  let isEmpty = true;
  for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
    for (const byte of piece.value) {
      if (byte === LINE_FEED) {
        lines += isEmpty ? 0 : 1;
        isEmpty = true;
      } else if (byte !== CARRIAGE_RETURN) isEmpty = false;
    }
  }
  return isEmpty ? lines : lines + 1;
}

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
