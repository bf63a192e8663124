import { Alert, Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api.ts';
import { StateBadge } from '../flags/state-badge.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { useDraft } from '../parts/draft.ts';
import { BackTo, isMissing, NotThere } from '../parts/not-there.tsx';
import { Fault, Loaded, Page } from '../parts/states.tsx';
import {
  bodyOf,
  contentOf,
  type EditedSegment,
  editedOf,
  NEW_SEGMENT,
  type Segment as SegmentDocument,
} from '../segments/edited-segment.ts';
import { LiveSize } from '../segments/live-size.tsx';
import { SaveSegment } from '../segments/save-segment.tsx';
import { SegmentForm } from '../segments/segment-form.tsx';
import { SegmentList } from '../segments/segment-list.tsx';
import { Evaluation, Members, UsedBy } from '../segments/segment-state.tsx';
import { TestPlayer } from '../segments/test-player.tsx';
import { usePlace } from '../session.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.segment;
/** How often the progress is read while players are evaluated. */
const PROGRESS_MS = 1_500;
/** How often members are read otherwise: they are about a second behind. */
const MEMBERS_MS = 5_000;

/** One segment, or a new one. */
export function Segment({ params }: { params: Readonly<Record<string, string | undefined>> }) {
  const id = params['id'] ?? '';
  return id === 'new' ? <NewSegment /> : <HeldSegment key={id} id={id} />;
}

function NewSegment() {
  const { scope, mayEdit } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [draft, setDraft] = useDraft<null, EditedSegment>(`segment ${scope.game} ${scope.environment} new`);
  const edited = draft?.edited ?? NEW_SEGMENT;
  const body = bodyOf(edited);
  const create = useMutation({
    mutationFn: () =>
      call(scope, 'POST /v1/segments/segments', { body: { ...body, key: edited.key.trim(), kind: edited.kind } }),
    onSuccess: async (segment) => {
      setDraft(undefined);
      await queries.invalidateQueries({ queryKey: ['all segments'] });
      navigate(`/${scope.game}/${scope.environment}/segments/${segment.segment_id}`);
    },
  });
  return (
    <Page
      title={texts.newTitle}
      actions={
        <>
          {draft === undefined ? null : (
            <Button variant="default" onClick={() => setDraft(undefined)} disabled={create.isPending}>
              {texts.discard}
            </Button>
          )}
          <Button
            disabled={!mayEdit || body === undefined || edited.key.trim() === ''}
            loading={create.isPending}
            onClick={() => create.mutate()}
          >
            {texts.create}
          </Button>
        </>
      }
    >
      {mayEdit ? null : <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />}
      {create.error === null ? null : <Fault error={create.error} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <SegmentForm
          edited={edited}
          isNew
          readOnly={!mayEdit}
          onChange={(change) => setDraft({ base: null, edited: { ...edited, ...change } })}
        />
        {edited.kind === 'static' ? null : (
          <Stack>
            <LiveSize edited={edited} />
            <TestPlayer conditions={edited.conditions} segmentId={undefined} />
          </Stack>
        )}
      </SimpleGrid>
    </Page>
  );
}

function HeldSegment({ id }: { id: string }) {
  const { scope } = usePlace();
  const query = useQuery({
    queryKey: ['segment', scope.game, scope.environment, id],
    queryFn: ({ signal }) => call(scope, 'GET /v1/segments/segments/{id}', { path: { id }, signal }),
    refetchInterval: ({ state }) => (state.data?.evaluation.status === 'running' ? PROGRESS_MS : false),
  });
  if (isMissing(query.error)) {
    return (
      <NotThere title={TEXTS.nav.segments} id={id} what={texts.missing} help={texts.missingHelp}>
        <BackTo href={`/${scope.game}/${scope.environment}/segments`}>{texts.back}</BackTo>
      </NotThere>
    );
  }
  if (query.data !== undefined) return <SegmentScreen segment={query.data} />;
  return (
    <Page title={TEXTS.nav.segments}>
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

function SegmentScreen({ segment }: { segment: SegmentDocument }) {
  const { scope, mayEdit } = usePlace();
  const name = `segment ${scope.game} ${scope.environment} ${segment.segment_id}`;
  const [draft, setDraft] = useDraft<SegmentDocument, EditedSegment>(name);
  const edited = draft?.edited ?? editedOf(segment);
  const body = draft === undefined ? contentOf(segment) : bodyOf(edited);
  return (
    <Page
      title={segment.key}
      intro={segment.name === segment.key ? undefined : segment.name}
      actions={
        <>
          <StateBadge enabled={segment.enabled} />
          {mayEdit ? <Remove segment={segment} /> : null}
        </>
      }
    >
      {mayEdit ? null : <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />}
      {draft === undefined ? null : (
        <Alert color="yellow" variant="outline" title={texts.draft} role="status">
          <Group>
            <SaveSegment draft={draft} body={body} setDraft={setDraft} />
            <Button variant="default" size="xs" onClick={() => setDraft(undefined)}>
              {texts.discard}
            </Button>
          </Group>
        </Alert>
      )}
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <SegmentForm
          edited={edited}
          isNew={false}
          readOnly={!mayEdit}
          onChange={(change) => setDraft({ base: draft?.base ?? segment, edited: { ...edited, ...change } })}
        />
        <Stack>
          {segment.kind === 'static' ? <SegmentList segment={segment} /> : <LiveSize edited={edited} />}
          <Evaluation of={segment} />
          <UsedBy of={segment} />
          {segment.kind === 'static' ? null : (
            <TestPlayer conditions={edited.conditions} segmentId={segment.segment_id} />
          )}
        </Stack>
      </SimpleGrid>
      <Members
        id={segment.segment_id}
        isList={segment.kind === 'static'}
        refetchMs={segment.evaluation.status === 'running' ? PROGRESS_MS : MEMBERS_MS}
      />
    </Page>
  );
}

function Remove({ segment }: { segment: SegmentDocument }) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const isUsed = segment.used_by.flags.length + segment.used_by.campaigns.length > 0;
  const remove = useMutation({
    mutationFn: () =>
      call(scope, 'DELETE /v1/segments/segments/{id}', {
        path: { id: segment.segment_id },
        headers: { 'If-Match': String(segment.version) },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['all segments'] });
      navigate(`/${scope.game}/${scope.environment}/segments`);
    },
  });
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {TEXTS.remove}
      </Button>
      <Confirm
        opened={asking}
        onClose={() => setAsking(false)}
        title={texts.removeTitle(segment.key)}
        action={TEXTS.remove}
        isDangerous
        disabled={isUsed}
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <Text>{isUsed ? texts.inUse : texts.removeHelp}</Text>
      </Confirm>
    </>
  );
}
