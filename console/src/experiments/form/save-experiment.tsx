import { useQueryClient } from '@tanstack/react-query';
import { isActive } from '../../../../core/vocabulary/documents/experiments.ts';
import type { Experiment } from '../../definitions.ts';
import { call } from '../../frame/api.ts';
import { usePlace } from '../../frame/session.tsx';
import type { DocumentDraft } from '../../parts/drafts/document-tab.tsx';
import { type Document, partOf } from '../../parts/drafts/document-values.ts';
import { SaveDraft } from '../../parts/drafts/save-draft.tsx';
import { prettyJson } from '../../parts/editors/json-text.ts';
import { SegmentPlayerCount } from '../../parts/players/player-count.tsx';
import { TEXTS } from '../../texts.ts';
import { conditionsFault, experimentQuery, writable } from '../experiment-document.ts';
import { PhaseWarning } from './variant-fields.tsx';

const texts = TEXTS.experiment;

interface SaveExperimentProps {
  /** The experiment that the edit began with. */
  base: Experiment;
  /** What is saved; undefined: it is no JSON object. */
  document: Document | undefined;
  setDraft: (draft: DocumentDraft<Experiment> | undefined) => void;
}

export function SaveExperiment({ base, document, setDraft }: SaveExperimentProps) {
  const { scope } = usePlace();
  const queries = useQueryClient();
  const path = { key: base.key };
  const place = experimentQuery(scope, base.key);
  const fault = document === undefined ? undefined : conditionsFault(document);
  const audience = partOf(document ?? {}, 'audience');
  const segmentId = audience['segment_id'];
  return (
    <SaveDraft
      base={base}
      body={fault === undefined ? document : undefined}
      notReady={
        document === undefined
          ? TEXTS.campaign.badJson
          : fault === 'empty'
            ? texts.noConditions
            : TEXTS.conditions.unfinished
      }
      contentOf={writable}
      title={texts.saveTitle}
      changes={quietWords(base, scope.game)}
      send={(body) =>
        call(scope, 'PUT /v1/experiments/experiments/{key}', {
          path,
          body,
          headers: { 'If-Match': `"${base.version}"` },
        })
      }
      read={() => call(scope, 'GET /v1/experiments/experiments/{key}', { path })}
      placeOf={() => place}
      onSaved={(saved) => {
        queries.setQueryData(place, saved);
        setDraft(undefined);
        return queries.invalidateQueries({ queryKey: ['all experiments'] });
      }}
      onMerge={(theirs, merged) => {
        queries.setQueryData(place, theirs);
        setDraft({ base: theirs, edited: prettyJson({ ...writable(theirs), ...merged }) });
      }}
    >
      {document === undefined ? null : <PhaseWarning held={base} document={document} />}
      {isActive(base) ? (
        <SegmentPlayerCount
          what={texts.audienceCount}
          segmentId={typeof segmentId === 'string' ? segmentId : null}
          conditions={audience['conditions']}
        />
      ) : null}
    </SaveDraft>
  );
}

/** What a change of an experiment that decides nothing does; undefined: players get something else. */
function quietWords(held: Experiment, game: string): string | undefined {
  if (isActive(held)) return undefined;
  return held.state === 'draft' ? texts.draftChanges(game) : texts.textChanges(game);
}
