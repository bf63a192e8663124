/** Bounds of what an import keeps of all files before it imports the first line. */
export const SURVEY_LIMITS = {
  /** Anonymous ids that became users: 40 bytes and the user's id each, so about 200 MB. */
  surveyLinks: 2_000_000,
  /** Sessions whose length follows from several lines: 50 bytes each, so 200 MB. */
  surveySessions: 4_000_000,
  /** Events whose times are added up to lengths of sessions, each once: 24 bytes each, so 300 MB. Three a session. */
  surveyParts: 12_000_000,
  /** An id may become another one, which becomes another one: PostHog's aliases of aliases. */
  surveyHops: 16,
} as const;
