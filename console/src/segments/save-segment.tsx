import { Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { Json, JsonObject } from '../../../core/kernel/text/json.ts';
import { call } from '../frame/api.ts';
import type { Draft } from '../parts/drafts/draft.ts';
import { PlayerCount } from '../parts/players/player-count.tsx';
import { SaveDraft } from '../parts/drafts/save-draft.tsx';
import { usePlace } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { contentOf, type EditedSegment, editedOf, type Segment, segmentQuery } from './edited-segment.ts';

const texts = TEXTS.segment;

interface SaveSegmentProps {
  draft: Draft<Segment, EditedSegment>;
  body: JsonObject | undefined;
  setDraft: (draft: Draft<Segment, EditedSegment> | undefined) => void;
}

export function SaveSegment({ draft: { base }, body, setDraft }: SaveSegmentProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const path = { id: base.segment_id };
  const renew = () =>
    Promise.all(['segment', 'members', 'all segments'].map((kind) => queries.invalidateQueries({ queryKey: [kind] })));
  return (
    <SaveDraft
      base={base}
      body={body}
      contentOf={contentOf}
      title={texts.saveTitle(base.key)}
      send={(fields) =>
        call(scope, 'PUT /v1/segments/segments/{id}', {
          path,
          headers: { 'If-Match': String(base.version) },
          body: { ...fields, kind: base.kind },
        })
      }
      read={() => call(scope, 'GET /v1/segments/segments/{id}', { path })}
      placeOf={() => segmentQuery(scope, base.segment_id)}
      onSaved={async () => {
        // The screen reads the saved segment before the draft goes, so that it never shows the old one.
        await renew();
        setDraft(undefined);
      }}
      onMerge={(theirs, merged) => {
        setDraft({ base: theirs, edited: editedOf({ ...theirs, ...merged }) });
        void renew();
      }}
    >
      {body === undefined || base.kind === 'static' ? null : (
        <PlayerCount
          what={TEXTS.playerCount.segmentAfter}
          conditions={body['conditions']}
          includes={idsOf(body['includes'])}
          excludes={idsOf(body['excludes'])}
        />
      )}
      <Text size="sm">{texts.sweep}</Text>
    </SaveDraft>
  );
}

function idsOf(list: Json | undefined): string[] {
  return Array.isArray(list) ? list.filter((id) => typeof id === 'string') : [];
}
