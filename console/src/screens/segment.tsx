import { Alert, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation } from 'wouter';
import { call } from '../frame/api.ts';
import { SwitchBadge } from '../parts/editors/switch-badge.tsx';
import type { Segment as ListedSegment } from '../definitions.ts';
import { History } from '../history/history.tsx';
import { DraftBar } from '../parts/drafts/draft-bar.tsx';
import { useDraft } from '../parts/drafts/draft.ts';
import { ManagedNotice } from '../parts/labels/managed-notice.tsx';
import { BackTo, isMissing, NotThere } from '../parts/not-there.tsx';
import { patch } from '../parts/optimistic.ts';
import { RemoveButton } from '../parts/editors/remove-button.tsx';
import { noteSaved, SavedNotice } from '../parts/drafts/saved.tsx';
import { Fault, Loaded, Page } from '../parts/states.tsx';
import {
  bodyOf,
  contentOf,
  type EditedSegment,
  editedOf,
  NEW_SEGMENT,
  type Segment as SegmentDocument,
  segmentQuery,
} from '../segments/edited-segment.ts';
import { SaveLater } from '../schedule/save-later.tsx';
import { Schedule } from '../schedule/schedule.tsx';
import { LiveSize } from '../segments/live-size.tsx';
import { SaveSegment } from '../segments/save-segment.tsx';
import { SegmentForm } from '../segments/segment-form.tsx';
import { SegmentList } from '../segments/segment-list.tsx';
import { Evaluation, Members, UsedBy } from '../segments/segment-state.tsx';
import { TestPlayer } from '../segments/test-player.tsx';
import { usePlace } from '../frame/session.tsx';
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
      noteSaved(queries, segmentQuery(scope, segment.segment_id), segment);
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
              {TEXTS.draft.discard}
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
    queryKey: segmentQuery(scope, id),
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
          <SwitchBadge enabled={segment.enabled} />
          {mayEdit ? <Remove segment={segment} /> : null}
        </>
      }
    >
      {mayEdit ? (
        <ManagedNotice of={segment} />
      ) : (
        <Alert color="gray" variant="outline" title={TEXTS.viewOnly('editor')} />
      )}
      {draft === undefined ? null : (
        <DraftBar onDiscard={() => setDraft(undefined)}>
          <SaveSegment draft={draft} body={body} setDraft={setDraft} />
          <SaveLater
            of="segment"
            id={segment.segment_id}
            before={contentOf(draft.base)}
            body={body}
            onPlanned={() => setDraft(undefined)}
          />
        </DraftBar>
      )}
      <SavedNotice place={segmentQuery(scope, segment.segment_id)} version={segment.version} />
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
      <Schedule
        of="segment"
        id={segment.segment_id}
        version={segment.version}
        enabled={segment.enabled}
        renews={[['segment'], ['members'], ['all segments']]}
      />
      <History
        base="/v1/segments/segments/{id}"
        path={{ id: segment.segment_id }}
        version={segment.version}
        mayRestore={mayEdit && draft === undefined}
        renews={[['segment'], ['all segments']]}
        place={segmentQuery(scope, segment.segment_id)}
      />
    </Page>
  );
}

function Remove({ segment: { segment_id: id, key, version, used_by: uses } }: { segment: SegmentDocument }) {
  const { scope } = usePlace();
  const isUsed = uses.flags.length + uses.experiments.length + uses.campaigns.length > 0;
  return (
    <RemoveButton
      action={TEXTS.remove}
      title={texts.removeTitle(key)}
      list={`/${scope.game}/${scope.environment}/segments`}
      disabled={isUsed}
      send={() =>
        call(scope, 'DELETE /v1/segments/segments/{id}', { path: { id }, headers: { 'If-Match': String(version) } })
      }
      patches={[
        patch<ListedSegment[]>(['all segments', scope.game, scope.environment], (held) =>
          held.filter((each) => each.segment_id !== id),
        ),
      ]}
      renews={[['segment'], ['all segments']]}
    >
      <Text>{isUsed ? texts.inUse : texts.removeHelp}</Text>
    </RemoveButton>
  );
}
