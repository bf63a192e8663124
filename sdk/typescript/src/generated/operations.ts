/* Written by scripts/generate-operations.ts from the routes of the service. Do not edit. */

/** An analytics query. */
type AnalyticsQuery = {
  /** `trend`: a metric over time. */
  readonly kind: 'trend' | 'breakdown' | 'retention' | 'ltv' | 'funnel' | 'paths' | 'lifecycle' | 'stickiness';
  /** First moment, by `happened_at`. */
  readonly from?: string;
  /** Moment after the last. */
  readonly to?: string;
  /** In place of `from` and `to`: so many days, this one included. */
  readonly last_days?: number;
  /** `trend` and `breakdown`. */
  readonly metric?:
    | 'active_players'
    | 'active_days'
    | 'wau'
    | 'mau'
    | 'new_players'
    | 'returning_players'
    | 'sessions'
    | 'playtime_seconds'
    | 'events'
    | 'players'
    | 'sum'
    | 'average'
    | 'percentile'
    | 'purchases'
    | 'payers'
    | 'first_time_payers'
    | 'gross_revenue'
    | 'refunds'
    | 'revenue'
    | 'stickiness'
    | 'arpdau'
    | 'arppu'
    | 'payer_share'
    | 'conversion'
    | 'sessions_per_player'
    | 'playtime_per_player';
  /**
   * Required with the metrics `sum`, `average` and `percentile`: path of a number in the
   * properties, keys joined by dots.
   */
  readonly property?: string;
  /** The share in percent of the metric `percentile`. */
  readonly percentile?: 50 | 90 | 95 | 99;
  /** Metrics of events: only events with these names. */
  readonly event_names?: readonly string[];
  /** `trend` and `breakdown`: one metric divided by another, in place of `metric`. */
  readonly formula?: {
    /** What is divided. */
    readonly numerator: WhatIsDivided;
    /** By what it is divided. */
    readonly denominator: WhatIsDivided;
  };
  /** true: the metric divided by the active players. */
  readonly per_player?: boolean;
  /** `trend`: true: only what happened before `to` counts, and since `from`. */
  readonly cut?: boolean;
  /** `trend`: the same number of intervals before the range, beside it. */
  readonly compare?: 'previous_period';
  /** Required with `paths`: the event that paths start with. */
  readonly event_name?: string;
  /** `trend`, and without hours `retention` and `lifecycle`: length of an interval. */
  readonly interval?: 'hour' | 'day' | 'week' | 'month';
  /** The field to group by. */
  readonly by?: string;
  /** Conditions that must all hold. */
  readonly where?: readonly Condition[];
  /** `retention` and `ltv`: the days to look at, each once. */
  readonly days?: readonly number[];
  /** Required with `funnel`: its steps, in order. */
  readonly steps?: readonly {
    /** Name of the event. */
    readonly event_name: string;
    /** Conditions that must all hold. */
    readonly where?: readonly Condition[];
  }[];
  /** `funnel`: `ordered` (default): the steps in their order, other events may lie between. */
  readonly order?: 'ordered' | 'strict' | 'any_order';
  /** `funnel`: events that end an attempt between its steps, if they are not its next step. */
  readonly exclusions?: readonly {
    /** Name of the event. */
    readonly event_name: string;
    /** Conditions that must all hold. */
    readonly where?: readonly Condition[];
    /** The event ends attempts that wait after this step, from 1. */
    readonly after_step?: number;
  }[];
  /** `paths`: `forward` (default): what followed the event. */
  readonly direction?: 'forward' | 'backward';
  /** `retention`: `classic` (default): who returned in the Nth interval after the first. */
  readonly method?: 'classic' | 'rolling';
  /** `retention`: players begin with their first such event in the range. */
  readonly first_event?: {
    /** Name of the event. */
    readonly event_name: string;
    /** Conditions that must all hold. */
    readonly where?: readonly Condition[];
  };
  /** `retention`: they return with such an event. */
  readonly return_event?: {
    /** Name of the event. */
    readonly event_name: string;
    /** Conditions that must all hold. */
    readonly where?: readonly Condition[];
  };
  /** `retention` by week or month, in place of `days`: the intervals to look at, each once. */
  readonly periods?: readonly number[];
  /** `funnel`: all steps happen within this time of the first. */
  readonly window_seconds?: number;
  /** `paths`: longest pause between two events of a path. */
  readonly within_seconds?: number;
  /** Values or paths in the answer, the largest first. */
  readonly limit?: number;
};

/** A batch of messages. */
type BatchOfMessages = {
  /** The messages, at most 2500. */
  readonly batch: readonly {
    /** Type of the message. */
    readonly type?: unknown;
    /** Id of the message: the event_id. */
    readonly messageId?: unknown;
    /** The player's external_id. */
    readonly userId?: unknown;
    /** Id of a device or browser whose player is not known. */
    readonly anonymousId?: unknown;
    /** track: name of the event. */
    readonly event?: unknown;
    /** track, page, screen: properties of the event. */
    readonly properties?: unknown;
    /** identify: attributes of the player. */
    readonly traits?: unknown;
    /** page, screen: its name. */
    readonly name?: unknown;
    /** page, screen: its category. */
    readonly category?: unknown;
    /** group: id of the group. */
    readonly groupId?: unknown;
    /** alias: the earlier id. */
    readonly previousId?: unknown;
    /** When it happened, by the clock of the sender. */
    readonly originalTimestamp?: unknown;
    /** The same, if there is no `originalTimestamp`. */
    readonly timestamp?: unknown;
    /** Only `library.name`, `sessionId` and `traits` are read. */
    readonly context?: unknown;
  }[];
  /** Ignored. */
  readonly timestamp?: unknown;
  /** Ignored. */
  readonly context?: unknown;
  /** When it was sent, by the clock of the sender: corrects wrong clocks. */
  readonly sentAt?: unknown;
  /** The API key, if no header has it. */
  readonly writeKey?: unknown;
  /** Ignored. */
  readonly integrations?: unknown;
  /** Ignored. */
  readonly channel?: unknown;
  /** Ignored. */
  readonly version?: unknown;
  /** Ignored. */
  readonly rudderId?: unknown;
  /** Ignored. */
  readonly receivedAt?: unknown;
  /** Ignored. */
  readonly _metadata?: unknown;
};

/** A button. */
type Button = {
  /** Id of the button, unique in the message. */
  readonly id: string;
  /** Label. */
  readonly label: string;
  /** What a click does: a link, or a word that the game understands. */
  readonly action?: string;
};

/** A campaign. */
type Campaign = {
  /** Id of the campaign. */
  readonly campaign_id: string;
  /** Key of the campaign, used in tables and webhooks. */
  readonly key: string;
  /** Display name. */
  readonly name: string;
  /** Whether the campaign triggers and delivers interventions. */
  readonly enabled: boolean;
  /** The trigger. */
  readonly trigger: Trigger;
  /**
   * Names in conditions that no event or player has yet, operators without `$`, and operators
   * that compare versions as texts.
   */
  readonly warnings?: readonly Warning[];
  /** Id of the segment (`seg_…`) that the player must be in. */
  readonly audience: string | null;
  /** Content that the player sees. */
  readonly content: Content;
  /** Messages that are tested against each other, at least two. */
  readonly variants: readonly Message[] | null;
  /** The latest test of variants, whose results you get. */
  readonly tested: {
    /** Version of the campaign from which on keys and weights are these. */
    readonly since: number;
    /** The variants. */
    readonly variants: readonly {
      /** Key of the variant, unique in the campaign. */
      readonly key: string;
      /** Share of players, relative to the sum of all weights. */
      readonly weight: number;
    }[];
  } | null;
  /** How the client shows the intervention. */
  readonly display_rules: {
    /** Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. */
    readonly priority?: string;
    /** Seconds after which the client hides the intervention. */
    readonly dismiss_after_seconds?: number;
  };
  /** Frequency caps. */
  readonly caps: {
    /** Maximum number of interventions that a player sees. */
    readonly total?: number | null;
    /** Maximum number of interventions per player and UTC day. */
    readonly per_day?: number | null;
  };
  /** Minimum time between two interventions for one player, seconds. */
  readonly cooldown_seconds: number;
  /**
   * Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA
   * name, an offset such as `+02:00`, or a name that Windows uses), else the game's.
   */
  readonly quiet_hours: {
    /** Start of the quiet hours, time of day. */
    readonly from: string;
    /** End of the quiet hours, time of day, exclusive. */
    readonly to: string;
  } | null;
  /** Percentage of players in the holdout group, 0 to 100, who never get interventions. */
  readonly holdout_percentage: number;
  /** Time after which an undelivered intervention expires, seconds. */
  readonly expires_after_seconds: number;
  /** When the campaign starts to trigger. */
  readonly start_at: string | null;
  /** When the campaign stops triggering and delivering. */
  readonly end_at: string | null;
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the campaign was created. */
  readonly created_at: string;
  /** When the campaign was last changed. */
  readonly updated_at: string;
};

/** A change. */
type Change = {
  /** When it is made, not in the past. */
  readonly at?: string;
  /**
   * How long after the change before it in this request, in minutes, hours or days of 24
   * hours: `90m`, `24h`, `7d`.
   */
  readonly after?: string;
  /**
   * A merge patch (RFC 7396) of the definition as GET shows it: objects are merged, lists are
   * replaced, null sets a field to its default.
   */
  readonly patch: Readonly<Record<string, unknown>>;
};

/** A computed property. */
type ComputedProperty = {
  /** Key of the property. */
  readonly key: string;
  /** Display name. */
  readonly name: string;
  /** Free text for people. */
  readonly description: string;
  /** Name of the events that are counted. */
  readonly event: string;
  /**
   * Condition on `properties.<path>` of the event, without regular expressions, `$elemMatch`
   * and `$all`.
   */
  readonly where: Readonly<Record<string, unknown>> | null;
  /** `count`: number of events. */
  readonly aggregate: 'count' | 'sum' | 'max' | 'min' | 'average' | 'first' | 'last' | 'distinct';
  /** `properties.<path>` of the event, required except for `count`. */
  readonly value: string | null;
  /** Window in UTC days, today included, 1 to 90. */
  readonly within_days: number | null;
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the property was created. */
  readonly created_at: string;
  /** When the property was last changed. */
  readonly updated_at: string;
};

/** A condition on one field: one operator or several, which must all hold. */
type Condition = {
  /** The field, as for `by`. */
  readonly field: string;
  /** One of these texts. */
  readonly in?: readonly string[];
  /** This value. */
  readonly is?: string | number | boolean;
  /** Another value than this, or none. */
  readonly is_not?: string | number | boolean;
  /** A number greater than this. */
  readonly gt?: number;
  /** A number of at least this. */
  readonly gte?: number;
  /** A number less than this. */
  readonly lt?: number;
  /** A number of at most this. */
  readonly lte?: number;
  /** A text with this in it, letters as they are. */
  readonly contains?: string;
  /** `true`: there is a value. */
  readonly is_set?: true;
  /** `true`: there is no value. */
  readonly is_not_set?: true;
};

/** Content that the player sees. */
type Content = {
  /** Title. */
  readonly title: string;
  /** Text. */
  readonly body: string;
  /** Label of the button of a message that needs only one. */
  readonly cta?: string;
  /** Picture. */
  readonly image?: string;
  /** Where a tap on the message leads. */
  readonly deep_link?: string;
  /**
   * An object for the game, such as a reward, delivered as it is: without placeholders, the
   * same in all languages.
   */
  readonly data?: Readonly<Record<string, unknown>>;
  /** Buttons, in their order. */
  readonly buttons?: readonly Button[];
  /** By language tag (BCP 47). */
  readonly locales?: Readonly<Record<string, unknown>>;
};

/** A device to score. */
type Device = {
  /** Your device id. */
  readonly device_id: string;
  /** Number of distinct loot-case types opened. */
  readonly loot_distinct_types?: number;
  /** Total active session time, seconds, without idle and background time. */
  readonly sess_duration_total?: number;
  /** Mean fight time of all matches, seconds, without loading time. */
  readonly match_avg_fight_time?: number;
  /** Number of matches with the result `WIN`. */
  readonly match_wins?: number;
  /** Hour of the day of the install, 0 to 23, UTC. */
  readonly install_hour?: number;
  /** Number of virtual-currency events, earned and spent, without real-money purchases. */
  readonly vpay_count?: number;
};

/** The effect of a restoration. */
type EffectOfRestoration = {
  /** The version that would be changed: the current one. */
  readonly version: number | null;
  /** The version that would be restored. */
  readonly restores: number;
  /** What differs from the version before, in words. */
  readonly difference: readonly string[];
  /** What stays as it is now, because the history does not keep it. */
  readonly notes: readonly string[];
  /** Of a flag: what it does to the players of the experiment, as in `preview`. */
  readonly edit_effect?: string;
};

/** An event that violates its schema. */
type Event = {
  /** Index of the event in the request, from 0. */
  readonly index: number;
  /** Whether the event was quarantined because its schema is enforced. */
  readonly quarantined: boolean;
  /**
   * The first 8 violations of the event's schema, or why a view leaves an event of the economy
   * or of levels out.
   */
  readonly warnings: readonly {
    /** JSON Pointer into the properties. */
    readonly path: string;
    /** The rule that the value breaks. */
    readonly message: string;
  }[];
};

/** An event of the session. */
type EventOfSession = {
  /** Name of the event. */
  readonly event_name: string;
  /** When the event happened, possibly hours ago. */
  readonly timestamp?: string;
  /** Custom properties. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Your id of the event. */
  readonly event_id?: string;
};

/** An event schema. */
type EventSchema = {
  /** Name of the events that the schema applies to. */
  readonly event_name: string;
  /** Free text for people. */
  readonly description: string;
  /** JSON Schema (draft 2020-12) for the `properties` of the events. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** What happens to events that violate the schema. */
  readonly mode: 'observe' | 'warn' | 'enforce';
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the schema was created. */
  readonly created_at: string;
  /** When the schema was last changed. */
  readonly updated_at: string;
};

/** An event to track. */
type EventToTrack = {
  /** Id of the player, assigned by the service. */
  readonly player_id: string;
  /** Name of the event. */
  readonly event_name: string;
  /** Custom properties. */
  readonly properties?: Readonly<Record<string, unknown>>;
  /** Id of the session that the event belongs to. */
  readonly session_id?: string;
  /** When the event happened. */
  readonly timestamp?: string;
  /** Your id of the event. */
  readonly event_id?: string;
};

/** Exchange rates of a game. */
type ExchangeRatesOfGame = {
  /** ISO 4217 code of the game's currency. */
  readonly currency: string;
  /** Grows with each change. */
  readonly version: number;
  /** When it was stored. */
  readonly updated_at: string;
  /**
   * Rates by ISO 4217 code of another currency and by day: one for each day on which it
   * changes, and at least one in 7 days.
   */
  readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>;
};

/** The experiment that decided; left out if the flag did. */
type Experiment = {
  /** Key of the experiment. */
  readonly key: string;
  /** The phase in which the player was assigned. */
  readonly phase: number;
  /** Key of the assigned variant. */
  readonly variant_key: string;
};

/** An experiment. */
type Experiment2 = {
  /** Key of the experiment. */
  readonly key: string;
  /** Display name. */
  readonly name: string;
  /** What you expect, and why. */
  readonly hypothesis: string;
  /** Key of the flag whose variants the experiment compares. */
  readonly flag_key: string;
  /** `ab` (default): players get the values of their variants. */
  readonly mode: 'ab' | 'aa';
  /** Who may take part. */
  readonly audience: {
    /** Id of a segment (`seg_…`): only its players. */
    readonly segment_id?: string | null;
    /** Only players who meet this condition. */
    readonly conditions?: Readonly<Record<string, unknown>>;
  };
  /** Percentage of the audience that takes part, 0 to 100. */
  readonly traffic: number;
  /** The variants to compare, the control first. */
  readonly variants: readonly {
    /** Key of a variant of the flag. */
    readonly key: string;
    /** Share of players, relative to the sum of all weights. */
    readonly weight: number;
  }[];
  /**
   * What puts players into buckets: `player` (their id), `device` (`device_id` of the
   * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
   * else the attribute).
   */
  readonly bucket_by: string;
  /** Decides, with what `bucket_by` names, who takes part and which variant each gets. */
  readonly salt: string;
  /** A range of players that no other active experiment of the layer has. */
  readonly layer: RangeOfPlayers | null;
  /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
  readonly primary: Metric | null;
  /** Metrics that must not get worse. */
  readonly guardrails: readonly MetricThatMustNotGetWorse[];
  /** What the experiment is planned for. */
  readonly plan: WhatExperimentIsPlanned;
  /** `running`: players take part. */
  readonly state: 'draft' | 'running' | 'paused' | 'stopped' | 'shipped' | 'discarded';
  /** What is possible now. */
  readonly actions: readonly ('start' | 'pause' | 'resume' | 'stop' | 'discard' | 'ship' | 'undo')[];
  /** The phases, oldest first. */
  readonly phases: readonly {
    /** Number of the phase, from 1. */
    readonly phase: number;
    /** When it began. */
    readonly since: string;
    /** The shares. */
    readonly variants: readonly {
      /** Key of the variant. */
      readonly key: string;
      /** Its weight. */
      readonly weight: number;
    }[];
  }[];
  /**
   * What guardrails found, oldest first, once per guardrail and phase, and again if it was
   * overridden.
   */
  readonly alerts: readonly {
    /** When it was found. */
    readonly at: string;
    /** The phase of the experiment then. */
    readonly phase: number;
    /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
    readonly metric: Metric;
    /** The direction that harms. */
    readonly worse: 'lower' | 'higher';
    /** What was tolerated, relative to the mean of the control. */
    readonly margin: number;
    /** What the guardrail does. */
    readonly action: 'notify' | 'pause' | 'roll_back';
    /** Key of the variant that harms. */
    readonly variant_key: string;
    /** Its relative lift then. */
    readonly lift: number | null;
    /** Lower bound of the lift, valid at every look. */
    readonly low: number | null;
    /** Upper bound of the lift, valid at every look. */
    readonly high: number | null;
    /** The state of the experiment after it. */
    readonly state: 'draft' | 'running' | 'paused' | 'stopped' | 'shipped' | 'discarded';
    /** The version of the experiment that it made. */
    readonly version: number;
    /** When the experiment was resumed after it. */
    readonly overridden_at: string | null;
    /** Who resumed it: the e-mail address of a person, or the id of a key. */
    readonly overridden_by: string | null;
  }[];
  /** Key of the variant that was shipped. */
  readonly winner: string | null;
  /** How the winner was shipped. */
  readonly shipped: {
    /** The version of the flag that serves the winner. */
    readonly flag_version: number;
    /** When it was shipped. */
    readonly at: string;
  } | null;
  /** When it started. */
  readonly started_at: string | null;
  /** When it was stopped. */
  readonly stopped_at: string | null;
  /**
   * Names in conditions that no event or player has yet, operators without `$`, and operators
   * that compare versions as texts.
   */
  readonly warnings?: readonly Warning[];
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the experiment was created. */
  readonly created_at: string;
  /** When the experiment was last changed. */
  readonly updated_at: string;
};

/** The experiment and its flag after the change. */
type ExperimentAndFlagAfterChange = {
  /** An experiment. */
  readonly experiment: Experiment2;
  /** How the flag changes. */
  readonly flag: HowFlagChanges;
  /** How to take it back: method and path of a request. */
  readonly undo: string | null;
};

/** A figure of the query's answer. */
type FigureOfQuerySAnswer = {
  /** The value of `by`, as in the answer. */
  readonly key?: string | null;
  /** Required with `trend`: the start of the interval, as in the answer. */
  readonly at?: string;
  /** Required with figures that divide one metric by another: whose players. */
  readonly part?: 'numerator' | 'denominator';
  /**
   * Required with `retention`, `ltv`, `lifecycle` and `stickiness`: `day` of the cohort or
   * interval, as in the answer.
   */
  readonly day?: string;
  /** `retention`: who returned so many intervals later, one of the query. */
  readonly after?: number;
  /** `ltv`: true: the payers of the cohort. */
  readonly payers?: boolean;
  /** Required with `funnel`: the step, from 1. */
  readonly step?: number;
  /**
   * `funnel`: who reached the step (`reached`, default), and of these who reached the next
   * one, who did not in time, or who may still do so, as the fields of the answer.
   */
  readonly outcome?: 'reached' | 'converted' | 'dropped' | 'inside';
  /** Required with `paths`: `steps` of the path, as in the answer. */
  readonly steps?: readonly (string | null)[];
  /** Required with `lifecycle`. */
  readonly state?: 'new' | 'current' | 'resurrected' | 'dormant';
  /** Required with `stickiness`: on how many days of the interval they were active. */
  readonly days?: number;
};

/** A flag. */
type Flag = {
  /** Key of the flag. */
  readonly key: string;
  /** Type of the served values. */
  readonly flag_type: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
  /** Display name. */
  readonly name: string;
  /** Free text for people. */
  readonly description: string;
  /** Whether the flag is evaluated. */
  readonly enabled: boolean;
  /** When you expect the flag to be gone: from then on it is `stale`. */
  readonly ends_at: string | null;
  /** Whether client keys may learn of the flag. */
  readonly client_visible: boolean;
  /** Value for players that no rule includes, and of a disabled flag. */
  readonly default_value: unknown;
  /** What players get whom no rule includes. */
  readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes;
  /**
   * What puts players into buckets: `player` (their id), `device` (`device_id` of the
   * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
   * else the attribute).
   */
  readonly bucket_by: string;
  /** Variants that the flag serves by weight. */
  readonly variants: readonly Variant[];
  /** Rules that select the players for whom the flag is on. */
  readonly targeting_rules: readonly Rule[];
  /**
   * Names in conditions that no event or player has yet, operators without `$`, and operators
   * that compare versions as texts.
   */
  readonly warnings?: readonly Warning[];
  /** Flags that must serve the given values or variants to the player. */
  readonly prerequisites: readonly Prerequisite[];
  /** Random text. */
  readonly salt: string;
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the flag was created. */
  readonly created_at: string;
  /** When the flag was last changed. */
  readonly updated_at: string;
  /**
   * What the edit does to the players who take part in the experiment, those whose answer is
   * drawn.
   */
  readonly edit_effect: 'none' | 'widens' | 'narrows' | 'moves' | 'reassigns';
  /** When the flag was archived. */
  readonly archived_at?: string;
  /** Why the flag can probably go. */
  readonly stale?: {
    /** Why, the first that holds. */
    readonly reason: 'ended' | 'unused' | 'settled';
    /** Since when. */
    readonly since: string;
  } | null;
  /**
   * With `stale` null: the times of evaluations or exposures cannot be read now, so the flag
   * may be `unused`.
   */
  readonly stale_unknown?: 'use_unavailable';
};

/** A flag evaluation of OFREP. */
type FlagEvaluationOfOFREP = {
  /** The flag's key. */
  readonly key: string;
  /** Served value. */
  readonly value?: unknown;
  /** OpenFeature's reason. */
  readonly reason: 'STATIC' | 'TARGETING_MATCH' | 'SPLIT' | 'DISABLED';
  /** Key of the served variant. */
  readonly variant?: string;
  /** Details of the evaluation. */
  readonly metadata: {
    /** Exact reason, as in the other evaluation endpoints. */
    readonly reason: string;
    /** The flag's period. */
    readonly period: number;
    /** Id of the matching segment. */
    readonly segment_id?: string;
    /** Key of the unmet prerequisite flag. */
    readonly prerequisite_key?: string;
  };
};

/** Google Play. */
type GooglePlay = {
  /** Package name of the app. */
  readonly package_name: string;
  /** The account in whose name purchases are read. */
  readonly service_account: {
    /** E-mail address of the service account. */
    readonly client_email: string;
    /** Key of the service account, PEM. */
    readonly private_key: string;
  };
  /** Whose notifications are taken: those with a token of Google that says so. */
  readonly notifications: {
    /** The audience that the push subscription of Pub/Sub names. */
    readonly audience: string;
    /** E-mail address of the service account of the push subscription. */
    readonly service_account: string;
  } | null;
};

/** How the flag changes. */
type HowFlagChanges = {
  /** Key of the flag. */
  readonly key: string;
  /** Version of the flag after the change. */
  readonly version: number;
  /** What differs from the flag before, in words. */
  readonly difference: readonly string[];
  /**
   * What the edit does to the players who take part in the experiment, those whose answer is
   * drawn.
   */
  readonly edit_effect: 'none' | 'widens' | 'narrows' | 'moves' | 'reassigns';
  /** Why players do not get the variant yet, if they do not. */
  readonly notes: readonly string[];
};

/** A loaded list. */
type LoadedList = {
  /** Id of the segment. */
  readonly segment_id: string;
  /** Version of the segment with the new list. */
  readonly version: number;
  /** Number of ids in the request. */
  readonly received: number;
  /** Number of players in the new list. */
  readonly members: number;
  /** Number of ids that repeat another one. */
  readonly duplicates: number;
  /** Number of ids that are not registered players. */
  readonly unknown: number;
  /** Some of the unknown ids, at most 100. */
  readonly unknown_ids: readonly string[];
};

/** A member of the condition. */
type MemberOfCondition = {
  /** JSON Pointer into the condition. */
  readonly path: string;
  /** The field, or `$and`, `$or`, `$nor` or `$not`. */
  readonly name: string;
  /** Whether this member holds. */
  readonly holds: boolean;
  /** Value of the field, null if it is missing. */
  readonly value?: unknown;
};

/** A message that is tested against others. */
type Message = {
  /** Key of the variant, unique in the campaign. */
  readonly key: string;
  /** Share of players, relative to the sum of all weights. */
  readonly weight: number;
  /** Its whole message. */
  readonly content?: Content;
};

/** A message with its key. */
type MessageWithKey = {
  /** Type of the message. */
  readonly type?: unknown;
  /** Id of the message: the event_id. */
  readonly messageId?: unknown;
  /** The player's external_id. */
  readonly userId?: unknown;
  /** Id of a device or browser whose player is not known. */
  readonly anonymousId?: unknown;
  /** track: name of the event. */
  readonly event?: unknown;
  /** track, page, screen: properties of the event. */
  readonly properties?: unknown;
  /** identify: attributes of the player. */
  readonly traits?: unknown;
  /** page, screen: its name. */
  readonly name?: unknown;
  /** page, screen: its category. */
  readonly category?: unknown;
  /** group: id of the group. */
  readonly groupId?: unknown;
  /** alias: the earlier id. */
  readonly previousId?: unknown;
  /** When it happened, by the clock of the sender. */
  readonly originalTimestamp?: unknown;
  /** The same, if there is no `originalTimestamp`. */
  readonly timestamp?: unknown;
  /** Only `library.name`, `sessionId` and `traits` are read. */
  readonly context?: unknown;
  /** When it was sent, by the clock of the sender: corrects wrong clocks. */
  readonly sentAt?: unknown;
  /** The API key, if no header has it. */
  readonly writeKey?: unknown;
  /** Ignored. */
  readonly integrations?: unknown;
  /** Ignored. */
  readonly channel?: unknown;
  /** Ignored. */
  readonly version?: unknown;
  /** Ignored. */
  readonly rudderId?: unknown;
  /** Ignored. */
  readonly receivedAt?: unknown;
  /** Ignored. */
  readonly _metadata?: unknown;
};

/** A metric. */
type Metric = {
  /** What is measured of each player. */
  readonly aggregate?:
    | 'conversion'
    | 'count'
    | 'sum'
    | 'mean'
    | 'revenue'
    | 'gross_revenue'
    | 'payer'
    | 'sessions'
    | 'session'
    | 'retention'
    | 'ratio'
    | 'quantile';
  /** Name of the events to measure. */
  readonly metric?: string;
  /** Path of the number in the properties, keys joined by dots (`price.amount`). */
  readonly property?: string;
  /** Name of the events that divide. */
  readonly per_metric?: string;
  /** Path of the number whose sum divides, instead of the number of events. */
  readonly per_property?: string;
  /** Day after the day of the first exposure. */
  readonly day?: number;
  /** Share of players below it. */
  readonly quantile?: number;
  /**
   * Share of the players of all variants together above whose values larger ones are capped:
   * 0.99 caps the largest of a hundred.
   */
  readonly winsorize?: number;
  /**
   * Whether to take off what the same metric in the 14 days before the exposure explains
   * (CUPED), which narrows the interval.
   */
  readonly cuped?: boolean;
};

/** A metric that must not get worse. */
type MetricThatMustNotGetWorse = {
  /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
  readonly metric: Metric;
  /** The direction that harms. */
  readonly worse: 'lower' | 'higher';
  /** How much worse than the control is tolerated, relative to its mean. */
  readonly margin?: number;
  /**
   * What happens once a variant is certainly worse: `notify`, `pause` (no new players take
   * part), or `roll_back` (stop: all players get what the rules of the flag serve).
   */
  readonly action: 'notify' | 'pause' | 'roll_back';
};

/** The model that answers in this process; null: none is loaded. */
type Model = {
  /** Name of the model. */
  readonly name: string;
  /** First 12 hex characters of the artifact's SHA-256. */
  readonly version: string;
  /** What it has learned from, as its manifest says: `synthetic` for the shipped model. */
  readonly trained_on: string;
  /** The lowest scores of the buckets. */
  readonly thresholds: {
    /** Lowest score of the bucket. */
    readonly top_1pct: number;
    /** Lowest score of the bucket. */
    readonly top_5pct: number;
    /** Lowest score of the bucket. */
    readonly top_10pct: number;
  };
};

/** A note on a day or a moment. */
type Note = {
  /** Id, `ann_` and a UUID. */
  readonly annotation_id: string;
  /** What happened. */
  readonly text: string;
  /** A day of the game, as `2026-01-15`, or a moment in ISO 8601, UTC. */
  readonly at: string;
  /** The definition that it is about. */
  readonly link: {
    /** Kind of the definition. */
    readonly kind: 'flag' | 'experiment' | 'segment' | 'campaign';
    /** Key of the flag or experiment, or id of the segment or campaign. */
    readonly key: string;
  } | null;
  /** Who made it. */
  readonly made_by: {
    /** Whether a person or an API key made it. */
    readonly kind: 'user' | 'key';
    /** Id of the user or key. */
    readonly id: string;
    /** E-mail address of the person, for people who are signed in. */
    readonly email: string | null;
  };
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the annotation was created. */
  readonly created_at: string;
  /** When the annotation was last changed. */
  readonly updated_at: string;
};

/** Operators with their operands. */
type Operators = {
  /** Equal to the given string, number, boolean or null. */
  readonly eq?: string | number | boolean | null;
  /** Not equal to the given string, number, boolean or null. */
  readonly ne?: string | number | boolean | null;
  /** A number greater than the given one. */
  readonly gt?: number;
  /** A number greater than or equal to the given one. */
  readonly gte?: number;
  /** A number less than the given one. */
  readonly lt?: number;
  /** A number less than or equal to the given one. */
  readonly lte?: number;
  /** Equal to one value of the given array. */
  readonly in?: readonly (string | number | boolean | null)[];
  /** Equal to no value of the given array. */
  readonly nin?: readonly (string | number | boolean | null)[];
  /** A string or an array that contains the given value. */
  readonly contains?: string | number | boolean | null;
  /** Whether the value is present (true) or absent (false). */
  readonly exists?: boolean;
};

/** A page of versions. */
type PageOfVersions = {
  /** The versions of this page. */
  readonly versions: readonly {
    /** Number of the version. */
    readonly version: number;
    /** When it came into force. */
    readonly at: string;
    /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
    readonly action: string;
    /** Who made it. */
    readonly made_by: WhoMadeIt;
    /** Why, as said in `X-Change-Reason`. */
    readonly reason: string | null;
    /** Whether the service stored that the change was made. */
    readonly confirmed: boolean;
    /** What differs from the version before, in words. */
    readonly difference: readonly string[];
  }[];
  /** The version that is stored now, which the list has a second or two later. */
  readonly current_version: number | null;
  /** Send it as `cursor` to get the next page. */
  readonly next_cursor: string | null;
};

/** A period, during which no edit changed which players get which value. */
type Period = {
  /** Number of the period, from 1. */
  readonly period: number;
  /** Version of the flag that started the period. */
  readonly version: number;
  /** When the period started. */
  readonly started_at: string;
};

/** A player. */
type Player = {
  /** Id of the player, assigned by the service. */
  readonly id: string;
  /** Your own unique id of the player. */
  readonly external_id: string;
  /** Device id. */
  readonly device_id: string | null;
  /** E-mail address. */
  readonly email?: string | null;
  /** Lifecycle stage of the player. */
  readonly lifecycle_stage: 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';
  /** Number of sessions opened or recorded. */
  readonly session_count: number;
  /** Sum of all purchases in the game's currency, with up to four decimals. */
  readonly total_revenue: number;
  /** Whether the player has made a purchase. */
  readonly is_payer: boolean;
  /** Whether the player is marked as a test player: figures leave it out. */
  readonly is_test_player: boolean;
  /** When the player was first registered. */
  readonly first_seen_at: string;
  /** When the player was last active, by the service's clock. */
  readonly last_seen_at: string | null;
  /** Custom attributes. */
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Guests that were merged into the player, the oldest first. */
  readonly merged_players?: readonly {
    /** Id of the player, assigned by the service. */
    readonly id: string;
    /** Your own unique id of the player. */
    readonly external_id: string;
    /** Id of the merge. */
    readonly merge_id: string;
    /** When it was merged. */
    readonly merged_at: string;
  }[];
  /** Named computed properties by key. */
  readonly computed?: Readonly<Record<string, unknown>>;
};

/** Players with the same chance of each variant. */
type Players = {
  /** Number of the split, the `stratum` of tables: 10,000 is the flag's own weights. */
  readonly split: number;
  /** The weights. */
  readonly weights:
    | readonly {
        /** Key of the variant. */
        readonly variant_key: string;
        /** Its weight. */
        readonly weight: number | null;
      }[]
    | null;
  /** Number of players who count, who got their first variant by it. */
  readonly players: number;
};

/** Players who got a message. */
type PlayersWhoGotMessage = {
  /** Players. */
  readonly players: number;
  /** Players whose window is not over. */
  readonly inside: number;
  /** Players with the conversion event. */
  readonly converted: number;
  /** Players with a purchase. */
  readonly payers: number;
  /** Revenue in the game's currency, less what was refunded of it. */
  readonly revenue: number;
  /** The same without refunds. */
  readonly gross_revenue: number;
};

/** A prerequisite, with either `value` or `variant_key`. */
type Prerequisite = {
  /** Key of the prerequisite flag. */
  readonly flag_key: string;
  /** Value that the prerequisite flag must serve to the player. */
  readonly value?: unknown;
  /** Key of the variant that it must serve, instead of `value`. */
  readonly variant_key?: string;
};

/** A range of players that no other active experiment of the layer has. */
type RangeOfPlayers = {
  /** Key of the layer. */
  readonly key: string;
  /** Start of the range, in percent. */
  readonly from: number;
  /** End of the range, in percent, without it. */
  readonly to: number;
};

/** The receipt of an erasure. */
type ReceiptOfErasure = {
  /** Id of the player, assigned by the service. */
  readonly player_id: string;
  /** `pending` while the rows are being deleted, `done` after that. */
  readonly status: 'pending' | 'done';
  /** When the player was erased. */
  readonly erased_at: string;
  /**
   * Number of rows deleted from the analytics tables, including the scores of the player's
   * device if no other player uses it.
   */
  readonly rows_deleted: number | null;
  /** Days until the append-only log of facts no longer contains data of the player. */
  readonly log_retention_days: number;
};

/** A recovery and its progress. */
type Recovery = {
  /** Id of the recovery. */
  readonly recovery_id: string;
  /** Id of the webhook. */
  readonly webhook_id: string;
  /** Start time of the recovery: later events are delivered again. */
  readonly since: string;
  /** `stopped` if it ended early, because the webhook was disabled or the log was created anew. */
  readonly status: 'running' | 'done' | 'stopped';
  /** Number of log records read so far. */
  readonly records_scanned: number;
  /** Approximate number of log records to read. */
  readonly records_total: number;
  /** Number of deliveries queued so far. */
  readonly deliveries_queued: number;
  /** When the recovery started. */
  readonly started_at: string;
  /** If the log does not reach back to `since`: the time of the oldest record that it has. */
  readonly available_since: string | null;
  /** When the recovery ended. */
  readonly finished_at: string | null;
};

/** Results of a variant. */
type ResultsOfVariant = {
  /** Key of the variant. */
  readonly variant_key: string;
  /** Number of players exposed to this variant and to no other. */
  readonly players: number;
  /**
   * Number of groups of these players who share the device or attribute by which their variant
   * was drawn.
   */
  readonly clusters: number | null;
  /** Number of these players with at least one event of the metric. */
  readonly conversions: number;
  /** Sum of the metric over these players. */
  readonly sum: number | null;
  /** Mean of the metric per player. */
  readonly mean: number | null;
  /** Relative lift, (mean − control mean) / |control mean|. */
  readonly lift: number | null;
  /**
   * Lower bound of the confidence interval of the lift: 95 %, in an experiment 1 −
   * `plan.alpha`.
   */
  readonly ci_low: number | null;
  /** Upper bound of this interval. */
  readonly ci_high: number | null;
  /** Two-sided p-value of the hypothesis that the means are the same. */
  readonly p_value: number | null;
  /**
   * The p-value adjusted by Holm for all variants that are compared with the control: decide
   * by it.
   */
  readonly p_adjusted: number | null;
  /**
   * Why the interval is null, and but for `control_mean` the p-value too: `players` (a variant
   * has fewer than two players), `clusters` (a variant has fewer than 10 groups of players who
   * share the device or attribute that drew it, or a few hold most), `shared_phases` (players
   * who share a draw may have come in several phases, so that the phases are not independent:
   * compare one phase), `values` (all players have the same value), `conversions` (fewer than
   * 6 players of the two variants differ from all others, which no exact test finds
   * significant), `one_player` (one player makes nearly all of the difference between
   * players), `uneven` (the smaller variant has too few players for values as skewed as
   * these), `control_mean` (the mean of the control does not differ from 0, so no interval of
   * the lift has two ends).
   */
  readonly too_small: string | null;
};

/** A rule, with at least one member. */
type Rule = {
  /** Display name. */
  readonly name?: string;
  /** Id of a segment (`seg_…`): the rule applies to its players only. */
  readonly segment_id?: string | null;
  /** The rule applies only to players who meet this condition. */
  readonly conditions?: Readonly<Record<string, unknown>>;
  /** Whether the rule turns the flag on. */
  readonly value?: boolean;
  /** What the rule serves. */
  readonly serve?: WhatPlayersGetWhomNoRuleIncludes;
  /**
   * Seeds the percentage and the variants of this rule instead of the flag's `salt`: rules
   * with the same salt include the same players.
   */
  readonly salt?: string;
  /**
   * What puts players into buckets: `player` (their id), `device` (`device_id` of the
   * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
   * else the attribute).
   */
  readonly bucket_by?: string;
  /** Percentage of these players that the rule includes, 0 to 100. */
  readonly percentage?: number;
  /** Rules with lower numbers are evaluated first, equal ones in the order of the list. */
  readonly priority?: number;
  /** When the rule starts to apply. */
  readonly start_at?: string | null;
  /** When the rule stops applying. */
  readonly end_at?: string | null;
};

/** A saved query. */
type SavedQuery = {
  /** Key of the query. */
  readonly key: string;
  /** Display name. */
  readonly name: string;
  /** Free text for people. */
  readonly description: string;
  /** An analytics query. */
  readonly query: AnalyticsQuery;
  /** Range for whoever opens the query: this many days before today, and today. */
  readonly range_days: number | null;
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the query was created. */
  readonly created_at: string;
  /** When the query was last changed. */
  readonly updated_at: string;
};

/** The score. */
type Score = {
  /** The device id as sent. */
  readonly device_id: string;
  /** Probability from 0 to 1 that the player pays within the first day. */
  readonly score: number;
  /** Highest bucket whose threshold the score reaches. */
  readonly bucket: 'top_1pct' | 'top_5pct' | 'top_10pct' | 'rest';
  /** First 12 characters of the model artifact's SHA-256. */
  readonly model_version: string;
  /** Thresholds of the model. */
  readonly thresholds_used: {
    /** Lowest score of the bucket: percentile 99 of the model's holdout set. */
    readonly top_1pct: number;
    /** Lowest score of the bucket: percentile 95 of the model's holdout set. */
    readonly top_5pct: number;
    /** Lowest score of the bucket: percentile 90 of the model's holdout set. */
    readonly top_10pct: number;
  };
  /** When the score was computed. */
  readonly scored_at: string;
};

/** A segment. */
type Segment = {
  /** Id of the segment, `seg_…`. */
  readonly segment_id: string;
  /** Key of the segment, used in responses and webhooks. */
  readonly key: string;
  /** Display name. */
  readonly name: string;
  /** Free text for people. */
  readonly description: string;
  /** dynamic: the players who meet `conditions`. */
  readonly kind: 'dynamic' | 'static';
  /** Condition over attributes, lifecycle, totals, device and event counts. */
  readonly conditions?: Readonly<Record<string, unknown>>;
  /** The list of a static segment. */
  readonly list?: {
    /** Number of players in the list when it took effect. */
    readonly players: number;
    /** When the list took effect. */
    readonly loaded_at: string | null;
  };
  /** Ids of players who are in the segment whatever the conditions or the list say. */
  readonly includes: readonly string[];
  /** Ids of players who are not in the segment whatever the conditions or the list say. */
  readonly excludes: readonly string[];
  /**
   * Names in conditions that no event or player has yet, operators without `$`, and operators
   * that compare versions as texts.
   */
  readonly warnings?: readonly Warning[];
  /** Whether the segment is evaluated. */
  readonly enabled: boolean;
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the segment was created. */
  readonly created_at: string;
  /** When the segment was last changed. */
  readonly updated_at: string;
};

/** Sequential comparison of a variant. */
type SequentialComparisonOfVariant = {
  /** Key of the variant. */
  readonly variant_key: string;
  /** Lower bound of the confidence interval of the lift, valid at every look. */
  readonly ci_low: number | null;
  /** Upper bound of this interval. */
  readonly ci_high: number | null;
  /** Two-sided p-value of the hypothesis that the means are the same. */
  readonly p_value: number | null;
  /**
   * The p-value adjusted by Holm for all variants that are compared with the control: decide
   * by it.
   */
  readonly p_adjusted: number | null;
  /**
   * Why the interval is null, and but for `control_mean` the p-value too: `players` (a variant
   * has fewer than two players), `clusters` (a variant has fewer than 10 groups of players who
   * share the device or attribute that drew it, or a few hold most), `shared_phases` (players
   * who share a draw may have come in several phases, so that the phases are not independent:
   * compare one phase), `values` (all players have the same value), `conversions` (fewer than
   * 6 players of the two variants differ from all others, which no exact test finds
   * significant), `one_player` (one player makes nearly all of the difference between
   * players), `uneven` (the smaller variant has too few players for values as skewed as
   * these), `control_mean` (the mean of the control does not differ from 0, so no interval of
   * the lift has two ends).
   */
  readonly too_small: string | null;
  /**
   * How its mean differs from that of the control: decided if `p_adjusted` here is below 0.05,
   * in an experiment below `plan.alpha`.
   */
  readonly decision: 'higher' | 'lower' | 'undecided' | null;
};

/** A served flag. */
type ServedFlag = {
  /** False if the flag is disabled for the player or serves false or null. */
  readonly enabled: boolean;
  /** Key of the served variant. */
  readonly variant?: string;
  /** Served value, of the flag's type. */
  readonly value?: unknown;
  /** Key of the served variant. */
  readonly variant_key: string | null;
  /** Why the flag serves this value. */
  readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
  /** The flag's period. */
  readonly period?: number;
};

/** Settings of a game. */
type SettingsOfGame = {
  /** IANA name of the time zone in which figures count days. */
  readonly time_zone: string;
  /** ISO 4217 code of the currency of all amounts. */
  readonly currency: string | null;
  /**
   * Properties of events that have columns of their own, so that questions about them read no
   * JSON.
   */
  readonly extracted_properties: readonly string[];
  /**
   * Which purchases count: `all`, or the `verified` ones: those with a verified receipt, and
   * those that a server key records without one.
   */
  readonly revenue: 'all' | 'verified';
  /** Players who take part in no experiment of the game. */
  readonly holdout: {
    /** Share of all players, 0 to 100. */
    readonly percentage: number;
    /**
     * Decides with the id of a player whether it is in the holdout: with the same salt, a larger
     * holdout has all players of a smaller one.
     */
    readonly salt: string;
  } | null;
  /** Version, counted from 1 with each change of settings of the game. */
  readonly version: number;
};

/** Share of players who clicked. */
type ShareOfPlayers = {
  /** Figure of the variant. */
  readonly value: number | null;
  /** (variant − control) / control. */
  readonly lift: number | null;
  /** Lower end of the 95 % interval of the lift. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the lift. */
  readonly high: number | null;
  /** p-value of no difference, for one look. */
  readonly p_value: number | null;
  /** The same, adjusted for the number of variants. */
  readonly p_adjusted: number | null;
  /** How the variant differs from the control, valid at every look. */
  readonly decision: 'higher' | 'lower' | 'undecided' | null;
  /**
   * Why the interval is null, and but for `control_mean` the p-value too: `players` (a variant
   * has fewer than two players), `clusters` (a variant has fewer than 10 groups of players who
   * share the device or attribute that drew it, or a few hold most), `shared_phases` (players
   * who share a draw may have come in several phases, so that the phases are not independent:
   * compare one phase), `values` (all players have the same value), `conversions` (fewer than
   * 6 players of the two variants differ from all others, which no exact test finds
   * significant), `one_player` (one player makes nearly all of the difference between
   * players), `uneven` (the smaller variant has too few players for values as skewed as
   * these), `control_mean` (the mean of the control does not differ from 0, so no interval of
   * the lift has two ends).
   */
  readonly too_small: string | null;
};

/** Share of players who converted. */
type ShareOfPlayersWhoConverted = {
  /** Figure of the players who got messages. */
  readonly treatment: number | null;
  /** Figure of the holdout. */
  readonly holdout: number | null;
  /** (treatment − holdout) / holdout. */
  readonly lift: number | null;
  /** Lower end of the 95 % interval of the lift. */
  readonly low: number | null;
  /** Upper end of the 95 % interval of the lift. */
  readonly high: number | null;
  /** p-value of no difference, for one look. */
  readonly p_value: number | null;
  /**
   * Why the interval is null, and but for `control_mean` the p-value too: `players` (a variant
   * has fewer than two players), `clusters` (a variant has fewer than 10 groups of players who
   * share the device or attribute that drew it, or a few hold most), `shared_phases` (players
   * who share a draw may have come in several phases, so that the phases are not independent:
   * compare one phase), `values` (all players have the same value), `conversions` (fewer than
   * 6 players of the two variants differ from all others, which no exact test finds
   * significant), `one_player` (one player makes nearly all of the difference between
   * players), `uneven` (the smaller variant has too few players for values as skewed as
   * these), `control_mean` (the mean of the control does not differ from 0, so no interval of
   * the lift has two ends).
   */
  readonly too_small: string | null;
};

/** Stores of a game in one environment. */
type StoresOfGame = {
  /** The App Store. */
  readonly apple: {
    /** Bundle id of the app. */
    readonly bundle_id: string;
    /** The app's number in App Store Connect. */
    readonly app_apple_id: number | null;
  } | null;
  /** Google Play. */
  readonly google: GooglePlay | null;
  /** Grows with each change. */
  readonly version: number;
  /** When it was stored. */
  readonly updated_at: string;
};

/**
 * Texts in the language of the player, to be shown as text: they may have what other players
 * wrote.
 */
type Texts = {
  /** Title. */
  readonly title: string;
  /** Text. */
  readonly body: string;
  /** Label of the one button. */
  readonly cta: string;
  /** Link to the picture. */
  readonly image: string | null;
  /** Where a tap on the message leads. */
  readonly deep_link: string | null;
  /** The buttons, in their order. */
  readonly buttons: readonly Button[];
  /** What the campaign says for the game, such as a reward. */
  readonly data: Readonly<Record<string, unknown>> | null;
};

/** The trigger. */
type Trigger = {
  /** Triggers when the player sends an event with this name. */
  readonly event?: string;
  /** With `event`: the event triggers only if the condition holds. */
  readonly conditions?: Readonly<Record<string, unknown>>;
  /** Triggers when the player enters the segment with this id (`seg_…`). */
  readonly segment_entered?: string;
  /** Triggers when the player leaves the segment with this id (`seg_…`). */
  readonly segment_exited?: string;
  /** Triggers when the player enters this lifecycle stage. */
  readonly lifecycle?: 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';
  /** Triggers when the player's churn risk becomes high. */
  readonly churn?: 'high';
  /** Triggers once at this time, for every player of the audience. */
  readonly schedule?: {
    /** Time in the future. */
    readonly at: string;
  };
};

/** A variant. */
type Variant = {
  /** Key of the variant, unique in the flag. */
  readonly key: string;
  /** Served value, of the flag's type. */
  readonly value: unknown;
  /** Share of players, relative to the sum of all weights. */
  readonly weight: number;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** An event schema. */
  readonly definition: EventSchema | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version2 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A segment. */
  readonly definition: Segment | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version3 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A flag. */
  readonly definition: Flag | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version4 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** An experiment. */
  readonly definition: Experiment2 | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version5 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A campaign. */
  readonly definition: Campaign | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version6 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A webhook. */
  readonly definition: Webhook | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version7 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A saved query. */
  readonly definition: SavedQuery | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version8 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A note on a day or a moment. */
  readonly definition: Note | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type Version9 = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** Settings of a game. */
  readonly definition: SettingsOfGame | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** The version to restore. */
type VersionToRestore = {
  /** The version to restore. */
  readonly version: number;
  /** Read-only, as returned by GET. */
  readonly created_at?: unknown;
  /** Read-only, as returned by GET. */
  readonly updated_at?: unknown;
};

/** A version with its definition; null if it is larger than the bound of the history. */
type VersionWithDefinition = {
  /** Number of the version. */
  readonly version: number;
  /** When it came into force. */
  readonly at: string;
  /** What happened, such as `created`, `changed`, `disabled` or `deleted`. */
  readonly action: string;
  /** Who made it. */
  readonly made_by: WhoMadeIt;
  /** Why, as said in `X-Change-Reason`. */
  readonly reason: string | null;
  /** Whether the service stored that the change was made. */
  readonly confirmed: boolean;
  /** A computed property. */
  readonly definition: ComputedProperty | null;
  /** Fields with ids of players, of which the history keeps the number only. */
  readonly players_left_out: Readonly<Record<string, unknown>>;
};

/** A warning. */
type Warning = {
  /** JSON Pointer into the body. */
  readonly path: string;
  /** What is probably wrong. */
  readonly message: string;
  /** The nearest known names, at most three. */
  readonly suggestions: readonly string[];
};

/** A webhook. */
type Webhook = {
  /** Id of the webhook. */
  readonly webhook_id: string;
  /** Display name. */
  readonly name: string;
  /** URL of the receiver. */
  readonly url: string;
  /**
   * Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*`
   * or `*`.
   */
  readonly events: readonly string[];
  /** Whether the webhook gets deliveries. */
  readonly enabled: boolean;
  /** Additional headers of each delivery, by name. */
  readonly headers: Readonly<Record<string, string>>;
  /** How failed deliveries are retried. */
  readonly retry_policy: {
    /** Number of retries after the first attempt, 0 to 10. */
    readonly max_retries?: number;
    /** Delay between attempts: `exponential` (default. */
    readonly backoff?: 'exponential' | 'linear' | 'none';
  };
  /** Conditions by property path, for example `properties.amount`. */
  readonly filters: Readonly<Record<string, Operators>>;
  /** Present if the service disabled the webhook. */
  readonly disabled?: {
    /** When the service disabled the webhook. */
    readonly at: string;
    /** `gone`: the receiver returned 410. */
    readonly reason: 'gone' | 'failing';
  };
  /** Kinds and filters that may never match. */
  readonly warnings?: readonly {
    /** JSON Pointer to the field. */
    readonly path: string;
    /** Why it may never match. */
    readonly message: string;
  }[];
  /** Who answers for it: a person or a team. */
  readonly owner: string;
  /** Tags, in lower case. */
  readonly tags: readonly string[];
  /** What colleagues should know. */
  readonly note: string;
  /**
   * What manages the definition beside the console and this API, such as files: its next run
   * replaces changes from elsewhere.
   */
  readonly managed_by: {
    /** Its name, such as `github.com/acme/games`. */
    readonly by?: string;
    /** The version that it wrote last. */
    readonly version?: number;
  } | null;
  /** Version, counted from 1. */
  readonly version: number;
  /** When the webhook was created. */
  readonly created_at: string;
  /** When the webhook was last changed. */
  readonly updated_at: string;
};

/** What the experiment is planned for. */
type WhatExperimentIsPlanned = {
  /** Accepted chance of a difference where there is none. */
  readonly alpha?: number;
  /** Chance to see an effect of `mde`. */
  readonly power?: number;
  /** The smallest effect worth seeing, relative to the mean of the control. */
  readonly mde?: number | null;
  /** When you want to decide. */
  readonly ends_at?: string | null;
};

/** What is divided. */
type WhatIsDivided = {
  /** A metric that divides no other. */
  readonly metric:
    | 'active_players'
    | 'active_days'
    | 'wau'
    | 'mau'
    | 'new_players'
    | 'returning_players'
    | 'sessions'
    | 'playtime_seconds'
    | 'events'
    | 'players'
    | 'sum'
    | 'average'
    | 'percentile'
    | 'purchases'
    | 'payers'
    | 'first_time_payers'
    | 'gross_revenue'
    | 'refunds'
    | 'revenue';
  /** As for the query. */
  readonly property?: string;
  /** The share in percent of the metric `percentile`. */
  readonly percentile?: 50 | 90 | 95 | 99;
  /** Metrics of events: only events with these names. */
  readonly event_names?: readonly string[];
  /** Conditions that must all hold. */
  readonly where?: readonly Condition[];
};

/** What players get whom no rule includes. */
type WhatPlayersGetWhomNoRuleIncludes = {
  /** Key of the variant to serve. */
  readonly variant?: string;
  /** Variants to serve by weights of this rule, instead of the flag's. */
  readonly weights?: readonly {
    /** Key of a variant. */
    readonly key: string;
    /** Share of players, relative to the sum of these weights. */
    readonly weight: number;
  }[];
  /** Value to serve, of the flag's type. */
  readonly value?: unknown;
};

/** Who made it. */
type WhoMadeIt = {
  /** A person, an API key, a command of an operator, or the service itself. */
  readonly kind: 'user' | 'key' | 'cli' | 'service';
  /** Id of the user or key. */
  readonly id: string;
  /** E-mail address of the person, for people who are signed in. */
  readonly email: string | null;
};

/** Who planned it, and in whose name it is made. */
type WhoPlannedIt = {
  /** A person or an API key. */
  readonly kind: 'user' | 'key';
  /** Id of the user or key. */
  readonly id: string;
  /** E-mail address of the person, for people who are signed in. */
  readonly email: string | null;
};

/** Why the event was rejected. */
type WhyEventWasRejected = {
  /** Error code. */
  readonly code: string;
  /** Explanation for people. */
  readonly message: string;
  /** Details of the error. */
  readonly details?: Readonly<Record<string, unknown>>;
};

/**
 * Every endpoint by method and path: its parameters, its body, and what it answers. Left out are the headers that
 * many endpoints share: Idempotency-Key and X-Player-Token.
 */
export interface Operations {
  /** Register a player, or update the one with the same external_id. */
  'POST /v1/players/players': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** `*`: create only. */
      readonly 'If-None-Match'?: string;
    };
    readonly body: {
      /** Your own unique id of the player. */
      readonly external_id: string;
      /** Device id. */
      readonly device_id?: string;
      /** E-mail address. */
      readonly email?: string;
      /** Custom attributes. */
      readonly attributes?: Readonly<Record<string, unknown>>;
    };
    readonly answer: Player;
  };
  /** Find players. */
  'GET /v1/players/players': {
    readonly path: undefined;
    readonly query: {
      /** A player id, external_id, device_id or e-mail address, or the beginning of an external_id. */
      readonly search?: string;
      /** Without `search`: orders all players by this field, the latest or highest first. */
      readonly order?: 'last_seen_at' | 'total_revenue' | 'session_count';
      /** Maximum number of players. */
      readonly limit?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** With `search`: exact matches first, then the players who were active last. */
      readonly players: readonly {
        /** Id of the player, assigned by the service. */
        readonly id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** Device id. */
        readonly device_id: string | null;
        /** E-mail address. */
        readonly email: string | null;
        /** Lifecycle stage of the player. */
        readonly lifecycle_stage: 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';
        /** Number of sessions opened or recorded. */
        readonly session_count: number;
        /** Sum of all purchases in the game's currency. */
        readonly total_revenue: number;
        /** Whether the player has made a purchase. */
        readonly is_payer: boolean;
        /** Whether figures leave the player out, as a test player. */
        readonly is_test_player: boolean;
        /** When the player was first registered. */
        readonly first_seen_at: string;
        /** When the player was last active. */
        readonly last_seen_at: string | null;
        /** What `search` matched. */
        readonly matched: 'id' | 'external_id' | 'guest' | 'device_id' | 'email' | 'external_id_start' | null;
      }[];
      /**
       * false: ClickHouse does not answer, so only the player with this id or external_id was
       * looked for.
       */
      readonly complete: boolean;
    };
  };
  /** Get a player by id. */
  'GET /v1/players/players/{id}': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Player;
  };
  /** Update a player. */
  'PATCH /v1/players/players/{id}': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Device id. */
      readonly device_id?: string | null;
      /** E-mail address. */
      readonly email?: string | null;
      /** Marks the player as a test player, whom figures leave out. */
      readonly is_test_player?: boolean;
      /** JSON Merge Patch for the custom attributes. */
      readonly attributes?: Readonly<Record<string, unknown>>;
    };
    readonly answer: Player;
  };
  /** Erase a player. */
  'DELETE /v1/players/players/{id}': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: ReceiptOfErasure;
  };
  /** Get a player by external_id. */
  'GET /v1/players/players/external/{external_id}': {
    readonly path: {
      /** Your own unique id of the player. */
      readonly external_id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Player;
  };
  /** Get a player's lifecycle stage. */
  'GET /v1/players/players/{id}/lifecycle': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Lifecycle stage of the player. */
      readonly lifecycle_stage: 'new' | 'active' | 'at_risk' | 'churned' | 'reactivated';
      /** When the stage last changed. */
      readonly lifecycle_changed_at: string;
      /** When the player was first registered. */
      readonly first_seen_at: string;
      /** When the player was last active. */
      readonly last_seen_at: string | null;
      /** Number of sessions opened or recorded. */
      readonly session_count: number;
      /** Playtime in closed sessions, seconds. */
      readonly total_playtime_seconds: number;
    };
  };
  /** Get a player's churn risk. */
  'GET /v1/players/players/{id}/churn-risk': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Churn risk from 0 to 1, the sum of the contributions. */
      readonly risk_score: number;
      /** `low` below 0.33, `medium` below 0.66, else `high`. */
      readonly risk_level: 'low' | 'medium' | 'high';
      /** The factors, largest contribution first. */
      readonly factors: readonly {
        /** Name of the factor. */
        readonly factor: 'session_decline' | 'playtime_decline' | 'inactivity';
        /** The figures of the factor in words. */
        readonly description: string;
        /** Contribution of the factor to `risk_score`. */
        readonly contribution: number;
      }[];
      /** Time of the assessment. */
      readonly prediction_date: string;
      /** Confidence from 0 to 0.9. */
      readonly confidence: number;
    };
  };
  /** Record a session. */
  'POST /v1/players/players/{id}/session': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the session: your own id, unique per player, or the session_id that init returned. */
      readonly session_id: string;
      /** Playtime, seconds. */
      readonly duration_seconds?: number;
      /** Start of the session. */
      readonly start_time?: string;
      /** End of the session. */
      readonly end_time?: string;
    };
    readonly answer: {
      /** Id of the session, as sent. */
      readonly session_id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Number of sessions of the player, including this one. */
      readonly session_count: number;
      /** Playtime of the player including this session, seconds. */
      readonly total_playtime_seconds: number;
    };
  };
  /** Record a purchase. */
  'POST /v1/players/players/{id}/purchase': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: {
      /**
       * Amount paid, in the game's currency, or in `currency` if the game has exchange rates: a
       * decimal number (`9.99`, `.5`, `1e1`) greater than 0 and at most 900,000,000,000.
       */
      readonly amount: number;
      /** ISO 4217 code of the currency the player paid in, in upper case. */
      readonly currency?: string;
      /** Id of the product. */
      readonly product_id?: string;
      /** The store's transaction id. */
      readonly transaction_id?: string;
    };
    readonly header: undefined;
    readonly body: {
      /** What proves the purchase. */
      readonly receipt?: {
        /** Where the player bought it. */
        readonly store: 'apple' | 'google';
        /** App Store: the signed transaction (JWS) of StoreKit 2. */
        readonly payload: string;
      };
    };
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Amount of the purchase, in the game's currency. */
      readonly amount: number;
      /** What the player paid, if it was converted. */
      readonly paid?: {
        /** As you sent it. */
        readonly amount: number;
        /** ISO 4217 code. */
        readonly currency: string;
      };
      /**
       * Sum of all purchases of the player, including this one, less its refunds, in the game's
       * currency.
       */
      readonly total_revenue: number;
      /**
       * Number of purchases of the player, including this one, without those that are wholly
       * refunded.
       */
      readonly purchase_count: number;
      /** Whether any purchase of the player counts. */
      readonly is_payer: boolean;
      /** `recorded`: without a receipt. */
      readonly state: 'recorded' | 'pending' | 'verified' | 'refunded' | 'rejected';
      /** Why the receipt was rejected. */
      readonly reason?:
        | 'malformed'
        | 'invalid_signature'
        | 'invalid_certificate'
        | 'wrong_app'
        | 'wrong_environment'
        | 'wrong_transaction'
        | 'used_by_another_player'
        | 'not_purchased'
        | 'refunded'
        | 'too_old'
        | 'store_unavailable'
        | 'not_configured';
    };
  };
  /** Refund a purchase. */
  'POST /v1/players/players/{id}/refund': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: {
      /** The transaction_id of the purchase. */
      readonly transaction_id: string;
      /**
       * Amount to refund, in the game's currency, or in that of a converted purchase: a decimal
       * number greater than 0 and at most what remains of the purchase.
       */
      readonly amount?: number;
      /** Your id, or the store's, of this refund. */
      readonly refund_id?: string;
    };
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The transaction_id of the purchase. */
      readonly transaction_id: string;
      /** Amount of the refund, in the game's currency. */
      readonly amount: number;
      /** What remains of the purchase after it. */
      readonly remaining: number;
      /** The same in the currency that the player paid in, if the purchase was converted. */
      readonly paid?: {
        /** Amount of the refund. */
        readonly amount: number;
        /** What remains of the purchase. */
        readonly remaining: number;
        /** ISO 4217 code. */
        readonly currency: string;
      };
      /** Sum of all purchases of the player, less its refunds, in the game's currency. */
      readonly total_revenue: number;
      /** Number of purchases of the player of which something remains. */
      readonly purchase_count: number;
      /** Whether something remains of any purchase of the player. */
      readonly is_payer: boolean;
    };
  };
  /** Start a session and get the player, flags and segments. */
  'POST /v1/bff/game/init': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The device. */
      readonly device_info?: {
        /**
         * Platform: one of ios, android, tvos, visionos, windows, macos, linux, web, ps4, ps5,
         * xbox_one, xbox_series, switch, switch_2, or a name of your own.
         */
        readonly platform?: string;
        /** Version of the operating system. */
        readonly os_version?: string;
        /** Version of the game. */
        readonly app_version?: string;
        /** Build of this version, for example `20413`. */
        readonly build?: string;
        /** Model of the device. */
        readonly device_model?: string;
        /** Language and region of the device, such as `de-AT`: messages are in it. */
        readonly locale?: string;
      };
      /** Keys of the flags to evaluate at init and at every sync. */
      readonly requested_flags?: readonly string[];
    };
    readonly answer: {
      /** The player. */
      readonly player: {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** When the player was first registered. */
        readonly first_seen: string;
        /** When the player was last active, which is now. */
        readonly last_seen: string;
        /** Custom attributes. */
        readonly properties: Readonly<Record<string, unknown>>;
      };
      /** Id of the session, as returned by init. */
      readonly session_id: string;
      /** The requested flags, or all flags. */
      readonly flags: Readonly<Record<string, ServedFlag>>;
      /** Keys of the segments the player is in. */
      readonly segments: readonly string[];
      /** Current time of the service. */
      readonly server_time: string;
      /** Requested flags that do not exist. */
      readonly unknown_flags: readonly string[];
    };
  };
  /** Send the events of a session and get interventions and changed flags. */
  'POST /v1/bff/game/sync': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Id of the session, as returned by init. */
      readonly session_id: string;
      /** Events of the session, at most 50. */
      readonly events: readonly EventOfSession[];
      /** Changes to the player's attributes. */
      readonly state_updates?: Readonly<Record<string, unknown>>;
    };
    readonly answer: {
      /** Number of events accepted by this call. */
      readonly events_accepted: number;
      /** Interventions to show, most urgent first. */
      readonly interventions: readonly {
        /** Id of the intervention. */
        readonly intervention_id: string;
        /** Always `in_app_message`. */
        readonly type: string;
        /** The campaign. */
        readonly campaign: {
          /** Key of the campaign. */
          readonly key: string;
          /** Version of the campaign whose content this is. */
          readonly version: number;
        };
        /** Key of the variant that the player was drawn for. */
        readonly variant: string | null;
        /** Language tag of the texts, as the campaign has it. */
        readonly locale: string | null;
        /**
         * Texts in the language of the player, to be shown as text: they may have what other players
         * wrote.
         */
        readonly content: Texts;
        /** How to show the content. */
        readonly display_rules: {
          /** Priority from the campaign, for example `high`. */
          readonly priority: string;
          /** Seconds after which to hide it. */
          readonly dismiss_after_seconds: number;
        };
      }[];
      /** Flags of the session that changed since the last init or sync. */
      readonly updated_flags: Readonly<Record<string, ServedFlag>>;
      /** Events that were rejected permanently. */
      readonly rejected: readonly {
        /** Index of the event in the request, from 0. */
        readonly index: number;
        /** Why the event was rejected. */
        readonly error: WhyEventWasRejected;
      }[];
      /** Events that violate their schemas. */
      readonly warnings?: readonly Event[];
    };
  };
  /** End a session and get its summary. */
  'POST /v1/bff/game/end-session': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Id of the session, as returned by init. */
      readonly session_id: string;
      /** Playtime, seconds. */
      readonly session_duration_seconds: number;
      /** Events of the session, at most 50. */
      readonly final_events?: readonly EventOfSession[];
    };
    readonly answer: {
      /** Summary of the session. */
      readonly session_summary: {
        /** Id of the session, as returned by init. */
        readonly session_id: string;
        /** Number of events accepted in the session, including the final ones. */
        readonly total_events: number;
        /** Counted playtime, seconds. */
        readonly duration_seconds: number;
        /**
         * Distinct achievements from `achievement_unlocked` events (property `achievement_id` or
         * `achievement`).
         */
        readonly achievements_unlocked: readonly string[];
        /** Number of `intervention_shown` events with an `intervention_id`. */
        readonly interventions_shown: number;
        /** Number of `intervention_clicked` events with an `intervention_id`. */
        readonly interventions_clicked: number;
      };
      /** Events that were rejected permanently. */
      readonly rejected: readonly {
        /** Index of the event in the request, from 0. */
        readonly index: number;
        /** Why the event was rejected. */
        readonly error: WhyEventWasRejected;
      }[];
      /** Events that violate their schemas. */
      readonly warnings?: readonly Event[];
    };
  };
  /** Get the receipt of an erasure. */
  'GET /v1/players/players/{id}/erasure': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: ReceiptOfErasure;
  };
  /** Merge a guest into an account. */
  'POST /v1/players/players/{id}/merge': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Id or external_id of the account. */
      readonly into: string;
      /** Player token of the guest. */
      readonly guest_token?: string;
    };
    readonly answer: {
      /** Id of the merge. */
      readonly merge_id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Your own unique id of the player. */
      readonly external_id: string;
      /** The player who was merged. */
      readonly guest: {
        /** Id of the player, assigned by the service. */
        readonly id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
      };
      /** When the players were merged. */
      readonly merged_at: string;
      /** Until when DELETE takes the merge back. */
      readonly undo_until: string;
    };
  };
  /** Take a merge back. */
  'DELETE /v1/players/players/{id}/merge': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the merge. */
      readonly merge_id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Id of the account. */
      readonly account_id: string;
    };
  };
  /** List what flags serve a player, and what the player saw. */
  'GET /v1/players/players/{id}/flags': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The time for which `now` was calculated. */
      readonly evaluated_at: string;
      /** The flags. */
      readonly flags: readonly {
        /** The flag's key. */
        readonly flag_key: string;
        /** Name of the flag. */
        readonly name: string | null;
        /** `boolean`, `multivariate`, `string`, `number` or `json`. */
        readonly flag_type: string | null;
        /** Whether the flag exists and is enabled. */
        readonly enabled: boolean;
        /** Current version. */
        readonly version: number | null;
        /** Calculated for this answer, without an evaluation context. */
        readonly now: {
          /** The value. */
          readonly value: unknown;
          /** Key of the variant. */
          readonly variant_key: string | null;
          /** `default`: no rule holds. */
          readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
          /** Id of the matching segment, with `segment_match`. */
          readonly segment_id?: string;
          /** Its key. */
          readonly segment_key?: string | null;
          /** The experiment that decided. */
          readonly experiment?: Experiment;
          /** Key of the unmet prerequisite, if it is the cause of `flag_disabled`. */
          readonly prerequisite_key?: string;
        } | null;
        /** The player's override of this flag. */
        readonly override: {
          /** Value that the player gets. */
          readonly value: unknown;
        } | null;
        /** The last result that the player received. */
        readonly served: {
          /** The value. */
          readonly value: unknown;
          /** Key of the variant. */
          readonly variant_key: string | null;
          /** `default`: no rule holds. */
          readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
          /** Id of the matching segment, with `segment_match`. */
          readonly segment_id?: string;
          /** Its key. */
          readonly segment_key?: string | null;
          /** The experiment that decided. */
          readonly experiment?: Experiment;
          /** Version of the flag that first served this result. */
          readonly flag_version: number;
          /**
           * Whether the assignment of players is unchanged since then, or the experiment is still
           * active.
           */
          readonly current_period: boolean;
          /** Whether the player got two variants in that period, so that results leave the player out. */
          readonly mixed: boolean;
        } | null;
        /** Variants that the player saw, the latest first. */
        readonly exposures: readonly {
          /** The value. */
          readonly value: unknown;
          /** Key of the variant. */
          readonly variant_key: string | null;
          /** Why the flag served it, as in `now`. */
          readonly reason: string;
          /**
           * How the variant is known: `served` (the last result), `earlier` or `named` (the event
           * names it), `mismatch` (the event names one that was never served), `local` (reported by a
           * server).
           */
          readonly attribution: string;
          /** Version of the flag. */
          readonly flag_version: number;
          /**
           * Whether the assignment of players is unchanged since then, or the experiment is still
           * active.
           */
          readonly current_period: boolean;
          /** Key of the experiment that decided. */
          readonly experiment_key?: string;
          /** Phase of the experiment in which the player was assigned, with `experiment_key`. */
          readonly phase?: number;
          /** When the player first saw this variant in that period. */
          readonly first_seen_at: string;
        }[];
      }[];
      /** false: ClickHouse does not answer, so all `exposures` are empty. */
      readonly exposures_complete: boolean;
    };
  };
  /** List the segments of a player. */
  'GET /v1/players/players/{id}/segments': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The segments. */
      readonly segments: readonly {
        /** Id of the segment. */
        readonly segment_id: string;
        /** Key of the segment when the player entered it. */
        readonly segment_key: string;
        /** Name of the segment. */
        readonly name: string | null;
        /** Whether the players of the segment are those of a list. */
        readonly static: boolean;
        /** When the player entered the segment. */
        readonly since: string;
      }[];
    };
  };
  /** Get what campaigns did with a player. */
  'GET /v1/players/players/{id}/campaigns': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The campaigns. */
      readonly campaigns: readonly {
        /** Id of the campaign. */
        readonly campaign_id: string;
        /** Key of the campaign. */
        readonly campaign_key: string | null;
        /** Name of the campaign. */
        readonly name: string | null;
        /** Whether the campaign exists and is enabled. */
        readonly enabled: boolean;
        /** Interventions that it created for the player. */
        readonly interventions: number;
        /** Those that the player saw. */
        readonly interventions_shown: number;
        /** Those of the current UTC day. */
        readonly interventions_today: number;
        /** The latest one. */
        readonly last_intervention_at: string | null;
        /** The latest suppression. */
        readonly suppressed: {
          /** The latest suppression that was recorded. */
          readonly at: string;
          /**
           * Reasons of that UTC day: `cap_total` and `cap_per_day` (caps of the campaign), `cooldown`,
           * `cap_all_campaigns` (interventions of one day), `waiting_full` (too many wait to be
           * shown), `holdout`, `not_eligible` (at delivery the player was not in the audience any
           * more, or did not meet the conditions).
           */
          readonly reasons: readonly (
            | 'cap_total'
            | 'cap_per_day'
            | 'cooldown'
            | 'cap_all_campaigns'
            | 'waiting_full'
            | 'holdout'
            | 'not_eligible'
          )[];
        } | null;
      }[];
      /** Interventions that are not over, oldest first. */
      readonly waiting: readonly {
        /** Id of the intervention. */
        readonly intervention_id: string;
        /** Id of its campaign. */
        readonly campaign_id: string;
        /** Key of the campaign when it was triggered. */
        readonly campaign_key: string;
        /** When it was triggered. */
        readonly created_at: string;
        /** Until when it waits to be shown. */
        readonly expires_at: string;
        /** The variant of the message. */
        readonly variant: string | null;
        /** How many syncs delivered it. */
        readonly offers: number;
        /** When the game showed it. */
        readonly shown_at: string | null;
      }[];
    };
  };
  /** List what happened to a player. */
  'GET /v1/players/players/{id}/timeline': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: {
      /** Only entries of these kinds. */
      readonly kind?: readonly (
        | 'event'
        | 'quarantined'
        | 'session'
        | 'purchase'
        | 'segment'
        | 'stage'
        | 'exposure'
        | 'campaign'
      )[];
      /** Maximum number of entries per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Entries of this page. */
      readonly entries: readonly {
        /**
         * `event`, `quarantined` (an event that violates its schema), `session` (a closed one),
         * `purchase`, `segment` (entered or exited), `stage` (of the lifecycle), `exposure` (to a
         * variant of a flag) or `campaign`.
         */
        readonly kind: 'event' | 'quarantined' | 'session' | 'purchase' | 'segment' | 'stage' | 'exposure' | 'campaign';
        /** When the service received or decided it. */
        readonly received_at: string;
        /** Of the event, the product, the segment, the flag or the campaign (keys). */
        readonly name: string;
        /** Source of an event (`caller`, `service`, `import`). */
        readonly what: string;
        /** Id of the event, session, transaction, segment or campaign. */
        readonly id?: string;
        /** First schema fault of an event. */
        readonly why?: string;
        /** Properties of an event, value of an exposure, currency of a purchase, cause of a campaign. */
        readonly value?: unknown;
        /**
         * Seconds of a session, amount of a purchase (negative when taken back), version of a flag,
         * schema or campaign.
         */
        readonly number?: number;
        /** What the player paid or got back in another currency, which `number` was converted from. */
        readonly paid?: {
          /** Negative when taken back. */
          readonly amount: number;
          /** ISO 4217 code. */
          readonly currency: string;
        };
        /** The first faults of a quarantined event. */
        readonly faults?: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Export all data of a player. */
  'GET /v1/players/players/{id}/export': {
    readonly path: {
      /** Id of the player, assigned by the service. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of rows per page over all tables, 1 to 1000. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** When the state was read. */
      readonly exported_at: string;
      /** A player. */
      readonly player: Player;
      /**
       * The rest of the live state: sessions, activity and counters by day (days since 1970-01-01,
       * UTC, newest first), segments, flag overrides and exposures, recent ids, Idempotency-Keys
       * without their responses, and so on.
       */
      readonly state: Readonly<Record<string, unknown>>;
      /** Rows of this page by table name, with the columns of the table. */
      readonly rows: Readonly<Record<string, unknown>>;
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Track one event. */
  'POST /v1/events/events': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: EventToTrack;
    readonly answer: {
      /** The event_id that you sent or the service assigned. */
      readonly event_id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Name of the event. */
      readonly event_name: string;
      /** When the event happened. */
      readonly timestamp: string;
      /** When the service received it. */
      readonly received_at: string;
      /** Present if the event violates an enforced schema and was quarantined. */
      readonly status?: 'quarantined';
      /**
       * The first 8 violations of the event's schema, or why a view leaves an event of the economy
       * or of levels out.
       */
      readonly warnings?: readonly {
        /** JSON Pointer into the properties. */
        readonly path: string;
        /** The rule that the value breaks. */
        readonly message: string;
      }[];
    };
  };
  /** Query events. */
  'GET /v1/events/events': {
    readonly path: undefined;
    readonly query: {
      /** Only events with this name. */
      readonly event_name?: string;
      /** Id of the player, assigned by the service. */
      readonly player_id?: string;
      /** Only events received at or after this time. */
      readonly from?: string;
      /** Only events received before this time. */
      readonly to?: string;
      /** Only events with this session_id. */
      readonly session_id?: string;
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Events of this page. */
      readonly events: readonly {
        /** The event_id that the sender sent or the service assigned. */
        readonly event_id: string;
        /** Name of the event. */
        readonly event_name: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** The session_id of the event. */
        readonly session_id: string | null;
        /** The properties as sent. */
        readonly properties: Readonly<Record<string, unknown>>;
        /** When the event happened, according to its sender. */
        readonly timestamp: string;
        /** When the service received it. */
        readonly received_at: string;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Track up to 100 events. */
  'POST /v1/events/events/batch': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The events, 1 to 100. */
      readonly events: readonly EventToTrack[];
    };
    readonly answer: {
      /** Number of events accepted by this request. */
      readonly accepted: number;
      /** Number of events that were accepted earlier. */
      readonly duplicates: number;
      /** Number of events rejected permanently. */
      readonly rejected: number;
      /** Number of events quarantined because they violate an enforced schema. */
      readonly quarantined: number;
      /** Number of events that failed temporarily. */
      readonly unavailable: number;
      /** One result per event, in the order of the request. */
      readonly results: readonly {
        /** Index of the event in the request, from 0. */
        readonly index: number;
        /** The event_id that you sent or the service assigned. */
        readonly event_id: string | null;
        /** Result for the event. */
        readonly status: 'accepted' | 'duplicate' | 'rejected' | 'quarantined' | 'unavailable';
        /** Why the event was not accepted. */
        readonly error?: WhyEventWasRejected;
        /**
         * The first 8 violations of the event's schema, or why a view leaves an event of the economy
         * or of levels out.
         */
        readonly warnings?: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
      }[];
    };
  };
  /** List names and properties of events. */
  'GET /v1/events/dictionary': {
    readonly path: undefined;
    readonly query: {
      /** Only this name, with its properties. */
      readonly event_name?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** At most 1500 names. */
      readonly events: readonly {
        /** Name of the events. */
        readonly event_name: string;
        /** Events with this name. */
        readonly events: number;
        /** Receipt of the oldest one. */
        readonly first_seen_at: string;
        /** Receipt of the newest one. */
        readonly last_seen_at: string;
        /** Events by who made them. */
        readonly senders: {
          /** Sent with a client key: by games, the SDK and Segment clients. */
          readonly client: number;
          /** Sent with a server key. */
          readonly server: number;
          /** Made by the service for recorded sessions and purchases. */
          readonly service: number;
          /** Imported history. */
          readonly import: number;
        };
        /** Events that violate their schema in the modes `observe` and `warn`. */
        readonly schema_faults: number;
        /** The schema of events with this name. */
        readonly schema: {
          /** Version of the schema. */
          readonly version: number;
          /** `observe`, `warn` or `enforce`. */
          readonly mode: string;
        } | null;
        /** Top-level properties, the most frequent first. */
        readonly properties?: readonly {
          /** Key of the property. */
          readonly name: string;
          /** Share of the newest events that have it, 0 to 1. */
          readonly share: number;
          /** Types of its values. */
          readonly types: readonly string[];
          /** Up to 3 values of at most 64 characters. */
          readonly examples: readonly unknown[];
        }[];
      }[];
      /** Whether more names occur. */
      readonly more: boolean;
    };
  };
  /** Tell where an event went. */
  'GET /v1/events/events/{event_id}/trace': {
    readonly path: {
      /** The event_id that the sender sent or the service assigned. */
      readonly event_id: string;
    };
    readonly query: {
      /** Id of the player, assigned by the service. */
      readonly player_id?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The traces. */
      readonly traces: readonly {
        /** Whether the event counts, or waits in quarantine. */
        readonly state: 'accepted' | 'quarantined';
        /** Id of the event. */
        readonly event_id: string;
        /** Name of the event. */
        readonly event_name: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** `caller`, `service` (recorded sessions and purchases) or `import`. */
        readonly source: string;
        /** When the event happened, according to its sender. */
        readonly timestamp: string;
        /** When the service received it. */
        readonly received_at: string;
        /** The first faults of a quarantined event. */
        readonly faults: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
        /** Where the log holds the event. */
        readonly log: {
          /** Sequence of the record of FACTS. */
          readonly sequence: number;
          /** Place of the fact in the record. */
          readonly index: number;
          /** Partition of the player. */
          readonly partition: string | null;
          /** When the log stored it. */
          readonly appended_at: string | null;
        };
        /** The row in ClickHouse. */
        readonly row: {
          /** Name of the table. */
          readonly table: string;
          /** When the row was inserted. */
          readonly inserted_at: string;
          /** Number of rows of the same insert. */
          readonly rows_of_insert: number | null;
        } | null;
        /** Its SSE id on the event stream. */
        readonly stream_id: string | null;
        /** Whether its deliveries are queued. */
        readonly webhooks_matched: boolean;
        /** Attempts of its deliveries, the oldest first. */
        readonly attempts: readonly {
          /** Id of the webhook. */
          readonly webhook_id: string;
          /** Its name. */
          readonly webhook_name: string | null;
          /** Id of the delivery. */
          readonly delivery_id: string;
          /** Number of the attempt, from 1. */
          readonly attempt: number;
          /** When the attempt was made. */
          readonly attempted_at: string;
          /** Duration of the request and its response, milliseconds. */
          readonly duration_ms: number;
          /** As in the delivery attempts of the webhook. */
          readonly outcome: string;
          /** HTTP status of the response. */
          readonly status: number | null;
          /** Why there was no response. */
          readonly error: string | null;
          /** When the next attempt is due. */
          readonly next_attempt_at: string | null;
        }[];
      }[];
      /** Records of the log that ClickHouse does not hold yet. */
      readonly behind_records: number;
      /** Whether all of these records were searched. */
      readonly searched_all: boolean;
    };
  };
  /** List the event schemas. */
  'GET /v1/events/schemas': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'observe' | 'warn' | 'enforce';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The schemas of this page. */
      readonly schemas: readonly EventSchema[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create an event schema. */
  'POST /v1/events/schemas': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
      /** JSON Schema (draft 2020-12) for the `properties` of the events. */
      readonly schema: Readonly<Record<string, unknown>>;
      /** Free text for people. */
      readonly description?: string;
      /** What happens to events that violate the schema. */
      readonly mode?: 'observe' | 'warn' | 'enforce';
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: EventSchema;
  };
  /** Get an event schema. */
  'GET /v1/events/schemas/{event_name}': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: EventSchema;
  };
  /** Replace an event schema. */
  'PUT /v1/events/schemas/{event_name}': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current event name. */
      readonly event_name?: string;
      /** JSON Schema (draft 2020-12) for the `properties` of the events. */
      readonly schema: Readonly<Record<string, unknown>>;
      /** Free text for people. */
      readonly description?: string;
      /** What happens to events that violate the schema. */
      readonly mode?: 'observe' | 'warn' | 'enforce';
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: EventSchema;
  };
  /** Delete an event schema. */
  'DELETE /v1/events/schemas/{event_name}': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of an event schema. */
  'GET /v1/events/schemas/{event_name}/versions': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of an event schema. */
  'GET /v1/events/schemas/{event_name}/versions/{version}': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version;
  };
  /** Get what was in force of an event schema at a time. */
  'GET /v1/events/schemas/{event_name}/in-force': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version;
  };
  /** Restore a version of an event schema. */
  'POST /v1/events/schemas/{event_name}/restore': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: VersionToRestore;
    readonly answer: EventSchema;
  };
  /** Say what restoring a version of an event schema would change. */
  'POST /v1/events/schemas/{event_name}/restore/preview': {
    readonly path: {
      /** Name of the events that the schema applies to. */
      readonly event_name: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** Check recent events against a schema. */
  'POST /v1/events/schemas/dry-run': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Name of the events to check. */
      readonly event_name: string;
      /**
       * JSON Schema (draft 2020-12) for the `properties`, with the same rules as for event
       * schemas.
       */
      readonly schema: Readonly<Record<string, unknown>>;
      /** Number of the newest events to check. */
      readonly limit?: number;
    };
    readonly answer: {
      /** Name of the events. */
      readonly event_name: string;
      /** Number of events that were checked, the newest. */
      readonly events_checked: number;
      /** Number of them that the schema would accept. */
      readonly events_valid: number;
      /** Number of them that it would refuse. */
      readonly events_invalid: number;
      /** Number of accepted ones that were quarantined: a replay would track them. */
      readonly quarantined_valid: number;
      /** Receipt of the oldest checked event. */
      readonly oldest_received_at: string | null;
      /** Whether the time ended before all events were checked. */
      readonly stopped_early: boolean;
      /** The faults, the most frequent first. */
      readonly faults: readonly {
        /** JSON Pointer into the properties. */
        readonly path: string;
        /** The rule that the value breaks. */
        readonly message: string;
        /** Number of events with it. */
        readonly events: number;
      }[];
      /** The newest refused events, at most 10. */
      readonly examples: readonly {
        /** Id of the event. */
        readonly event_id: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** When the service received it. */
        readonly received_at: string;
        /** Whether it is in quarantine now. */
        readonly quarantined: boolean;
        /** Its faults. */
        readonly faults: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
        /** The properties as sent. */
        readonly properties: Readonly<Record<string, unknown>>;
      }[];
    };
  };
  /** Count the schema faults of events. */
  'GET /v1/events/schema-faults': {
    readonly path: undefined;
    readonly query: {
      /** Only events with this name. */
      readonly event_name?: string;
      /** Only events received in the last days, counted back from now. */
      readonly days?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The most frequent ones first, at most 200. */
      readonly faults: readonly {
        /** Name of the events. */
        readonly event_name: string;
        /** Path and rule, for example `/level must be integer`. */
        readonly fault: string;
        /** Whether these events are in quarantine and not replayed. */
        readonly quarantined: boolean;
        /** Number of events. */
        readonly events: number;
        /** Number of their players, about 1 % exact. */
        readonly players: number;
        /** Receipt of the oldest one. */
        readonly first_seen_at: string;
        /** Receipt of the newest one. */
        readonly last_seen_at: string;
        /** Id of the newest one. */
        readonly example_event_id: string;
      }[];
      /** Events received from then on are counted. */
      readonly since: string;
    };
  };
  /** List quarantined events. */
  'GET /v1/events/quarantine': {
    readonly path: undefined;
    readonly query: {
      /** Only events with this name. */
      readonly event_name?: string;
      /** Id of the player, assigned by the service. */
      readonly player_id?: string;
      /** Only events received at or after this time. */
      readonly from?: string;
      /** Only events received before this time. */
      readonly to?: string;
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Events of this page. */
      readonly events: readonly {
        /** The event_id that the sender sent or the service assigned. */
        readonly event_id: string;
        /** Name of the event. */
        readonly event_name: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** The session_id of the event. */
        readonly session_id: string | null;
        /** The properties as sent. */
        readonly properties: Readonly<Record<string, unknown>>;
        /** When the event happened, according to its sender. */
        readonly timestamp: string;
        /** When the service received it. */
        readonly received_at: string;
        /** Version of the schema that the event violates. */
        readonly schema_version: number;
        /**
         * The first 8 violations of the event's schema, or why a view leaves an event of the economy
         * or of levels out.
         */
        readonly reason: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
        /** Whether the event has been replayed since and counts as a normal event. */
        readonly released: boolean;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Replay quarantined events. */
  'POST /v1/events/quarantine/replay': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Only events with this name. */
      readonly event_name?: string;
      /** Id of the player, assigned by the service. */
      readonly player_id?: string;
      /** Only events received at or after this time. */
      readonly from?: string;
      /** Only events received before this time. */
      readonly to?: string;
      /** Only events with these ids, 1 to 500 ids. */
      readonly event_ids?: readonly string[];
      /** `next_cursor` of the previous call. */
      readonly cursor?: string;
    };
    readonly answer: {
      /** Number of events tracked by this call. */
      readonly replayed: number;
      /** Number of events that stay in quarantine. */
      readonly failed: number;
      /** Number of events that were replayed earlier. */
      readonly already_replayed: number;
      /** The first 32 events that stay in quarantine. */
      readonly failures: readonly {
        /** Id of the event. */
        readonly event_id: string;
        /** Name of the event. */
        readonly event_name: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Error code. */
        readonly code: string;
        /** Why the event stays in quarantine. */
        readonly message: string;
        /**
         * The first 8 violations of the event's schema, or why a view leaves an event of the economy
         * or of levels out.
         */
        readonly warnings?: readonly {
          /** JSON Pointer into the properties. */
          readonly path: string;
          /** The rule that the value breaks. */
          readonly message: string;
        }[];
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Stream events (Server-Sent Events). */
  'GET /v1/events/events/stream': {
    readonly path: undefined;
    readonly query: {
      /** Only events with these names. */
      readonly event_name?: readonly string[];
      /** Id of the player, assigned by the service. */
      readonly player_id?: string;
      /** Stream token from `POST /v1/events/stream-tokens`, instead of an API key. */
      readonly token?: string;
      /** Same as the header `Last-Event-ID`, for clients that cannot set it. */
      readonly last_event_id?: string;
    };
    readonly header: {
      /** The last SSE id received. */
      readonly 'Last-Event-ID'?: string;
    };
    readonly body: undefined;
    readonly answer: string;
  };
  /** Create a token that opens one event stream. */
  'POST /v1/events/stream-tokens': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The token. */
      readonly token: string;
      /** When the token expires. */
      readonly expires_at: string;
    };
  };
  /** Evaluate one flag for a player. */
  'POST /v1/flags/flags/{key}/evaluate': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Evaluation context, for example the platform. */
      readonly context?: Readonly<Record<string, unknown>>;
    };
    readonly answer: {
      /** The flag's key. */
      readonly flag_key: string;
      /** Served value, of the flag's type. */
      readonly value: unknown;
      /** Key of the served variant. */
      readonly variant_key: string | null;
      /** Why the flag serves this value. */
      readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
      /** The flag's period. */
      readonly period: number;
      /** Id of the matching segment, if the reason is `segment_match`. */
      readonly segment_id?: string;
      /** Key of the unmet prerequisite flag, if it is the cause of `flag_disabled`. */
      readonly prerequisite_key?: string;
      /** The experiment that decided. */
      readonly experiment?: Experiment;
      /** Duration of the evaluation, whole milliseconds. */
      readonly evaluation_time_ms: number;
      /** Duration of the evaluation, microseconds. */
      readonly evaluation_time_us: number;
    };
  };
  /** Evaluate several or all flags for a player. */
  'POST /v1/flags/flags/evaluate': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Keys of the flags to evaluate. */
      readonly flag_keys?: readonly string[];
      /** Evaluation context, for example the platform. */
      readonly context?: Readonly<Record<string, unknown>>;
    };
    readonly answer: {
      /** Evaluations by flag key. */
      readonly evaluations: Readonly<
        Record<
          string,
          {
            /** Served value, of the flag's type. */
            readonly value: unknown;
            /** Key of the served variant. */
            readonly variant_key: string | null;
            /** Why the flag serves this value. */
            readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
            /** The flag's period. */
            readonly period: number;
            /** Id of the matching segment, if the reason is `segment_match`. */
            readonly segment_id?: string;
            /** Key of the unmet prerequisite flag, if it is the cause of `flag_disabled`. */
            readonly prerequisite_key?: string;
            /** The experiment that decided. */
            readonly experiment?: Experiment;
          }
        >
      >;
      /** Requested keys that no flag has. */
      readonly unknown_flags: readonly string[];
      /** Duration of the evaluation, whole milliseconds. */
      readonly evaluation_time_ms: number;
      /** Duration of the evaluation, microseconds. */
      readonly evaluation_time_us: number;
    };
  };
  /** Evaluate one flag (OFREP). */
  'POST /ofrep/v1/evaluate/flags/{key}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Evaluation context. */
      readonly context?: {
        /** The player: its player_id or external_id. */
        readonly targetingKey?: string;
      };
    };
    readonly answer: FlagEvaluationOfOFREP;
  };
  /** Evaluate all flags (OFREP). */
  'POST /ofrep/v1/evaluate/flags': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** ETags of earlier responses that you hold. */
      readonly 'If-None-Match'?: string;
    };
    readonly body: {
      /** Evaluation context. */
      readonly context?: {
        /** The player: its player_id or external_id. */
        readonly targetingKey?: string;
      };
    };
    readonly answer: {
      /** The evaluations, ordered by flag key. */
      readonly flags: readonly FlagEvaluationOfOFREP[];
    };
  };
  /** List the computed properties. */
  'GET /v1/properties/properties': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The properties of this page. */
      readonly properties: readonly ComputedProperty[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create a computed property. */
  'POST /v1/properties/properties': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key, unique in game and environment. */
      readonly key: string;
      /** Name of the events that are counted. */
      readonly event: string;
      /** `count`: number of events. */
      readonly aggregate: 'count' | 'sum' | 'max' | 'min' | 'average' | 'first' | 'last' | 'distinct';
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /**
       * Condition on `properties.<path>` of the event, without regular expressions, `$elemMatch`
       * and `$all`.
       */
      readonly where?: Readonly<Record<string, unknown>> | null;
      /** `properties.<path>` of the event, required except for `count`. */
      readonly value?: string | null;
      /** Window in UTC days, today included, 1 to 90. */
      readonly within_days?: number | null;
      /** Read-only, as returned by GET. */
      readonly past?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: ComputedProperty;
  };
  /** Get a computed property. */
  'GET /v1/properties/properties/{key}': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Key of the property. */
      readonly key: string;
      /** Display name. */
      readonly name: string;
      /** Free text for people. */
      readonly description: string;
      /** Name of the events that are counted. */
      readonly event: string;
      /**
       * Condition on `properties.<path>` of the event, without regular expressions, `$elemMatch`
       * and `$all`.
       */
      readonly where: Readonly<Record<string, unknown>> | null;
      /** `count`: number of events. */
      readonly aggregate: 'count' | 'sum' | 'max' | 'min' | 'average' | 'first' | 'last' | 'distinct';
      /** `properties.<path>` of the event, required except for `count`. */
      readonly value: string | null;
      /** Window in UTC days, today included, 1 to 90. */
      readonly within_days: number | null;
      /** Who answers for it: a person or a team. */
      readonly owner: string;
      /** Tags, in lower case. */
      readonly tags: readonly string[];
      /** What colleagues should know. */
      readonly note: string;
      /**
       * What manages the definition beside the console and this API, such as files: its next run
       * replaces changes from elsewhere.
       */
      readonly managed_by: {
        /** Its name, such as `github.com/acme/games`. */
        readonly by?: string;
        /** The version that it wrote last. */
        readonly version?: number;
      } | null;
      /** Version, counted from 1. */
      readonly version: number;
      /** When the property was created. */
      readonly created_at: string;
      /** When the property was last changed. */
      readonly updated_at: string;
      /** Progress of counting the events from before the definition. */
      readonly past: {
        /**
         * `counting` while events from before the definition are missing in the values of some
         * players.
         */
        readonly status: 'counted' | 'counting';
        /** Partitions of the players that are complete. */
        readonly partitions_counted: number;
        /** Partitions of the players. */
        readonly partitions_total: number;
      };
    };
  };
  /** Replace a computed property. */
  'PUT /v1/properties/properties/{key}': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Name of the events that are counted. */
      readonly event: string;
      /** `count`: number of events. */
      readonly aggregate: 'count' | 'sum' | 'max' | 'min' | 'average' | 'first' | 'last' | 'distinct';
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /**
       * Condition on `properties.<path>` of the event, without regular expressions, `$elemMatch`
       * and `$all`.
       */
      readonly where?: Readonly<Record<string, unknown>> | null;
      /** `properties.<path>` of the event, required except for `count`. */
      readonly value?: string | null;
      /** Window in UTC days, today included, 1 to 90. */
      readonly within_days?: number | null;
      /** Read-only, as returned by GET. */
      readonly past?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: ComputedProperty;
  };
  /** Delete a computed property. */
  'DELETE /v1/properties/properties/{key}': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Key of the property. */
      readonly key: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of a computed property. */
  'GET /v1/properties/properties/{key}/versions': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a computed property. */
  'GET /v1/properties/properties/{key}/versions/{version}': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: VersionWithDefinition;
  };
  /** Get what was in force of a computed property at a time. */
  'GET /v1/properties/properties/{key}/in-force': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: VersionWithDefinition;
  };
  /** Restore a version of a computed property. */
  'POST /v1/properties/properties/{key}/restore': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: VersionToRestore;
    readonly answer: ComputedProperty;
  };
  /** Say what restoring a version of a computed property would change. */
  'POST /v1/properties/properties/{key}/restore/preview': {
    readonly path: {
      /** Key of the property. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the segments. */
  'GET /v1/segments/segments': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'enabled' | 'disabled';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The segments of this page. */
      readonly segments: readonly Segment[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create a segment. */
  'POST /v1/segments/segments': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key, unique in game and environment. */
      readonly key?: string;
      /** Display name. */
      readonly name?: string;
      /** Condition over attributes, lifecycle, totals, device and event counts. */
      readonly conditions?: Readonly<Record<string, unknown>>;
      /** dynamic: the players who meet `conditions`. */
      readonly kind?: 'dynamic' | 'static';
      /** Ids of players who are in the segment whatever the conditions or the list say. */
      readonly includes?: readonly string[];
      /** Ids of players who are not in the segment whatever the conditions or the list say. */
      readonly excludes?: readonly string[];
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the segment is evaluated. */
      readonly enabled?: boolean;
      /** Read-only, as returned by GET. */
      readonly evaluation?: unknown;
      /** Read-only, as returned by GET. */
      readonly used_by?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly segment_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly list?: unknown;
    };
    readonly answer: Segment;
  };
  /** Get a segment. */
  'GET /v1/segments/segments/{id}': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the segment, `seg_…`. */
      readonly segment_id: string;
      /** Key of the segment, used in responses and webhooks. */
      readonly key: string;
      /** Display name. */
      readonly name: string;
      /** Free text for people. */
      readonly description: string;
      /** dynamic: the players who meet `conditions`. */
      readonly kind: 'dynamic' | 'static';
      /** Condition over attributes, lifecycle, totals, device and event counts. */
      readonly conditions?: Readonly<Record<string, unknown>>;
      /** The list of a static segment. */
      readonly list?: {
        /** Number of players in the list when it took effect. */
        readonly players: number;
        /** When the list took effect. */
        readonly loaded_at: string | null;
      };
      /** Ids of players who are in the segment whatever the conditions or the list say. */
      readonly includes: readonly string[];
      /** Ids of players who are not in the segment whatever the conditions or the list say. */
      readonly excludes: readonly string[];
      /**
       * Names in conditions that no event or player has yet, operators without `$`, and operators
       * that compare versions as texts.
       */
      readonly warnings?: readonly Warning[];
      /** Whether the segment is evaluated. */
      readonly enabled: boolean;
      /** Who answers for it: a person or a team. */
      readonly owner: string;
      /** Tags, in lower case. */
      readonly tags: readonly string[];
      /** What colleagues should know. */
      readonly note: string;
      /**
       * What manages the definition beside the console and this API, such as files: its next run
       * replaces changes from elsewhere.
       */
      readonly managed_by: {
        /** Its name, such as `github.com/acme/games`. */
        readonly by?: string;
        /** The version that it wrote last. */
        readonly version?: number;
      } | null;
      /** Version, counted from 1. */
      readonly version: number;
      /** When the segment was created. */
      readonly created_at: string;
      /** When the segment was last changed. */
      readonly updated_at: string;
      /** What uses the segment. */
      readonly used_by: {
        /** Keys of flags with a rule that reads the segment. */
        readonly flags: readonly string[];
        /** Keys of experiments whose audience reads it. */
        readonly experiments: readonly string[];
        /** Keys of campaigns for it, or triggered by it. */
        readonly campaigns: readonly string[];
        /** Keys of segments whose conditions read it. */
        readonly segments: readonly string[];
      };
      /** Progress of evaluating all players after the latest edit. */
      readonly evaluation: {
        /**
         * `running` while players are being evaluated against the latest version, or the past of a
         * computed property that it reads is being counted.
         */
        readonly status: 'done' | 'running';
        /** Number of players evaluated so far. */
        readonly players_evaluated: number;
        /** Number of players of this game and environment. */
        readonly players_total: number;
        /**
         * Number of evaluated players for whom the conditions exceeded their step budget and were
         * therefore false.
         */
        readonly players_over_budget: number;
      };
    };
  };
  /** Replace a segment. */
  'PUT /v1/segments/segments/{id}': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Display name. */
      readonly name?: string;
      /** Condition over attributes, lifecycle, totals, device and event counts. */
      readonly conditions?: Readonly<Record<string, unknown>>;
      /** dynamic: the players who meet `conditions`. */
      readonly kind?: 'dynamic' | 'static';
      /** Ids of players who are in the segment whatever the conditions or the list say. */
      readonly includes?: readonly string[];
      /** Ids of players who are not in the segment whatever the conditions or the list say. */
      readonly excludes?: readonly string[];
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the segment is evaluated. */
      readonly enabled?: boolean;
      /** Read-only, as returned by GET. */
      readonly evaluation?: unknown;
      /** Read-only, as returned by GET. */
      readonly used_by?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly segment_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly list?: unknown;
    };
    readonly answer: Segment;
  };
  /** Delete a segment. */
  'DELETE /v1/segments/segments/{id}': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the segment. */
      readonly segment_id: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of a segment. */
  'GET /v1/segments/segments/{id}/versions': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a segment. */
  'GET /v1/segments/segments/{id}/versions/{version}': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version2;
  };
  /** Get what was in force of a segment at a time. */
  'GET /v1/segments/segments/{id}/in-force': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version2;
  };
  /** Restore a version of a segment. */
  'POST /v1/segments/segments/{id}/restore': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly segment_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly list?: unknown;
    };
    readonly answer: Segment;
  };
  /** Say what restoring a version of a segment would change. */
  'POST /v1/segments/segments/{id}/restore/preview': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the scheduled changes of a segment. */
  'GET /v1/segments/segments/{id}/schedule': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Schedule changes of a segment. */
  'POST /v1/segments/segments/{id}/schedule': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Say what scheduled changes of a segment would change. */
  'POST /v1/segments/segments/{id}/schedule/preview': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Cancel a scheduled change of a segment. */
  'DELETE /v1/segments/segments/{id}/schedule/{change}': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
      /** Id of the change. */
      readonly change: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** List the players in a segment. */
  'GET /v1/segments/segments/{id}/players': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Players of this page. */
      readonly players: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** When the player entered the segment. */
        readonly entered_at: string;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** List the members of a segment. */
  'GET /v1/segments/segments/{id}/members': {
    readonly path: {
      /** Id of the segment. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Players of this page. */
      readonly players: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** When the player entered the segment. */
        readonly entered_at: string;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Replace the list of a static segment. */
  'PUT /v1/segments/segments/{id}/members': {
    readonly path: {
      /** Id of the static segment. */
      readonly id: string;
    };
    readonly query: {
      /** What ids without a field name are. */
      readonly ids?: 'external_id' | 'player_id';
    };
    readonly header: {
      /** text/csv, application/x-ndjson or application/json. */
      readonly 'Content-Type'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: string;
    readonly answer: LoadedList;
  };
  /** Add players to the list of a static segment. */
  'POST /v1/segments/segments/{id}/members': {
    readonly path: {
      /** Id of the static segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Your ids of players. */
      readonly external_ids?: readonly string[];
      /** Ids of players. */
      readonly player_ids?: readonly string[];
      /** Read-only, as returned by GET. */
      readonly segment_id?: unknown;
    };
    readonly answer: {
      /** Id of the segment. */
      readonly segment_id: string;
      /** Number of players who were not in the list before. */
      readonly added: number;
      /** The ids that are not registered players. */
      readonly unknown_ids: readonly string[];
    };
  };
  /** Remove a player from the list of a static segment. */
  'DELETE /v1/segments/segments/{id}/members/{player_id}': {
    readonly path: {
      /** Id of the static segment. */
      readonly id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the segment. */
      readonly segment_id: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Whether the player was in the list. */
      readonly removed: boolean;
    };
  };
  /** Replace the list of a static segment by the players behind a figure. */
  'PUT /v1/segments/segments/{id}/members/query': {
    readonly path: {
      /** Id of the static segment. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** An analytics query. */
      readonly query: AnalyticsQuery;
      /** A figure of the query's answer. */
      readonly point: FigureOfQuerySAnswer;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly segment_id?: unknown;
    };
    readonly answer: LoadedList;
  };
  /** Count the players who match a condition. */
  'POST /v1/segments/segments/preview': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The condition of the segment. */
      readonly conditions: Readonly<Record<string, unknown>>;
      /** Ids of players who match in any case. */
      readonly includes?: readonly string[];
      /** Ids of players who do not match in any case. */
      readonly excludes?: readonly string[];
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: {
      /** Number of matching players. */
      readonly players: number;
      /** Whether all players were evaluated. */
      readonly exact: boolean;
      /** The exact number is at most this far from `players`, with a probability of 95 %. */
      readonly margin: number;
      /** Number of evaluated players. */
      readonly players_evaluated: number;
      /** Number of players of this game and environment. */
      readonly players_total: number;
      /** Number of evaluated players for whom the condition exceeded its step budget. */
      readonly players_over_budget: number;
      /** Some of the matching players, at most 10. */
      readonly examples: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
      }[];
      /** Time that the preview took, in milliseconds. */
      readonly evaluation_time_ms: number;
      /**
       * Names in conditions that no event or player has yet, operators without `$`, and operators
       * that compare versions as texts.
       */
      readonly warnings?: readonly Warning[];
    };
  };
  /** Test one player against a condition. */
  'POST /v1/segments/segments/explain': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** The condition, which need not be that of a segment. */
      readonly conditions: Readonly<Record<string, unknown>>;
      /** Id of a segment whose membership is of interest. */
      readonly segment_id?: string;
    };
    readonly answer: {
      /** Whether the player meets the condition. */
      readonly matches: boolean;
      /** When the player entered the segment `segment_id`, ISO 8601, UTC, milliseconds. */
      readonly member_since: string | null;
      /** Each member of the condition, nested ones too. */
      readonly tests: readonly MemberOfCondition[];
    };
  };
  /** List the flags. */
  'GET /v1/flags/flags': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'enabled' | 'disabled' | 'stale' | 'archived';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The flags of this page. */
      readonly flags: readonly Flag[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create a flag. */
  'POST /v1/flags/flags': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key of the flag. */
      readonly key: string;
      /** Type of the served values. */
      readonly flag_type: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the flag is evaluated. */
      readonly enabled?: boolean;
      /** When you expect the flag to be gone: from then on it is `stale`. */
      readonly ends_at?: string | null;
      /** Whether client keys may learn of the flag. */
      readonly client_visible?: boolean;
      /** Value for players that no rule includes, and of a disabled flag. */
      readonly default_value?: unknown;
      /** What players get whom no rule includes. */
      readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string;
      /** Variants that the flag serves by weight. */
      readonly variants?: readonly Variant[];
      /** Rules that select the players for whom the flag is on. */
      readonly targeting_rules?: readonly Rule[];
      /** Flags that must serve the given values or variants to the player. */
      readonly prerequisites?: readonly Prerequisite[];
      /** Read-only, as returned by GET. */
      readonly stale?: unknown;
      /** Read-only, as returned by GET. */
      readonly stale_unknown?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly salt?: unknown;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Flag;
  };
  /** Get a flag by key. */
  'GET /v1/flags/flags/{key}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** `archived`: archived definitions instead of current ones. */
      readonly state?: 'archived';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Flag;
  };
  /** Replace a flag. */
  'PUT /v1/flags/flags/{key}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Type of the served values. */
      readonly flag_type: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the flag is evaluated. */
      readonly enabled?: boolean;
      /** When you expect the flag to be gone: from then on it is `stale`. */
      readonly ends_at?: string | null;
      /** Whether client keys may learn of the flag. */
      readonly client_visible?: boolean;
      /** Value for players that no rule includes, and of a disabled flag. */
      readonly default_value?: unknown;
      /** What players get whom no rule includes. */
      readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string;
      /** Variants that the flag serves by weight. */
      readonly variants?: readonly Variant[];
      /** Rules that select the players for whom the flag is on. */
      readonly targeting_rules?: readonly Rule[];
      /** Flags that must serve the given values or variants to the player. */
      readonly prerequisites?: readonly Prerequisite[];
      /** Read-only, as returned by GET. */
      readonly stale?: unknown;
      /** Read-only, as returned by GET. */
      readonly stale_unknown?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly archived_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly salt?: unknown;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Flag;
  };
  /** Change fields of a flag. */
  'PATCH /v1/flags/flags/{key}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** The current key. */
      readonly key?: string;
      /** Display name. */
      readonly name?: string | null;
      /** Free text for people. */
      readonly description?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Type of the served values. */
      readonly flag_type?: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
      /** Whether the flag is evaluated. */
      readonly enabled?: boolean | null;
      /** When you expect the flag to be gone: from then on it is `stale`. */
      readonly ends_at?: string | null;
      /** Whether client keys may learn of the flag. */
      readonly client_visible?: boolean | null;
      /** Value for players that no rule includes, and of a disabled flag. */
      readonly default_value?: unknown;
      /** What players get whom no rule includes. */
      readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string | null;
      /** Variants that the flag serves by weight. */
      readonly variants?: readonly Variant[] | null;
      /** Rules that select the players for whom the flag is on. */
      readonly targeting_rules?: readonly Rule[] | null;
      /** Flags that must serve the given values or variants to the player. */
      readonly prerequisites?: readonly Prerequisite[] | null;
      /** Read-only, as returned by GET. */
      readonly stale?: unknown;
      /** Read-only, as returned by GET. */
      readonly stale_unknown?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly salt?: unknown;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Flag;
  };
  /** Delete (archive) a flag. */
  'DELETE /v1/flags/flags/{key}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** The flag's key. */
      readonly key: string;
      /** Always true. */
      readonly archived: boolean;
    };
  };
  /** Restore a version, or an archived flag. */
  'POST /v1/flags/flags/{key}/restore': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly salt?: unknown;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Flag;
  };
  /** List the versions of a flag. */
  'GET /v1/flags/flags/{key}/versions': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a flag. */
  'GET /v1/flags/flags/{key}/versions/{version}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version3;
  };
  /** Get what was in force of a flag at a time. */
  'GET /v1/flags/flags/{key}/in-force': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version3;
  };
  /** Say what restoring a version of a flag would change. */
  'POST /v1/flags/flags/{key}/restore/preview': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the scheduled changes of a flag. */
  'GET /v1/flags/flags/{key}/schedule': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Schedule changes of a flag. */
  'POST /v1/flags/flags/{key}/schedule': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
      /** The percentage of a rule rises step by step. */
      readonly rollout?: {
        /** Which targeting rule, by its place from 1. */
        readonly rule?: number;
        /** The steps. */
        readonly steps: readonly {
          /** Percentage of the rule from then on. */
          readonly percentage: number;
          /** When it is made, not in the past. */
          readonly at?: string;
          /**
           * How long after the change before it in this request, in minutes, hours or days of 24
           * hours: `90m`, `24h`, `7d`.
           */
          readonly after?: string;
        }[];
      };
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Say what scheduled changes of a flag would change. */
  'POST /v1/flags/flags/{key}/schedule/preview': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
      /** The percentage of a rule rises step by step. */
      readonly rollout?: {
        /** Which targeting rule, by its place from 1. */
        readonly rule?: number;
        /** The steps. */
        readonly steps: readonly {
          /** Percentage of the rule from then on. */
          readonly percentage: number;
          /** When it is made, not in the past. */
          readonly at?: string;
          /**
           * How long after the change before it in this request, in minutes, hours or days of 24
           * hours: `90m`, `24h`, `7d`.
           */
          readonly after?: string;
        }[];
      };
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Cancel a scheduled change of a flag. */
  'DELETE /v1/flags/flags/{key}/schedule/{change}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
      /** Id of the change. */
      readonly change: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Hold the roll-outs of a flag. */
  'POST /v1/flags/flags/{key}/schedule/hold': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Say what an edit of a flag would change. */
  'POST /v1/flags/flags/{key}/preview': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** The current key. */
      readonly key?: string;
      /** Display name. */
      readonly name?: string | null;
      /** Free text for people. */
      readonly description?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Type of the served values. */
      readonly flag_type?: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
      /** Whether the flag is evaluated. */
      readonly enabled?: boolean | null;
      /** When you expect the flag to be gone: from then on it is `stale`. */
      readonly ends_at?: string | null;
      /** Whether client keys may learn of the flag. */
      readonly client_visible?: boolean | null;
      /** Value for players that no rule includes, and of a disabled flag. */
      readonly default_value?: unknown;
      /** What players get whom no rule includes. */
      readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string | null;
      /** Variants that the flag serves by weight. */
      readonly variants?: readonly Variant[] | null;
      /** Rules that select the players for whom the flag is on. */
      readonly targeting_rules?: readonly Rule[] | null;
      /** Flags that must serve the given values or variants to the player. */
      readonly prerequisites?: readonly Prerequisite[] | null;
      /** Read-only, as returned by GET. */
      readonly stale?: unknown;
      /** Read-only, as returned by GET. */
      readonly stale_unknown?: unknown;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: {
      /** Key of the flag. */
      readonly key: string;
      /** Version of the flag that would be edited. */
      readonly version: number;
      /** What differs from the version before, in words. */
      readonly difference: readonly string[];
      /**
       * What the edit does to the players who take part in the experiment, those whose answer is
       * drawn.
       */
      readonly edit_effect: 'none' | 'widens' | 'narrows' | 'moves' | 'reassigns';
      /** Number of the current period after the edit. */
      readonly period: number;
      /**
       * Players who took part so far and would be left out of the results of the new period, in
       * every variant.
       */
      readonly left_out_players: number | null;
      /** Why `left_out_players` is null. */
      readonly reason: 'unavailable' | null;
    };
  };
  /** Get the results of a flag's experiment. */
  'GET /v1/flags/flags/{key}/results': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** What is measured of each player. */
      readonly aggregate?:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the events to measure. */
      readonly metric?: string;
      /** Path of the number in the properties, keys joined by dots (`price.amount`). */
      readonly property?: string;
      /** Name of the events that divide. */
      readonly per_metric?: string;
      /** Path of the number whose sum divides, instead of the number of events. */
      readonly per_property?: string;
      /** Day after the day of the first exposure. */
      readonly day?: number;
      /** Share of players below it. */
      readonly quantile?: number;
      /**
       * Share of the players of all variants together above whose values larger ones are capped:
       * 0.99 caps the largest of a hundred.
       */
      readonly winsorize?: number;
      /**
       * Whether to take off what the same metric in the 14 days before the exposure explains
       * (CUPED), which narrows the interval.
       */
      readonly cuped?: boolean;
      /** Window after a player's first exposure in which its events count, days of 24 hours. */
      readonly window_days?: number;
      /**
       * Only players whose first exposure was at least this many days of 24 hours ago, or before
       * the end of the period, count.
       */
      readonly min_exposure_age_days?: number;
      /** Number of a period in `periods` of the response. */
      readonly period?: number;
      /** Version of the flag, instead of `period`. */
      readonly version?: number;
      /** Boolean flag: compare the players of whose kind this percentage gets `true`. */
      readonly percentage?: number;
      /** Flag with variants: compare the players of this split, one of `splits`. */
      readonly split?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Key of the flag. */
      readonly flag_key: string;
      /** Latest version of the flag in this period. */
      readonly flag_version: number;
      /** Period of these results. */
      readonly period: number;
      /** The latest 20 periods of the flag, oldest first. */
      readonly periods: readonly Period[];
      /** What was measured of each player. */
      readonly aggregate:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the measured events. */
      readonly metric: string | null;
      /** The property. */
      readonly property: string | null;
      /** Name of the events that divide a ratio. */
      readonly per_metric: string | null;
      /** The property whose sum divides a ratio. */
      readonly per_property: string | null;
      /** The day of a retention. */
      readonly day: number | null;
      /** The share of a quantile. */
      readonly quantile: number | null;
      /** The share above which values were capped. */
      readonly winsorize: number | null;
      /** The value to which larger ones were capped, of all variants and groups together. */
      readonly cap: number | null;
      /** What CUPED did. */
      readonly cuped: {
        /** θ: what one unit before the exposure is worth after it. */
        readonly theta: number;
        /**
         * Share of the variance that was taken off: the square of the correlation with the metric
         * before.
         */
        readonly variance_reduction: number | null;
      } | null;
      /** Length of the measured window, days after the first exposure. */
      readonly window_days: number;
      /** Days since the first exposure that players have at least. */
      readonly min_exposure_age_days: number;
      /** Results per variant, in the order of the flag. */
      readonly variants: readonly ResultsOfVariant[];
      /** The same comparison, valid however often you look and whenever you stop. */
      readonly sequential: {
        /** Always `asymptotic_confidence_sequence`. */
        readonly method: string;
        /** Probability that all these intervals, over all looks, contain the true lift. */
        readonly confidence: number;
        /** Sequential comparisons, in the same order. */
        readonly variants: readonly SequentialComparisonOfVariant[];
      };
      /** Sample ratio check: whether the numbers of players match the weights. */
      readonly sample_ratio: {
        /** p-value of the χ² test of players against weights. */
        readonly p_value: number | null;
        /** True if p < 0.001: the assignment or the data collection is broken. */
        readonly mismatch: boolean;
      };
      /**
       * Number of players left out of all variants: they took part in an earlier period, or were
       * served or shown two variants in this one.
       */
      readonly excluded_players: number;
      /** Number of these players who took part in an earlier period. */
      readonly left_out_earlier: number;
      /**
       * Number of exposed players with an event whose `variant_key` differs from the variant
       * served last.
       */
      readonly mismatched_players: number;
      /** Number of exposed players who do not take part, because nothing was drawn for them. */
      readonly ineligible_players: number;
      /** Why there is nothing to compare. */
      readonly reason: 'nothing_drawn' | null;
      /**
       * Boolean flag: the results are those of the players of whose kind this percentage gets
       * `true`.
       */
      readonly percentage: number | null;
      /** Boolean flag: the percentages that players had at their first exposure in the period. */
      readonly percentages: readonly {
        /** Percentage of players of a kind who get `true`. */
        readonly percentage: number;
        /** Number of players who count, exposed with this percentage first. */
        readonly players: number;
      }[];
      /** Flag with variants: the results are those of the players of this split. */
      readonly split: number | null;
      /** Flag with variants: the splits by which players got their first variant in the period. */
      readonly splits: readonly Players[];
    };
  };
  /** Query the results of a flag's experiment by groups of players. */
  'POST /v1/flags/flags/{key}/results': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The metrics to measure, the deciding one first. */
      readonly metrics: readonly Metric[];
      /**
       * What the players of a group have in common at their first exposure: a `segment` that they
       * were in (a player counts in each of its segments), or the last known `country`, `platform`
       * or `app_version` up to that day in the game's time zone.
       */
      readonly by?: 'segment' | 'country' | 'platform' | 'app_version';
      /** Groups in the answer, those with the most players. */
      readonly limit?: number;
      /** Window after a player's first exposure in which its events count, days of 24 hours. */
      readonly window_days?: number;
      /**
       * Only players whose first exposure was at least this many days of 24 hours ago, or before
       * the end of the period, count.
       */
      readonly min_exposure_age_days?: number;
      /** Number of a period in `periods` of the response. */
      readonly period?: number;
      /** Version of the flag, instead of `period`. */
      readonly version?: number;
      /** Boolean flag: compare the players of whose kind this percentage gets `true`. */
      readonly percentage?: number;
      /** Flag with variants: compare the players of this split, one of `splits`. */
      readonly split?: number;
    };
    readonly answer: {
      /** Key of the flag. */
      readonly flag_key: string;
      /** Latest version of the flag in this period. */
      readonly flag_version: number;
      /** Period of these results. */
      readonly period: number;
      /** The latest 20 periods of the flag, oldest first. */
      readonly periods: readonly Period[];
      /** Length of the measured window, days after the first exposure. */
      readonly window_days: number;
      /** Days since the first exposure that players have at least. */
      readonly min_exposure_age_days: number;
      /** What groups have in common, as in the request. */
      readonly by: string | null;
      /** Number of groups, of which `groups` has the largest. */
      readonly groups_found: number;
      /** Comparisons in this answer: one for each variant with a p-value, metric and group. */
      readonly comparisons: number;
      /** Why there is nothing to compare. */
      readonly reason: 'nothing_drawn' | null;
      /**
       * Boolean flag: the results are those of the players of whose kind this percentage gets
       * `true`.
       */
      readonly percentage: number | null;
      /** Boolean flag: the percentages that players had at their first exposure in the period. */
      readonly percentages: readonly {
        /** Percentage of players of a kind who get `true`. */
        readonly percentage: number;
        /** Number of players who count, exposed with this percentage first. */
        readonly players: number;
      }[];
      /** Flag with variants: the results are those of the players of this split. */
      readonly split: number | null;
      /** Flag with variants: the splits by which players got their first variant in the period. */
      readonly splits: readonly Players[];
      /** Results per group, the one with the most players first. */
      readonly groups: readonly {
        /**
         * What the players of this group have in common: the key of a segment, or a country,
         * platform or version.
         */
        readonly value: string | null;
        /**
         * True if a variant with players to expect has fewer than 100 (or clusters) here: its
         * intervals do not hold for metrics that few players have.
         */
        readonly too_small: boolean;
        /** Sample ratio check: whether the numbers of players match the weights. */
        readonly sample_ratio: {
          /** p-value of the χ² test of players against weights. */
          readonly p_value: number | null;
          /** True if p < 0.001: the assignment or the data collection is broken. */
          readonly mismatch: boolean;
        };
        /**
         * Number of players left out of all variants: they took part in an earlier period, or were
         * served or shown two variants in this one.
         */
        readonly excluded_players: number;
        /** Number of these players who took part in an earlier period. */
        readonly left_out_earlier: number;
        /**
         * Number of exposed players with an event whose `variant_key` differs from the variant
         * served last.
         */
        readonly mismatched_players: number;
        /** Results per metric, in the order of the request. */
        readonly metrics: readonly {
          /** What was measured of each player. */
          readonly aggregate:
            | 'conversion'
            | 'count'
            | 'sum'
            | 'mean'
            | 'revenue'
            | 'gross_revenue'
            | 'payer'
            | 'sessions'
            | 'session'
            | 'retention'
            | 'ratio'
            | 'quantile';
          /** Name of the measured events. */
          readonly metric: string | null;
          /** The property. */
          readonly property: string | null;
          /** Name of the events that divide a ratio. */
          readonly per_metric: string | null;
          /** The property whose sum divides a ratio. */
          readonly per_property: string | null;
          /** The day of a retention. */
          readonly day: number | null;
          /** The share of a quantile. */
          readonly quantile: number | null;
          /** The share above which values were capped. */
          readonly winsorize: number | null;
          /** The value to which larger ones were capped, of all variants and groups together. */
          readonly cap: number | null;
          /** What CUPED did. */
          readonly cuped: {
            /** θ: what one unit before the exposure is worth after it. */
            readonly theta: number;
            /**
             * Share of the variance that was taken off: the square of the correlation with the metric
             * before.
             */
            readonly variance_reduction: number | null;
          } | null;
          /** Results per variant, in the order of the flag. */
          readonly variants: readonly ResultsOfVariant[];
          /** Sequential comparisons, in the same order. */
          readonly sequential: readonly SequentialComparisonOfVariant[];
        }[];
      }[];
    };
  };
  /** Plan the players and days of an experiment. */
  'GET /v1/experiments/power': {
    readonly path: undefined;
    readonly query: {
      /** What is measured of each player. */
      readonly aggregate?:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the events to measure. */
      readonly metric?: string;
      /** Path of the number in the properties, keys joined by dots (`price.amount`). */
      readonly property?: string;
      /** Name of the events that divide. */
      readonly per_metric?: string;
      /** Path of the number whose sum divides, instead of the number of events. */
      readonly per_property?: string;
      /** Day after the day of the first exposure. */
      readonly day?: number;
      /** Share of players below it. */
      readonly quantile?: number;
      /**
       * Share of the players of all variants together above whose values larger ones are capped:
       * 0.99 caps the largest of a hundred.
       */
      readonly winsorize?: number;
      /**
       * Whether to take off what the same metric in the 14 days before the exposure explains
       * (CUPED), which narrows the interval.
       */
      readonly cuped?: boolean;
      /** Window of each player, days of 24 hours, as in results. */
      readonly window_days?: number;
      /** Relative effect to find: 0.05 is a lift of 5 %. */
      readonly mde?: number;
      /** Players of all variants together, to get the smallest effect that they find. */
      readonly players?: number;
      /** Days in which players come, to get the smallest effect that they find. */
      readonly days?: number;
      /** Probability of finding the effect, of each variant. */
      readonly power?: number;
      /** Two-sided error rate, of all variants together. */
      readonly alpha?: number;
      /** Variants with equal weights, the control among them. */
      readonly variants?: number;
      /** Percentage of active players who take part. */
      readonly traffic?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** What was measured of each player. */
      readonly aggregate:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the measured events. */
      readonly metric: string | null;
      /** The property. */
      readonly property: string | null;
      /** Name of the events that divide a ratio. */
      readonly per_metric: string | null;
      /** The property whose sum divides a ratio. */
      readonly per_property: string | null;
      /** The day of a retention. */
      readonly day: number | null;
      /** The share of a quantile. */
      readonly quantile: number | null;
      /** The share above which values were capped. */
      readonly winsorize: number | null;
      /** Length of the measured window, days. */
      readonly window_days: number;
      /** Two-sided error rate of all variants together. */
      readonly alpha: number;
      /** Probability of finding the effect, of each variant. */
      readonly power: number;
      /** Number of variants with equal weights. */
      readonly variants: number;
      /** Percentage of active players who take part. */
      readonly traffic: number;
      /** The metric before the experiment. */
      readonly baseline: {
        /** Players who were active and count. */
        readonly players: number;
        /** Mean of the metric per player. */
        readonly mean: number | null;
        /** Variance of the metric between players. */
        readonly variance: number | null;
        /** Share of it that CUPED takes off. */
        readonly variance_reduction: number | null;
        /** Players by the day on which they first came, of 28 days whose windows are over. */
        readonly players_by_day: readonly number[];
      };
      /**
       * Why there is no plan: `few_players` (fewer than 100 players were active), `no_values` (the
       * mean of the metric is 0, or it does not vary), `no_such_effect` (a share cannot be so
       * large, or no effect is found by so few players).
       */
      readonly reason: string | null;
      /** Relative effect that is found. */
      readonly mde: number | null;
      /** Players of all variants together. */
      readonly players: number | null;
      /** Days in which so many come. */
      readonly days: number | null;
    };
  };
  /** Explain what flags serve a player. */
  'POST /v1/flags/flags/explain': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Keys of the flags to explain step by step. */
      readonly flag_keys?: readonly string[];
      /** Evaluation context that rules read as `context.<field>`. */
      readonly context?: Readonly<Record<string, unknown>>;
    };
    readonly answer: {
      /** One entry per flag. */
      readonly flags: readonly {
        /** Key of the flag. */
        readonly flag_key: string;
        /** Version of the flag that was evaluated. */
        readonly version: number;
        /** Served value, of the flag's type. */
        readonly value: unknown;
        /** Key of the served variant. */
        readonly variant_key: string | null;
        /** Why the flag serves this value. */
        readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
        /** Id of the matching segment, if the reason is `segment_match`. */
        readonly segment_id?: string;
        /** Key of the unmet prerequisite flag. */
        readonly prerequisite_key?: string;
        /** What the player got last. */
        readonly last_served: {
          /** Version of the flag that first served it. */
          readonly version: number;
          /** Served value, of the flag's type. */
          readonly value: unknown;
          /** Key of the served variant. */
          readonly variant_key: string | null;
          /** Why the flag serves this value. */
          readonly reason: 'default' | 'segment_match' | 'percentage_rollout' | 'flag_disabled' | 'player_override';
          /** Whether the player got two variants in this period. */
          readonly mixed: boolean;
        } | null;
        /** Variants to which the player was exposed, oldest first. */
        readonly exposures: readonly {
          /** Key of the variant. */
          readonly variant_key: string | null;
          /** Version of the flag. */
          readonly version: number;
        }[];
        /** The steps, in order. */
        readonly steps?: readonly {
          /** What was looked at. */
          readonly step: 'enabled' | 'prerequisite' | 'override' | 'experiment' | 'rule' | 'variant' | 'default';
          /** `enabled` and `prerequisite`: whether the evaluation goes on. */
          readonly passed?: boolean;
          /** `prerequisite`: key of the other flag. */
          readonly flag_key?: string;
          /** `prerequisite`: value that it must serve, if one is required. */
          readonly required?: unknown;
          /** `prerequisite`: key of the variant that it must serve, if one is required. */
          readonly required_variant?: string;
          /** `prerequisite`: value that it serves. */
          readonly served?: unknown;
          /** `prerequisite`: key of the variant that it serves. */
          readonly served_variant?: string | null;
          /** `prerequisite`: why it serves it. */
          readonly reason?: string | null;
          /** `override`: whether the player has one. */
          readonly overridden?: boolean;
          /** `override` and `default`: the value. */
          readonly value?: unknown;
          /** `rule`: its place in `targeting_rules`, from 0. */
          readonly rule?: number;
          /** `rule`: its name. */
          readonly name?: string;
          /** `experiment`: its key. */
          readonly experiment?: string;
          /** `experiment`: the phase in which the player was assigned, or would be. */
          readonly phase?: number | null;
          /** `rule` and `experiment`: what came of it. */
          readonly outcome?:
            | 'served'
            | 'outside_schedule'
            | 'kept'
            | 'drawn'
            | 'held_out'
            | 'dropped'
            | 'paused'
            | 'not_in_segment'
            | 'conditions_not_met'
            | 'no_bucketing_value'
            | 'outside_layer'
            | 'outside_percentage'
            | 'no_variant'
            | 'not_reached';
          /** `rule` and `experiment`: id of its segment. */
          readonly segment_id?: string | null;
          /** `rule` and `experiment`: percentage of players that it includes. */
          readonly percentage?: number;
          /** The player’s fixed place, 0 to below 100. */
          readonly bucket?: number | null;
          /** Each member of the condition, nested ones too. */
          readonly tests?: readonly MemberOfCondition[];
          /** `variant`: key of the variant at this place, or of the one that is kept. */
          readonly variant_key?: string | null;
        }[];
      }[];
      /** Requested keys that no flag has. */
      readonly unknown_flags: readonly string[];
    };
  };
  /** List when flags were last used. */
  'GET /v1/flags/usage': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Exposures count from this time on. */
      readonly since: string;
      /** In order of keys. */
      readonly flags: readonly {
        /** Key of the flag. */
        readonly key: string;
        /** When the flag was archived. */
        readonly archived_at: string | null;
        /** Last evaluation by a request to this service. */
        readonly last_evaluated_at: string | null;
        /** Last exposure since `since`. */
        readonly last_exposed_at: string | null;
        /** Exposures since `since`: one per player, period and variant. */
        readonly exposures: number;
      }[];
    };
  };
  /** Get a flag's exposures by day. */
  'GET /v1/flags/flags/{key}/exposures': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** Number of days, today included. */
      readonly days?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Key of the flag. */
      readonly flag_key: string;
      /** First day, as `2026-01-15`. */
      readonly from: string;
      /** In order of days. */
      readonly days: readonly {
        /** Day in the time zone of the game. */
        readonly day: string;
        /** Key of the variant, or the served value as JSON if the flag has no variant: `true`. */
        readonly variant: string;
        /** Exposures on that day. */
        readonly exposures: number;
      }[];
    };
  };
  /** Get all definitions for local evaluation. */
  'GET /v1/flags/definitions': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** ETags of earlier responses that you hold. */
      readonly 'If-None-Match'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Format of the definitions, 1. */
      readonly format: number;
      /** Grows with every change of a flag, experiment or segment of the game and environment. */
      readonly revision: number;
      /** Environment of the key. */
      readonly environment: 'live' | 'test';
      /** Namespace of the game's player ids. */
      readonly player_namespace: string;
      /** The players of the game who take part in no experiment. */
      readonly holdout?: {
        /** Percentage of the players, by their ids. */
        readonly percentage: number;
        /** Seeds who is in it. */
        readonly salt: string;
      };
      /** The flags, ordered by key, disabled ones too. */
      readonly flags: readonly {
        /** Key of the flag. */
        readonly key: string;
        /** Version, counted from 1. */
        readonly version: number;
        /** The flag's period. */
        readonly period: number;
        /** Type of the served values. */
        readonly flag_type: 'boolean' | 'multivariate' | 'string' | 'number' | 'json';
        /** Whether the flag is evaluated. */
        readonly enabled: boolean;
        /** Random text. */
        readonly salt: string;
        /** Value for players that no rule includes, and of a disabled flag. */
        readonly default_value: unknown;
        /** What players get whom no rule includes. */
        readonly default_serve?: WhatPlayersGetWhomNoRuleIncludes;
        /**
         * What puts players into buckets: `player` (their id), `device` (`device_id` of the
         * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
         * else the attribute).
         */
        readonly bucket_by?: string;
        /** Variants that the flag serves by weight. */
        readonly variants: readonly Variant[];
        /** Rules that select the players for whom the flag is on. */
        readonly targeting_rules: readonly Rule[];
        /** Flags that must serve the given values or variants to the player. */
        readonly prerequisites: readonly Prerequisite[];
        /** The experiment that runs on the flag, which decides before its rules. */
        readonly experiment?: {
          /** Key of the experiment. */
          readonly key: string;
          /** Its current phase. */
          readonly phase: number;
          /** `aa`: every variant serves what the first one does. */
          readonly mode: 'ab' | 'aa';
          /** Seeds who takes part, and the variants. */
          readonly salt: string;
          /** What players are drawn by: `player`, `device` or `attribute:<path>`. */
          readonly bucket_by: string;
          /** Percentage of the audience that takes part. */
          readonly traffic: number;
          /** The range of a layer that it has. */
          readonly layer: {
            /** Key of the layer. */
            readonly key: string;
            /** Where the range begins, in percent. */
            readonly from: number;
            /** Where it ends. */
            readonly to: number;
          } | null;
          /** The variants of the phase, the control first. */
          readonly variants: readonly {
            /** Key of the variant of the flag. */
            readonly key: string;
            /** Its weight. */
            readonly weight: number;
          }[];
          /** Whom it is for. */
          readonly audience: {
            /** Id of the segment. */
            readonly segment_id: string | null;
            /** The condition of the audience. */
            readonly conditions?: Readonly<Record<string, unknown>>;
          };
        };
      }[];
      /** The enabled segments that rules of these flags name, ordered by id. */
      readonly segments: readonly {
        /** Id of the segment, as rules name it. */
        readonly segment_id: string;
        /** Key of the segment. */
        readonly key: string;
        /** Version of the segment. */
        readonly version: number;
        /** The condition of the segment. */
        readonly conditions: Readonly<Record<string, unknown>>;
        /** The segment's players are those of a list that only the service has. */
        readonly static?: true;
        /** Ids of players who are in the segment whatever the conditions say. */
        readonly includes?: readonly string[];
        /** Ids of players who are not in it whatever the conditions say. */
        readonly excludes?: readonly string[];
      }[];
    };
  };
  /** Learn that flags changed (Server-Sent Events). */
  'GET /v1/flags/changes': {
    readonly path: undefined;
    readonly query: {
      /** Same as the header `Last-Event-ID`, for clients that cannot set it. */
      readonly last_event_id?: string;
    };
    readonly header: {
      /** The last SSE id received. */
      readonly 'Last-Event-ID'?: string;
    };
    readonly body: undefined;
    readonly answer: string;
  };
  /** Report exposures of local evaluations. */
  'POST /v1/flags/exposures': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The exposures, 1 to 100. */
      readonly exposures: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** The flag's key. */
        readonly flag_key: string;
        /** Version of the flag in the definitions that were evaluated. */
        readonly flag_version: number;
        /** Key of the variant that the player saw. */
        readonly variant_key: string | null;
        /** Why the flag served it. */
        readonly reason: 'default' | 'segment_match' | 'percentage_rollout';
        /** Id of the matching segment, if the reason is `segment_match`. */
        readonly segment_id?: string;
        /** The experiment that decided. */
        readonly experiment?: Experiment;
      }[];
    };
    readonly answer: {
      /** Number of exposures that are recorded or need not be. */
      readonly accepted: number;
      /** Number of exposures rejected permanently. */
      readonly rejected: number;
      /** Number of exposures that failed temporarily. */
      readonly unavailable: number;
      /** One result per exposure, in the order of the request. */
      readonly results: readonly {
        /** Index of the exposure in the request, from 0. */
        readonly index: number;
        /** Result for the exposure. */
        readonly status: 'accepted' | 'rejected' | 'unavailable';
        /** Why the exposure was not accepted. */
        readonly error?: WhyEventWasRejected;
      }[];
    };
  };
  /** List the overrides of a flag. */
  'GET /v1/flags/flags/{key}/overrides': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
    };
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Overrides of this page. */
      readonly overrides: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your own unique id of the player. */
        readonly external_id: string;
        /** Value that the flag serves to the player. */
        readonly value: unknown;
        /** Key of the variant with this value. */
        readonly variant_key: string | null;
        /** When this value was set. */
        readonly set_at: string;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Override a flag for one player. */
  'PUT /v1/flags/flags/{key}/overrides/{player_id}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Value for the player, of the flag's type. */
      readonly value?: unknown;
      /** Key of the variant for the player, instead of `value`. */
      readonly variant_key?: string;
    };
    readonly answer: {
      /** The flag's key. */
      readonly flag_key: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Value that the flag serves to the player. */
      readonly value: unknown;
      /** Key of the variant with this value. */
      readonly variant_key: string | null;
    };
  };
  /** Remove the override of a flag for one player. */
  'DELETE /v1/flags/flags/{key}/overrides/{player_id}': {
    readonly path: {
      /** The flag's key. */
      readonly key: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** The flag's key. */
      readonly flag_key: string;
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Always true. */
      readonly removed: boolean;
    };
  };
  /** List the experiments. */
  'GET /v1/experiments/experiments': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'draft' | 'running' | 'paused' | 'stopped' | 'shipped' | 'discarded';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The experiments of this page. */
      readonly experiments: readonly Experiment2[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create an experiment. */
  'POST /v1/experiments/experiments': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key of the experiment. */
      readonly key: string;
      /** Key of the flag whose variants the experiment compares. */
      readonly flag_key: string;
      /** The variants to compare, the control first. */
      readonly variants: readonly {
        /** Key of a variant of the flag. */
        readonly key: string;
        /** Share of players, relative to the sum of all weights. */
        readonly weight: number;
      }[];
      /** Display name. */
      readonly name?: string;
      /** What you expect, and why. */
      readonly hypothesis?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** `ab` (default): players get the values of their variants. */
      readonly mode?: 'ab' | 'aa';
      /** Who may take part. */
      readonly audience?: {
        /** Id of a segment (`seg_…`): only its players. */
        readonly segment_id?: string | null;
        /** Only players who meet this condition. */
        readonly conditions?: Readonly<Record<string, unknown>>;
      } | null;
      /** Percentage of the audience that takes part, 0 to 100. */
      readonly traffic?: number | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string | null;
      /** Decides, with what `bucket_by` names, who takes part and which variant each gets. */
      readonly salt?: string;
      /** A range of players that no other active experiment of the layer has. */
      readonly layer?: RangeOfPlayers | null;
      /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
      readonly primary?: Metric | null;
      /** Metrics that must not get worse. */
      readonly guardrails?: readonly MetricThatMustNotGetWorse[] | null;
      /** What the experiment is planned for. */
      readonly plan?: WhatExperimentIsPlanned | null;
      /** Read-only, as returned by GET. */
      readonly state?: unknown;
      /** Read-only, as returned by GET. */
      readonly actions?: unknown;
      /** Read-only, as returned by GET. */
      readonly phases?: unknown;
      /** Read-only, as returned by GET. */
      readonly alerts?: unknown;
      /** Read-only, as returned by GET. */
      readonly winner?: unknown;
      /** Read-only, as returned by GET. */
      readonly shipped?: unknown;
      /** Read-only, as returned by GET. */
      readonly started_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly stopped_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Experiment2;
  };
  /** Get an experiment. */
  'GET /v1/experiments/experiments/{key}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Replace an experiment. */
  'PUT /v1/experiments/experiments/{key}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Key of the flag whose variants the experiment compares. */
      readonly flag_key: string;
      /** The variants to compare, the control first. */
      readonly variants: readonly {
        /** Key of a variant of the flag. */
        readonly key: string;
        /** Share of players, relative to the sum of all weights. */
        readonly weight: number;
      }[];
      /** Display name. */
      readonly name?: string;
      /** What you expect, and why. */
      readonly hypothesis?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** `ab` (default): players get the values of their variants. */
      readonly mode?: 'ab' | 'aa';
      /** Who may take part. */
      readonly audience?: {
        /** Id of a segment (`seg_…`): only its players. */
        readonly segment_id?: string | null;
        /** Only players who meet this condition. */
        readonly conditions?: Readonly<Record<string, unknown>>;
      } | null;
      /** Percentage of the audience that takes part, 0 to 100. */
      readonly traffic?: number | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string | null;
      /** Decides, with what `bucket_by` names, who takes part and which variant each gets. */
      readonly salt?: string;
      /** A range of players that no other active experiment of the layer has. */
      readonly layer?: RangeOfPlayers | null;
      /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
      readonly primary?: Metric | null;
      /** Metrics that must not get worse. */
      readonly guardrails?: readonly MetricThatMustNotGetWorse[] | null;
      /** What the experiment is planned for. */
      readonly plan?: WhatExperimentIsPlanned | null;
      /** Read-only, as returned by GET. */
      readonly state?: unknown;
      /** Read-only, as returned by GET. */
      readonly actions?: unknown;
      /** Read-only, as returned by GET. */
      readonly phases?: unknown;
      /** Read-only, as returned by GET. */
      readonly alerts?: unknown;
      /** Read-only, as returned by GET. */
      readonly winner?: unknown;
      /** Read-only, as returned by GET. */
      readonly shipped?: unknown;
      /** Read-only, as returned by GET. */
      readonly started_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly stopped_at?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Experiment2;
  };
  /** Change fields of an experiment. */
  'PATCH /v1/experiments/experiments/{key}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Key of the flag whose variants the experiment compares. */
      readonly flag_key?: string;
      /** The variants to compare, the control first. */
      readonly variants?: readonly {
        /** Key of a variant of the flag. */
        readonly key: string;
        /** Share of players, relative to the sum of all weights. */
        readonly weight: number;
      }[];
      /** Display name. */
      readonly name?: string | null;
      /** What you expect, and why. */
      readonly hypothesis?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** `ab` (default): players get the values of their variants. */
      readonly mode?: 'ab' | 'aa';
      /** Who may take part. */
      readonly audience?: {
        /** Id of a segment (`seg_…`): only its players. */
        readonly segment_id?: string | null;
        /** Only players who meet this condition. */
        readonly conditions?: Readonly<Record<string, unknown>>;
      } | null;
      /** Percentage of the audience that takes part, 0 to 100. */
      readonly traffic?: number | null;
      /**
       * What puts players into buckets: `player` (their id), `device` (`device_id` of the
       * request's context, else the player's), or `attribute:<path>` (`<path>` of the context,
       * else the attribute).
       */
      readonly bucket_by?: string | null;
      /** Decides, with what `bucket_by` names, who takes part and which variant each gets. */
      readonly salt?: string;
      /** A range of players that no other active experiment of the layer has. */
      readonly layer?: RangeOfPlayers | null;
      /** A metric, as `GET /v1/flags/flags/{key}/results` takes it. */
      readonly primary?: Metric | null;
      /** Metrics that must not get worse. */
      readonly guardrails?: readonly MetricThatMustNotGetWorse[] | null;
      /** What the experiment is planned for. */
      readonly plan?: WhatExperimentIsPlanned | null;
      /** Read-only, as returned by GET. */
      readonly state?: unknown;
      /** Read-only, as returned by GET. */
      readonly actions?: unknown;
      /** Read-only, as returned by GET. */
      readonly phases?: unknown;
      /** Read-only, as returned by GET. */
      readonly alerts?: unknown;
      /** Read-only, as returned by GET. */
      readonly winner?: unknown;
      /** Read-only, as returned by GET. */
      readonly shipped?: unknown;
      /** Read-only, as returned by GET. */
      readonly started_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly stopped_at?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Experiment2;
  };
  /** Delete an experiment. */
  'DELETE /v1/experiments/experiments/{key}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Key of the experiment. */
      readonly key: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of an experiment. */
  'GET /v1/experiments/experiments/{key}/versions': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of an experiment. */
  'GET /v1/experiments/experiments/{key}/versions/{version}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version4;
  };
  /** Get what was in force of an experiment at a time. */
  'GET /v1/experiments/experiments/{key}/in-force': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version4;
  };
  /** Restore a version of an experiment. */
  'POST /v1/experiments/experiments/{key}/restore': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly salt?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Experiment2;
  };
  /** Say what restoring a version of an experiment would change. */
  'POST /v1/experiments/experiments/{key}/restore/preview': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the scheduled changes of an experiment. */
  'GET /v1/experiments/experiments/{key}/schedule': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Schedule changes of an experiment. */
  'POST /v1/experiments/experiments/{key}/schedule': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Say what scheduled changes of an experiment would change. */
  'POST /v1/experiments/experiments/{key}/schedule/preview': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Cancel a scheduled change of an experiment. */
  'DELETE /v1/experiments/experiments/{key}/schedule/{change}': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
      /** Id of the change. */
      readonly change: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Get the results of an experiment. */
  'GET /v1/experiments/experiments/{key}/results': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: {
      /** What is measured of each player. */
      readonly aggregate?:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the events to measure. */
      readonly metric?: string;
      /** Path of the number in the properties, keys joined by dots (`price.amount`). */
      readonly property?: string;
      /** Name of the events that divide. */
      readonly per_metric?: string;
      /** Path of the number whose sum divides, instead of the number of events. */
      readonly per_property?: string;
      /** Day after the day of the first exposure. */
      readonly day?: number;
      /** Share of players below it. */
      readonly quantile?: number;
      /**
       * Share of the players of all variants together above whose values larger ones are capped:
       * 0.99 caps the largest of a hundred.
       */
      readonly winsorize?: number;
      /**
       * Whether to take off what the same metric in the 14 days before the exposure explains
       * (CUPED), which narrows the interval.
       */
      readonly cuped?: boolean;
      /** Window after a player's first exposure in which its events count, days of 24 hours. */
      readonly window_days?: number;
      /**
       * Only players whose first exposure was at least this many days of 24 hours ago, or before
       * the end of the period, count.
       */
      readonly min_exposure_age_days?: number;
      /** Number of a phase in `phases`: compare its players only. */
      readonly phase?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Key of the experiment. */
      readonly experiment_key: string;
      /** Key of its flag. */
      readonly flag_key: string;
      /** Version of the experiment. */
      readonly version: number;
      /** The state of the experiment. */
      readonly state: 'draft' | 'running' | 'paused' | 'stopped' | 'shipped' | 'discarded';
      /** `ab` (default): players get the values of their variants. */
      readonly mode: 'ab' | 'aa';
      /** Key of the variant that was shipped. */
      readonly winner: string | null;
      /** Key of the variant that the others are compared with. */
      readonly control: string;
      /**
       * Why there is nothing to compare: `not_started` (the experiment never started),
       * `no_exposures` (no player was exposed to a variant).
       */
      readonly reason: string | null;
      /** The phase of `variants` and `sequential`. */
      readonly phase: number | null;
      /** What was measured of each player. */
      readonly aggregate:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the measured events. */
      readonly metric: string | null;
      /** The property. */
      readonly property: string | null;
      /** Name of the events that divide a ratio. */
      readonly per_metric: string | null;
      /** The property whose sum divides a ratio. */
      readonly per_property: string | null;
      /** The day of a retention. */
      readonly day: number | null;
      /** The share of a quantile. */
      readonly quantile: number | null;
      /** The share above which values were capped. */
      readonly winsorize: number | null;
      /** Length of the measured window, days after the first exposure. */
      readonly window_days: number;
      /** Of every interval: 1 − `plan.alpha` of the experiment. */
      readonly confidence: number;
      /** Days since the first exposure that players have at least. */
      readonly min_exposure_age_days: number;
      /** Results per variant, the control first. */
      readonly variants: readonly ResultsOfVariant[];
      /** Sequential comparisons, in the same order. */
      readonly sequential: readonly SequentialComparisonOfVariant[];
      /** In which phases each variant is compared. */
      readonly compared_in: readonly {
        /** Key of the variant. */
        readonly variant_key: string;
        /** Phases in which it and the control have at least two players each. */
        readonly phases: readonly number[];
      }[];
      /** Results per phase, oldest first. */
      readonly phases: readonly {
        /** Number of the phase, from 1. */
        readonly phase: number;
        /** When it began. */
        readonly since: string;
        /** The shares of this phase. */
        readonly weights: readonly {
          /** Key of the variant. */
          readonly variant_key: string;
          /** Its weight. */
          readonly weight: number;
        }[];
        /** The value to which larger ones were capped, of all variants and groups together. */
        readonly cap: number | null;
        /** What CUPED did. */
        readonly cuped: {
          /** θ: what one unit before the exposure is worth after it. */
          readonly theta: number;
          /**
           * Share of the variance that was taken off: the square of the correlation with the metric
           * before.
           */
          readonly variance_reduction: number | null;
        } | null;
        /** Results per variant, the control first. */
        readonly variants: readonly ResultsOfVariant[];
        /** Sequential comparisons, in the same order. */
        readonly sequential: readonly SequentialComparisonOfVariant[];
        /** Sample ratio check: whether the numbers of players match the weights. */
        readonly sample_ratio: {
          /** p-value of the χ² test of players against weights. */
          readonly p_value: number | null;
          /** True if p < 0.001: the assignment or the data collection is broken. */
          readonly mismatch: boolean;
        };
        /**
         * Number of players left out of all variants: they took part in an earlier period, or were
         * served or shown two variants in this one.
         */
        readonly excluded_players: number;
        /** Number of these players who took part in an earlier period. */
        readonly left_out_earlier: number;
        /**
         * Number of exposed players with an event whose `variant_key` differs from the variant
         * served last.
         */
        readonly mismatched_players: number;
        /** Number of players whom the holdout of the game kept out. */
        readonly held_out_players: number;
      }[];
      /** Sample ratio by day and phase, oldest first. */
      readonly sample_ratio_by_day: readonly {
        /** Day of the first exposure in the game's time zone, as YYYY-MM-DD. */
        readonly day: string;
        /** Phase in which these players were assigned. */
        readonly phase: number;
        /** Number of players who came. */
        readonly players: number;
        /** p-value of the χ² test, for a single look. */
        readonly p_value: number | null;
        /** p-value that is valid at every look, adjusted for all days that there are or will be. */
        readonly p_adjusted: number | null;
        /** True if `p_adjusted` is below 0.01. */
        readonly mismatch: boolean;
        /**
         * Why `p_value` is null: `shared_draws` (players were drawn together, so that they are not
         * independent: only the whole is tested), `one_variant` (fewer than two variants have a
         * weight), `few_players` (fewer than 5 players are expected of a variant, for which χ² is no
         * approximation).
         */
        readonly reason: string | null;
      }[];
      /** The guardrails, over all phases, with the window of this request. */
      readonly guardrails: readonly {
        /** What was measured of each player. */
        readonly aggregate:
          | 'conversion'
          | 'count'
          | 'sum'
          | 'mean'
          | 'revenue'
          | 'gross_revenue'
          | 'payer'
          | 'sessions'
          | 'session'
          | 'retention'
          | 'ratio'
          | 'quantile';
        /** Name of the measured events. */
        readonly metric: string | null;
        /** The property. */
        readonly property: string | null;
        /** Name of the events that divide a ratio. */
        readonly per_metric: string | null;
        /** The property whose sum divides a ratio. */
        readonly per_property: string | null;
        /** The day of a retention. */
        readonly day: number | null;
        /** The share of a quantile. */
        readonly quantile: number | null;
        /** The share above which values were capped. */
        readonly winsorize: number | null;
        /** The direction that harms. */
        readonly worse: 'lower' | 'higher';
        /** How much worse than the control is tolerated, relative to its mean. */
        readonly margin: number;
        /** What happens once a variant is harmful. */
        readonly action: 'notify' | 'pause' | 'roll_back';
        /** `harmful`: one variant is. */
        readonly verdict: 'safe' | 'harmful' | 'undecided';
        /** When it acted in the current phase, last. */
        readonly found_at: string | null;
        /** When the experiment was resumed after it. */
        readonly overridden_at: string | null;
        /** Who resumed it: the e-mail address of a person, or the id of a key. */
        readonly overridden_by: string | null;
        /** The loss that it accepts since then, instead of `margin`. */
        readonly tolerated: number | null;
        /** Each variant that is compared with the control. */
        readonly variants: readonly {
          /** Key of the variant. */
          readonly variant_key: string;
          /** `harmful`: worse than the margin. */
          readonly verdict: 'safe' | 'harmful' | 'undecided';
          /** Relative lift over the phases that the variant and the control have. */
          readonly lift: number | null;
          /** Lower bound of the lift, valid at every look. */
          readonly low: number | null;
          /** Upper bound of the lift, valid at every look. */
          readonly high: number | null;
          /**
           * Why the interval is null, and but for `control_mean` the p-value too: `players` (a variant
           * has fewer than two players), `clusters` (a variant has fewer than 10 groups of players who
           * share the device or attribute that drew it, or a few hold most), `shared_phases` (players
           * who share a draw may have come in several phases, so that the phases are not independent:
           * compare one phase), `values` (all players have the same value), `conversions` (fewer than
           * 6 players of the two variants differ from all others, which no exact test finds
           * significant), `one_player` (one player makes nearly all of the difference between
           * players), `uneven` (the smaller variant has too few players for values as skewed as
           * these), `control_mean` (the mean of the control does not differ from 0, so no interval of
           * the lift has two ends).
           */
          readonly too_small: string | null;
        }[];
      }[];
    };
  };
  /** Get the results of an experiment at the end of each day. */
  'GET /v1/experiments/experiments/{key}/results/days': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: {
      /** What is measured of each player. */
      readonly aggregate?:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the events to measure. */
      readonly metric?: string;
      /** Path of the number in the properties, keys joined by dots (`price.amount`). */
      readonly property?: string;
      /** Name of the events that divide. */
      readonly per_metric?: string;
      /** Path of the number whose sum divides, instead of the number of events. */
      readonly per_property?: string;
      /** Day after the day of the first exposure. */
      readonly day?: number;
      /** Share of players below it. */
      readonly quantile?: number;
      /**
       * Share of the players of all variants together above whose values larger ones are capped:
       * 0.99 caps the largest of a hundred.
       */
      readonly winsorize?: number;
      /**
       * Whether to take off what the same metric in the 14 days before the exposure explains
       * (CUPED), which narrows the interval.
       */
      readonly cuped?: boolean;
      /** Window after a player's first exposure in which its events count, days of 24 hours. */
      readonly window_days?: number;
      /** Number of a phase in `phases`: compare its players only. */
      readonly phase?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Key of the experiment. */
      readonly experiment_key: string;
      /** Key of its flag. */
      readonly flag_key: string;
      /** Version of the experiment. */
      readonly version: number;
      /** Key of the variant that the others are compared with. */
      readonly control: string;
      /**
       * Why there is nothing to compare: `not_started` (the experiment never started),
       * `no_exposures` (no player was exposed to a variant).
       */
      readonly reason: string | null;
      /** The phase of `variants` and `sequential`. */
      readonly phase: number | null;
      /** What was measured of each player. */
      readonly aggregate:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the measured events. */
      readonly metric: string | null;
      /** The property. */
      readonly property: string | null;
      /** Name of the events that divide a ratio. */
      readonly per_metric: string | null;
      /** The property whose sum divides a ratio. */
      readonly per_property: string | null;
      /** The day of a retention. */
      readonly day: number | null;
      /** The share of a quantile. */
      readonly quantile: number | null;
      /** The share above which values were capped. */
      readonly winsorize: number | null;
      /** Length of the measured window, days after the first exposure. */
      readonly window_days: number;
      /** Of every interval: 1 − `plan.alpha` of the experiment. */
      readonly confidence: number;
      /** The days without a gap, oldest first. */
      readonly days: readonly {
        /** The day in the game's time zone, as YYYY-MM-DD. */
        readonly day: string;
        /** Results per variant at the end of the day, the control first. */
        readonly variants: readonly ResultsOfVariant[];
        /** Sequential comparisons, in the same order. */
        readonly sequential: readonly SequentialComparisonOfVariant[];
      }[];
    };
  };
  /** Compare the holdout with the players of all experiments. */
  'GET /v1/experiments/holdout/results': {
    readonly path: undefined;
    readonly query: {
      /** What is measured of each player. */
      readonly aggregate?:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the events to measure. */
      readonly metric?: string;
      /** Path of the number in the properties, keys joined by dots (`price.amount`). */
      readonly property?: string;
      /** Name of the events that divide. */
      readonly per_metric?: string;
      /** Path of the number whose sum divides, instead of the number of events. */
      readonly per_property?: string;
      /** Day after the day of the first exposure. */
      readonly day?: number;
      /** Share of players below it. */
      readonly quantile?: number;
      /**
       * Share of the players of all variants together above whose values larger ones are capped:
       * 0.99 caps the largest of a hundred.
       */
      readonly winsorize?: number;
      /**
       * Whether to take off what the same metric in the 14 days before the exposure explains
       * (CUPED), which narrows the interval.
       */
      readonly cuped?: boolean;
      /** Window after a player's first exposure in which its events count, days of 24 hours. */
      readonly window_days?: number;
      /**
       * Only players whose first exposure was at least this many days of 24 hours ago, or before
       * the end of the period, count.
       */
      readonly min_exposure_age_days?: number;
      /** Number of a period in `periods` of the response. */
      readonly period?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The period of these results. */
      readonly period: number | null;
      /** The latest 20 periods of the holdout, oldest first. */
      readonly periods: readonly {
        /** Number of the period, from 1. */
        readonly period: number;
        /** When the setting was made. */
        readonly since: string;
        /** When another one was made, or none. */
        readonly until: string | null;
        /** Percentage of the players who were held out. */
        readonly percentage: number;
      }[];
      /** Always `holdout`. */
      readonly control: string;
      /**
       * Why there is nothing to compare: `no_holdout` (the game never had a holdout),
       * `no_experiments` (no experiment ever started), `no_exposures` (no player met an experiment
       * for the first time in the period).
       */
      readonly reason: string | null;
      /** What was measured of each player. */
      readonly aggregate:
        | 'conversion'
        | 'count'
        | 'sum'
        | 'mean'
        | 'revenue'
        | 'gross_revenue'
        | 'payer'
        | 'sessions'
        | 'session'
        | 'retention'
        | 'ratio'
        | 'quantile';
      /** Name of the measured events. */
      readonly metric: string | null;
      /** The property. */
      readonly property: string | null;
      /** Name of the events that divide a ratio. */
      readonly per_metric: string | null;
      /** The property whose sum divides a ratio. */
      readonly per_property: string | null;
      /** The day of a retention. */
      readonly day: number | null;
      /** The share of a quantile. */
      readonly quantile: number | null;
      /** The share above which values were capped. */
      readonly winsorize: number | null;
      /** The value to which larger ones were capped, of all variants and groups together. */
      readonly cap: number | null;
      /** What CUPED did. */
      readonly cuped: {
        /** θ: what one unit before the exposure is worth after it. */
        readonly theta: number;
        /**
         * Share of the variance that was taken off: the square of the correlation with the metric
         * before.
         */
        readonly variance_reduction: number | null;
      } | null;
      /** Length of the measured window, days after the first exposure. */
      readonly window_days: number;
      /** Days since the first exposure that players have at least. */
      readonly min_exposure_age_days: number;
      /** Of every interval. */
      readonly confidence: number;
      /** `holdout`: players who were held out, the control. */
      readonly variants: readonly ResultsOfVariant[];
      /** Sequential comparisons, in the same order. */
      readonly sequential: readonly SequentialComparisonOfVariant[];
      /** Sample ratio check: whether the numbers of players match the weights. */
      readonly sample_ratio: {
        /** p-value of the χ² test of players against weights. */
        readonly p_value: number | null;
        /** True if p < 0.001: the assignment or the data collection is broken. */
        readonly mismatch: boolean;
      };
      /**
       * Number of players left out of both: they met an experiment before the period, or are on
       * both sides, or have an override of a flag with experiments.
       */
      readonly excluded_players: number;
      /**
       * Number of these players who met an experiment before the period, or in its first minute:
       * the holdout was another one.
       */
      readonly left_out_earlier: number;
      /** Number of players with an event whose `variant_key` differs from the variant served last. */
      readonly mismatched_players: number;
    };
  };
  /** Start an experiment. */
  'POST /v1/experiments/experiments/{key}/start': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Pause an experiment. */
  'POST /v1/experiments/experiments/{key}/pause': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Resume a paused experiment. */
  'POST /v1/experiments/experiments/{key}/resume': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Stop an experiment. */
  'POST /v1/experiments/experiments/{key}/stop': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Discard an experiment. */
  'POST /v1/experiments/experiments/{key}/discard': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Experiment2;
  };
  /** Ship the winner of an experiment. */
  'POST /v1/experiments/experiments/{key}/ship': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key of the variant of the experiment that players get from now on. */
      readonly variant: string;
    };
    readonly answer: ExperimentAndFlagAfterChange;
  };
  /** Say what shipping a variant would change. */
  'POST /v1/experiments/experiments/{key}/ship/preview': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Key of the variant of the experiment that players get from now on. */
      readonly variant: string;
    };
    readonly answer: {
      /** How the flag changes. */
      readonly flag: HowFlagChanges;
    };
  };
  /** Take back what was shipped. */
  'POST /v1/experiments/experiments/{key}/undo': {
    readonly path: {
      /** Key of the experiment. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: ExperimentAndFlagAfterChange;
  };
  /** List the campaigns. */
  'GET /v1/campaigns/campaigns': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'enabled' | 'disabled';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The campaigns of this page. */
      readonly campaigns: readonly Campaign[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create a campaign. */
  'POST /v1/campaigns/campaigns': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key, unique in game and environment. */
      readonly key?: string;
      /** The trigger. */
      readonly trigger: Trigger;
      /** Content that the player sees. */
      readonly content: Content;
      /** Messages that are tested against each other, at least two. */
      readonly variants?: readonly Message[] | null;
      /** Read-only, as returned by GET. */
      readonly tested?: unknown;
      /** Display name. */
      readonly name?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the campaign triggers and delivers interventions. */
      readonly enabled?: boolean | null;
      /** Id of the segment (`seg_…`) that the player must be in. */
      readonly audience?: string | null;
      /** How the client shows the intervention. */
      readonly display_rules?: {
        /** Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. */
        readonly priority?: string;
        /** Seconds after which the client hides the intervention. */
        readonly dismiss_after_seconds?: number;
      } | null;
      /** Frequency caps. */
      readonly caps?: {
        /** Maximum number of interventions that a player sees. */
        readonly total?: number | null;
        /** Maximum number of interventions per player and UTC day. */
        readonly per_day?: number | null;
      } | null;
      /** Minimum time between two interventions for one player, seconds. */
      readonly cooldown_seconds?: number | null;
      /**
       * Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA
       * name, an offset such as `+02:00`, or a name that Windows uses), else the game's.
       */
      readonly quiet_hours?: {
        /** Start of the quiet hours, time of day. */
        readonly from: string;
        /** End of the quiet hours, time of day, exclusive. */
        readonly to: string;
      } | null;
      /** Percentage of players in the holdout group, 0 to 100, who never get interventions. */
      readonly holdout_percentage?: number | null;
      /** Time after which an undelivered intervention expires, seconds. */
      readonly expires_after_seconds?: number | null;
      /** When the campaign starts to trigger. */
      readonly start_at?: string | null;
      /** When the campaign stops triggering and delivering. */
      readonly end_at?: string | null;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly campaign_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Campaign;
  };
  /** Get a campaign. */
  'GET /v1/campaigns/campaigns/{id}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Campaign;
  };
  /** Replace a campaign. */
  'PUT /v1/campaigns/campaigns/{id}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** The trigger. */
      readonly trigger: Trigger;
      /** Content that the player sees. */
      readonly content: Content;
      /** Messages that are tested against each other, at least two. */
      readonly variants?: readonly Message[] | null;
      /** Read-only, as returned by GET. */
      readonly tested?: unknown;
      /** Display name. */
      readonly name?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the campaign triggers and delivers interventions. */
      readonly enabled?: boolean | null;
      /** Id of the segment (`seg_…`) that the player must be in. */
      readonly audience?: string | null;
      /** How the client shows the intervention. */
      readonly display_rules?: {
        /** Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. */
        readonly priority?: string;
        /** Seconds after which the client hides the intervention. */
        readonly dismiss_after_seconds?: number;
      } | null;
      /** Frequency caps. */
      readonly caps?: {
        /** Maximum number of interventions that a player sees. */
        readonly total?: number | null;
        /** Maximum number of interventions per player and UTC day. */
        readonly per_day?: number | null;
      } | null;
      /** Minimum time between two interventions for one player, seconds. */
      readonly cooldown_seconds?: number | null;
      /**
       * Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA
       * name, an offset such as `+02:00`, or a name that Windows uses), else the game's.
       */
      readonly quiet_hours?: {
        /** Start of the quiet hours, time of day. */
        readonly from: string;
        /** End of the quiet hours, time of day, exclusive. */
        readonly to: string;
      } | null;
      /** Percentage of players in the holdout group, 0 to 100, who never get interventions. */
      readonly holdout_percentage?: number | null;
      /** Time after which an undelivered intervention expires, seconds. */
      readonly expires_after_seconds?: number | null;
      /** When the campaign starts to trigger. */
      readonly start_at?: string | null;
      /** When the campaign stops triggering and delivering. */
      readonly end_at?: string | null;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly campaign_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Campaign;
  };
  /** Change fields of a campaign. */
  'PATCH /v1/campaigns/campaigns/{id}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** The trigger. */
      readonly trigger?: Trigger;
      /** Content that the player sees. */
      readonly content?: Content;
      /** Messages that are tested against each other, at least two. */
      readonly variants?: readonly Message[] | null;
      /** Read-only, as returned by GET. */
      readonly tested?: unknown;
      /** Display name. */
      readonly name?: string | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Whether the campaign triggers and delivers interventions. */
      readonly enabled?: boolean | null;
      /** Id of the segment (`seg_…`) that the player must be in. */
      readonly audience?: string | null;
      /** How the client shows the intervention. */
      readonly display_rules?: {
        /** Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. */
        readonly priority?: string;
        /** Seconds after which the client hides the intervention. */
        readonly dismiss_after_seconds?: number;
      } | null;
      /** Frequency caps. */
      readonly caps?: {
        /** Maximum number of interventions that a player sees. */
        readonly total?: number | null;
        /** Maximum number of interventions per player and UTC day. */
        readonly per_day?: number | null;
      } | null;
      /** Minimum time between two interventions for one player, seconds. */
      readonly cooldown_seconds?: number | null;
      /**
       * Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA
       * name, an offset such as `+02:00`, or a name that Windows uses), else the game's.
       */
      readonly quiet_hours?: {
        /** Start of the quiet hours, time of day. */
        readonly from: string;
        /** End of the quiet hours, time of day, exclusive. */
        readonly to: string;
      } | null;
      /** Percentage of players in the holdout group, 0 to 100, who never get interventions. */
      readonly holdout_percentage?: number | null;
      /** Time after which an undelivered intervention expires, seconds. */
      readonly expires_after_seconds?: number | null;
      /** When the campaign starts to trigger. */
      readonly start_at?: string | null;
      /** When the campaign stops triggering and delivering. */
      readonly end_at?: string | null;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly campaign_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Campaign;
  };
  /** Delete a campaign. */
  'DELETE /v1/campaigns/campaigns/{id}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the campaign. */
      readonly campaign_id: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of a campaign. */
  'GET /v1/campaigns/campaigns/{id}/versions': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a campaign. */
  'GET /v1/campaigns/campaigns/{id}/versions/{version}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version5;
  };
  /** Get what was in force of a campaign at a time. */
  'GET /v1/campaigns/campaigns/{id}/in-force': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version5;
  };
  /** Restore a version of a campaign. */
  'POST /v1/campaigns/campaigns/{id}/restore': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly campaign_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
    };
    readonly answer: Campaign;
  };
  /** Say what restoring a version of a campaign would change. */
  'POST /v1/campaigns/campaigns/{id}/restore/preview': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the scheduled changes of a campaign. */
  'GET /v1/campaigns/campaigns/{id}/schedule': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Schedule changes of a campaign. */
  'POST /v1/campaigns/campaigns/{id}/schedule': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Say what scheduled changes of a campaign would change. */
  'POST /v1/campaigns/campaigns/{id}/schedule/preview': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Changes of any fields. */
      readonly changes?: readonly Change[];
    };
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Cancel a scheduled change of a campaign. */
  'DELETE /v1/campaigns/campaigns/{id}/schedule/{change}': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
      /** Id of the change. */
      readonly change: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** By time, with those that ended lately. */
      readonly changes: readonly {
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
    };
  };
  /** Get the funnel of a campaign beside its holdout, and why messages were suppressed. */
  'GET /v1/campaigns/campaigns/{id}/results': {
    readonly path: {
      /** Id of the campaign. */
      readonly id: string;
    };
    readonly query: {
      /** Name of the event that counts as converted. */
      readonly conversion_event?: string;
      /**
       * Hours in which events and purchases count, from when the campaign would first have given
       * the player something.
       */
      readonly window_hours?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the campaign. */
      readonly campaign_id: string;
      /** The conversion event. */
      readonly conversion_event: string | null;
      /** Window of each player, hours. */
      readonly window_hours: number;
      /** The steps of a message. */
      readonly steps: {
        /** Messages created. */
        readonly triggered: {
          /** Players. */
          readonly players: number;
          /** How often. */
          readonly times: number;
        };
        /** Messages delivered by a sync. */
        readonly sent: {
          /** Players. */
          readonly players: number;
          /** How often. */
          readonly times: number;
        };
        /** Messages that the game reported as shown. */
        readonly shown: {
          /** Players. */
          readonly players: number;
          /** How often. */
          readonly times: number;
        };
        /** Messages that were clicked. */
        readonly clicked: {
          /** Players. */
          readonly players: number;
          /** How often. */
          readonly times: number;
        };
        /** Messages that were closed without a click. */
        readonly dismissed: {
          /** Players. */
          readonly players: number;
          /** How often. */
          readonly times: number;
        };
      };
      /** Why players got no message, the most frequent reason first. */
      readonly suppressed: readonly {
        /**
         * Why: `cap_total`, `cap_per_day`, `cooldown`, `cap_all_campaigns`, `waiting_full`,
         * `holdout`, or `not_eligible` (at delivery the player was not in the audience any more, or
         * did not meet the conditions).
         */
        readonly reason: string;
        /** Players. */
        readonly players: number;
        /** Times, at most once per player and UTC day. */
        readonly times: number;
      }[];
      /** What was clicked, the most frequent first. */
      readonly buttons: readonly {
        /** Id of the button. */
        readonly button: string | null;
        /** The variant of the message. */
        readonly variant: string | null;
        /** Players. */
        readonly players: number;
        /** Clicks. */
        readonly times: number;
      }[];
      /** The latest test of variants. */
      readonly variants: {
        /** Key of the first variant, with which the others are compared. */
        readonly control: string;
        /** Version of the campaign from which on messages count. */
        readonly since: number;
        /** The numbers of players beside the weights. */
        readonly sample_ratio: {
          /** p-value of the numbers of players, if chance drew them by the weights. */
          readonly p_value: number | null;
          /** Whether they differ so much that the comparison is not to be trusted. */
          readonly mismatch: boolean;
        };
        /** The variants, in the order of the campaign. */
        readonly variants: readonly {
          /** Key of the variant. */
          readonly variant: string;
          /** Its weight. */
          readonly weight: number;
          /** Players who got this variant, and no other. */
          readonly players: number;
          /** Players whose window is not over. */
          readonly inside: number;
          /** Players who saw it. */
          readonly shown: number;
          /** Players who clicked it. */
          readonly clicked: number;
          /** Players with the conversion event. */
          readonly converted: number;
          /** Players with a purchase. */
          readonly payers: number;
          /** Revenue in the game's currency, less what was refunded of it. */
          readonly revenue: number;
          /** The same without refunds. */
          readonly gross_revenue: number;
          /** Figures beside those of the control. */
          readonly figures: {
            /** Share of players who clicked. */
            readonly click_rate: ShareOfPlayers;
            /** Share of players who converted. */
            readonly conversion_rate: ShareOfPlayers;
            /** Share of players who bought. */
            readonly payer_rate: ShareOfPlayers;
            /** Revenue per player. */
            readonly revenue_per_player: ShareOfPlayers;
          };
        }[];
      } | null;
      /** Both arms. */
      readonly arms: {
        /** Players who got a message. */
        readonly treatment: PlayersWhoGotMessage;
        /** Players who were held out. */
        readonly holdout: PlayersWhoGotMessage;
      } | null;
      /** The arms compared. */
      readonly comparison: {
        /** Share of players who converted. */
        readonly conversion_rate: ShareOfPlayersWhoConverted;
        /** Share of players who bought. */
        readonly payer_rate: ShareOfPlayersWhoConverted;
        /** Revenue per player. */
        readonly revenue_per_player: ShareOfPlayersWhoConverted;
      } | null;
    };
  };
  /** Explain what a player would get from a campaign, and why not. */
  'POST /v1/campaigns/campaigns/explain': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** Id of the player, or your own id (`external_id`). */
      readonly player: string;
      /** Id of a campaign (`cmp_…`). */
      readonly campaign_id?: string;
      /** A campaign. */
      readonly campaign?: {
        /** Key, unique in game and environment. */
        readonly key?: string;
        /** The trigger. */
        readonly trigger: Trigger;
        /** Content that the player sees. */
        readonly content: Content;
        /** Messages that are tested against each other, at least two. */
        readonly variants?: readonly Message[] | null;
        /** Read-only, as returned by GET. */
        readonly tested?: unknown;
        /** Display name. */
        readonly name?: string | null;
        /** Who answers for it: a person or a team. */
        readonly owner?: string | null;
        /** Up to 20 tags of 64 characters. */
        readonly tags?: readonly string[] | null;
        /** What colleagues should know. */
        readonly note?: string | null;
        /** Read-only, as returned by GET. */
        readonly managed_by?: unknown;
        /** Whether the campaign triggers and delivers interventions. */
        readonly enabled?: boolean | null;
        /** Id of the segment (`seg_…`) that the player must be in. */
        readonly audience?: string | null;
        /** How the client shows the intervention. */
        readonly display_rules?: {
          /** Order of delivery: `urgent`, `high`, `normal` (or `medium`), `low`, then any other text. */
          readonly priority?: string;
          /** Seconds after which the client hides the intervention. */
          readonly dismiss_after_seconds?: number;
        } | null;
        /** Frequency caps. */
        readonly caps?: {
          /** Maximum number of interventions that a player sees. */
          readonly total?: number | null;
          /** Maximum number of interventions per player and UTC day. */
          readonly per_day?: number | null;
        } | null;
        /** Minimum time between two interventions for one player, seconds. */
        readonly cooldown_seconds?: number | null;
        /**
         * Hours without deliveries, in the time zone of the player's attribute `timezone` (an IANA
         * name, an offset such as `+02:00`, or a name that Windows uses), else the game's.
         */
        readonly quiet_hours?: {
          /** Start of the quiet hours, time of day. */
          readonly from: string;
          /** End of the quiet hours, time of day, exclusive. */
          readonly to: string;
        } | null;
        /** Percentage of players in the holdout group, 0 to 100, who never get interventions. */
        readonly holdout_percentage?: number | null;
        /** Time after which an undelivered intervention expires, seconds. */
        readonly expires_after_seconds?: number | null;
        /** When the campaign starts to trigger. */
        readonly start_at?: string | null;
        /** When the campaign stops triggering and delivering. */
        readonly end_at?: string | null;
      };
      /** Properties of an event that would trigger it. */
      readonly properties?: Readonly<Record<string, unknown>>;
    };
    readonly answer: {
      /** Id of the player, assigned by the service. */
      readonly player_id: string;
      /** Your own unique id of the player. */
      readonly external_id: string;
      /** The moment that the answer is about. */
      readonly explained_at: string;
      /** What happens if the trigger occurs now: the message is `given`. */
      readonly outcome: 'given' | 'suppressed' | 'not_concerned';
      /** The check that decided. */
      readonly decided_by:
        | 'enabled'
        | 'started'
        | 'not_ended'
        | 'audience'
        | 'conditions'
        | 'cap_total'
        | 'cap_per_day'
        | 'cooldown'
        | 'cap_all_campaigns'
        | 'waiting_full'
        | 'holdout'
        | 'quiet_hours'
        | null;
      /** All checks. */
      readonly checks: readonly {
        /** What is asked, in this order. */
        readonly check:
          | 'enabled'
          | 'started'
          | 'not_ended'
          | 'audience'
          | 'conditions'
          | 'cap_total'
          | 'cap_per_day'
          | 'cooldown'
          | 'cap_all_campaigns'
          | 'waiting_full'
          | 'holdout'
          | 'quiet_hours';
        /** Whether the player passes. */
        readonly passes: boolean | null;
        /** The player's number so far, of a cap. */
        readonly value?: number;
        /** The most that is allowed. */
        readonly most?: number;
        /** When the check can pass again, or when the campaign starts. */
        readonly until?: string;
      }[];
      /** Messages of this campaign that the player got so far. */
      readonly messages_before: number;
      /** The variant that the player is drawn for. */
      readonly variant: string | null;
      /** Language tag of the texts, as the campaign has it. */
      readonly locale: string | null;
      /** The message as the player would get it now. */
      readonly content: Texts;
      /** Messages of all campaigns that wait for the next sync of the player. */
      readonly waiting: number;
    };
  };
  /** List the scheduled changes of all definitions. */
  'GET /v1/schedule': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The changes of this page. */
      readonly changes: readonly {
        /** Kind of the definition, as `flag`. */
        readonly kind: string;
        /** Key of a flag, id of another definition, as in its path. */
        readonly key: string;
        /** Id of the change. */
        readonly id: string;
        /** The same for all changes of one request. */
        readonly plan_id: string;
        /** When it is made. */
        readonly at: string;
        /** `pending`: it waits. */
        readonly state: 'pending' | 'made' | 'skipped' | 'failed' | 'cancelled' | 'held';
        /** The patch, until the change ends. */
        readonly patch: Readonly<Record<string, unknown>> | null;
        /** The step of a roll-out. */
        readonly step: {
          /** Name of the rule. */
          readonly rule: string;
          /** Percentage of the rule from then on. */
          readonly percentage: number;
        } | null;
        /** What differs from the version before, in words. */
        readonly difference: readonly string[];
        /** Why, as said in `X-Change-Reason`. */
        readonly reason: string | null;
        /** Who planned it, and in whose name it is made. */
        readonly made_by: WhoPlannedIt;
        /** When it ended. */
        readonly ended_at: string | null;
        /** The version that it made. */
        readonly version: number | null;
        /** Why it was not made. */
        readonly why: string | null;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Score the probability that a new player pays within the first day. */
  'POST /v1/scoring/first-user-conversion': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: Device;
    readonly answer: Score;
  };
  /** Score the probability that a new player pays within the first day. */
  'POST /api/v1/scoring/first-user-conversion/30m': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: Device;
    readonly answer: Score;
  };
  /** Get how the scoring model does: volume, drift, calibration, challenger, latency. */
  'GET /v1/scoring/report': {
    readonly path: undefined;
    readonly query: {
      /** Days in the game's time zone, this one included. */
      readonly days?: number;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Days of the report. */
      readonly days: number;
      /** The model that answers in this process. */
      readonly current: Model | null;
      /** The model that scores the same requests without answering. */
      readonly challenger: Model | null;
      /** Scores by day, model and bucket. */
      readonly scores: readonly {
        /** Day in the game's time zone, YYYY-MM-DD. */
        readonly day: string;
        /** Version of the model. */
        readonly model_version: string;
        /** Bucket. */
        readonly bucket: string;
        /** Scores. */
        readonly scores: number;
        /** Devices. */
        readonly devices: number;
        /** Mean score. */
        readonly mean_score: number;
      }[];
      /** Drift of each input and of the score, by model. */
      readonly drift: readonly {
        /** Version of the model. */
        readonly model_version: string;
        /** An input of the model, or `score`. */
        readonly measure: string;
        /** Devices of all days. */
        readonly devices: number;
        /** Population stability index of all days: under 0.1 stable, over 0.25 another population. */
        readonly psi: number;
        /** Bounds between the bins. */
        readonly edges: readonly number[];
        /** Share of the devices in each bin, one more than edges. */
        readonly shares: readonly number[];
        /** The shares that the model was evaluated on. */
        readonly reference_shares: readonly number[];
        /** The days. */
        readonly days: readonly {
          /** Day in the game's time zone, YYYY-MM-DD. */
          readonly day: string;
          /** Devices. */
          readonly devices: number;
          /** Index of the day. */
          readonly psi: number;
        }[];
      }[];
      /** Calibration by model and bucket, from a day after the scores. */
      readonly calibration: readonly {
        /** Version of the model. */
        readonly model_version: string;
        /** Bucket. */
        readonly bucket: string;
        /** Devices whose 24 hours are over. */
        readonly devices: number;
        /** Those that bought within 24 hours. */
        readonly buyers: number;
        /** Mean score: what the model expected. */
        readonly mean_score: number;
        /** Share that bought. */
        readonly conversion_rate: number;
        /** Lower end of the 95 % interval of the share (Wilson). */
        readonly low: number;
        /** Upper end of it. */
        readonly high: number;
      }[];
      /** Champion and challenger on the same requests. */
      readonly comparisons: readonly {
        /** Version of the model that answered. */
        readonly champion_version: string;
        /** Version of the model that was compared. */
        readonly challenger_version: string;
        /** Scores of both. */
        readonly scores: number;
        /** Mean score of the champion. */
        readonly champion_mean: number;
        /** Mean score of the challenger. */
        readonly challenger_mean: number;
        /** Mean absolute difference of the two scores. */
        readonly mean_difference: number;
        /** Scores that fell into the same bucket. */
        readonly same_bucket: number;
        /** Scores whose 24 hours are over, of devices that had not bought before. */
        readonly matured: number;
        /** Mean of (score − bought)² of the champion. */
        readonly champion_brier: number | null;
        /** The same of the challenger. */
        readonly challenger_brier: number | null;
      }[];
      /** How long responses waited for their record. */
      readonly latency: {
        /** Scores. */
        readonly scores: number;
        /** Median from the score to its durable record, milliseconds. */
        readonly p50_ms: number | null;
        /** 99th percentile of the same. */
        readonly p99_ms: number | null;
      };
    };
  };
  /** List the webhooks. */
  'GET /v1/integrations/webhooks': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
      /** Only these. */
      readonly state?: 'enabled' | 'disabled';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The webhooks of this page. */
      readonly webhooks: readonly Webhook[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create a webhook. */
  'POST /v1/integrations/webhooks': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Display name. */
      readonly name?: string;
      /** URL of the receiver. */
      readonly url: string;
      /**
       * Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*`
       * or `*`.
       */
      readonly events: readonly string[];
      /** Whether the webhook gets deliveries. */
      readonly enabled?: boolean;
      /** Additional headers of each delivery, by name. */
      readonly headers?: Readonly<Record<string, string>>;
      /** How failed deliveries are retried. */
      readonly retry_policy?: {
        /** Number of retries after the first attempt, 0 to 10. */
        readonly max_retries?: number;
        /** Delay between attempts: `exponential` (default. */
        readonly backoff?: 'exponential' | 'linear' | 'none';
      };
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Conditions by property path, for example `properties.amount`. */
      readonly filters?: Readonly<Record<string, Operators>>;
      /** Signing secret. */
      readonly secret?: string;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly webhook_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly disabled?: unknown;
    };
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Display name. */
      readonly name: string;
      /** URL of the receiver. */
      readonly url: string;
      /**
       * Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*`
       * or `*`.
       */
      readonly events: readonly string[];
      /** Whether the webhook gets deliveries. */
      readonly enabled: boolean;
      /** Additional headers of each delivery, by name. */
      readonly headers: Readonly<Record<string, string>>;
      /** How failed deliveries are retried. */
      readonly retry_policy: {
        /** Number of retries after the first attempt, 0 to 10. */
        readonly max_retries?: number;
        /** Delay between attempts: `exponential` (default. */
        readonly backoff?: 'exponential' | 'linear' | 'none';
      };
      /** Conditions by property path, for example `properties.amount`. */
      readonly filters: Readonly<Record<string, Operators>>;
      /** Present if the service disabled the webhook. */
      readonly disabled?: {
        /** When the service disabled the webhook. */
        readonly at: string;
        /** `gone`: the receiver returned 410. */
        readonly reason: 'gone' | 'failing';
      };
      /** Kinds and filters that may never match. */
      readonly warnings?: readonly {
        /** JSON Pointer to the field. */
        readonly path: string;
        /** Why it may never match. */
        readonly message: string;
      }[];
      /** Who answers for it: a person or a team. */
      readonly owner: string;
      /** Tags, in lower case. */
      readonly tags: readonly string[];
      /** What colleagues should know. */
      readonly note: string;
      /**
       * What manages the definition beside the console and this API, such as files: its next run
       * replaces changes from elsewhere.
       */
      readonly managed_by: {
        /** Its name, such as `github.com/acme/games`. */
        readonly by?: string;
        /** The version that it wrote last. */
        readonly version?: number;
      } | null;
      /** Version, counted from 1. */
      readonly version: number;
      /** When the webhook was created. */
      readonly created_at: string;
      /** When the webhook was last changed. */
      readonly updated_at: string;
      /** Signing secret. */
      readonly secret: string;
    };
  };
  /** Get a webhook. */
  'GET /v1/integrations/webhooks/{id}': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Webhook;
  };
  /** Change fields of a webhook. */
  'PATCH /v1/integrations/webhooks/{id}': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Display name. */
      readonly name?: string | null;
      /** URL of the receiver. */
      readonly url?: string;
      /**
       * Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*`
       * or `*`.
       */
      readonly events?: readonly string[];
      /** Whether the webhook gets deliveries. */
      readonly enabled?: boolean | null;
      /** Additional headers of each delivery, by name. */
      readonly headers?: Readonly<Record<string, string>> | null;
      /** How failed deliveries are retried. */
      readonly retry_policy?: {
        /** Number of retries after the first attempt, 0 to 10. */
        readonly max_retries?: number;
        /** Delay between attempts: `exponential` (default. */
        readonly backoff?: 'exponential' | 'linear' | 'none';
      } | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Conditions by property path, for example `properties.amount`. */
      readonly filters?: Readonly<Record<string, Operators>> | null;
      /** New signing secret, with the same effect as rotate-secret. */
      readonly secret?: string;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly webhook_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly disabled?: unknown;
    };
    readonly answer: Webhook;
  };
  /** Delete a webhook. */
  'DELETE /v1/integrations/webhooks/{id}': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** Rotate the secret of a webhook. */
  'POST /v1/integrations/webhooks/{id}/rotate-secret': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** New signing secret. */
      readonly secret?: string;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly webhook_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly disabled?: unknown;
    };
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Display name. */
      readonly name: string;
      /** URL of the receiver. */
      readonly url: string;
      /**
       * Event kinds to deliver, for example `event.level_up` or `level_up`, `event.*`, `player.*`
       * or `*`.
       */
      readonly events: readonly string[];
      /** Whether the webhook gets deliveries. */
      readonly enabled: boolean;
      /** Additional headers of each delivery, by name. */
      readonly headers: Readonly<Record<string, string>>;
      /** How failed deliveries are retried. */
      readonly retry_policy: {
        /** Number of retries after the first attempt, 0 to 10. */
        readonly max_retries?: number;
        /** Delay between attempts: `exponential` (default. */
        readonly backoff?: 'exponential' | 'linear' | 'none';
      };
      /** Conditions by property path, for example `properties.amount`. */
      readonly filters: Readonly<Record<string, Operators>>;
      /** Present if the service disabled the webhook. */
      readonly disabled?: {
        /** When the service disabled the webhook. */
        readonly at: string;
        /** `gone`: the receiver returned 410. */
        readonly reason: 'gone' | 'failing';
      };
      /** Kinds and filters that may never match. */
      readonly warnings?: readonly {
        /** JSON Pointer to the field. */
        readonly path: string;
        /** Why it may never match. */
        readonly message: string;
      }[];
      /** Who answers for it: a person or a team. */
      readonly owner: string;
      /** Tags, in lower case. */
      readonly tags: readonly string[];
      /** What colleagues should know. */
      readonly note: string;
      /**
       * What manages the definition beside the console and this API, such as files: its next run
       * replaces changes from elsewhere.
       */
      readonly managed_by: {
        /** Its name, such as `github.com/acme/games`. */
        readonly by?: string;
        /** The version that it wrote last. */
        readonly version?: number;
      } | null;
      /** Version, counted from 1. */
      readonly version: number;
      /** When the webhook was created. */
      readonly created_at: string;
      /** When the webhook was last changed. */
      readonly updated_at: string;
      /** New signing secret. */
      readonly secret: string;
      /** When the previous secret stops signing deliveries. */
      readonly previous_secret_until: string | null;
    };
  };
  /** List the versions of a webhook. */
  'GET /v1/integrations/webhooks/{id}/versions': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a webhook. */
  'GET /v1/integrations/webhooks/{id}/versions/{version}': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version6;
  };
  /** Get what was in force of a webhook at a time. */
  'GET /v1/integrations/webhooks/{id}/in-force': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version6;
  };
  /** Restore a version of a webhook. */
  'POST /v1/integrations/webhooks/{id}/restore': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly webhook_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly warnings?: unknown;
      /** Read-only, as returned by GET. */
      readonly disabled?: unknown;
    };
    readonly answer: Webhook;
  };
  /** Say what restoring a version of a webhook would change. */
  'POST /v1/integrations/webhooks/{id}/restore/preview': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** Send a test delivery. */
  'POST /v1/integrations/webhooks/{id}/test': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Kind of the sample, for example `event.level_up`. */
      readonly kind?: string;
      /** Properties of the sample, if it is an event. */
      readonly properties?: Readonly<Record<string, unknown>>;
      /** Read-only, as returned by GET. */
      readonly webhook_id?: unknown;
    };
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Id of the delivery, `id` in its payload. */
      readonly delivery_id: string;
      /** Event kind of the sample, `type` in its payload. */
      readonly kind: string;
      /** Whether the kinds and filters of the webhook take the sample. */
      readonly would_be_delivered: boolean;
      /** The paths of filters that do not hold for the sample. */
      readonly unmet_filters: readonly string[];
      /** Whether the receiver returned 2xx. */
      readonly delivered: boolean;
      /** HTTP status of the response. */
      readonly status: number | null;
      /** Duration of the request and its response, milliseconds. */
      readonly duration_ms: number;
      /** Why there was no response. */
      readonly error: string | null;
      /** First characters of the response body, as the receiver sent them. */
      readonly response_start: string;
    };
  };
  /** List the delivery attempts of a webhook. */
  'GET /v1/integrations/webhooks/{id}/deliveries': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: {
      /** `delivered`: the receiver returned 2xx. */
      readonly outcome?: 'delivered' | 'failed' | 'exhausted' | 'dropped' | 'overflowed';
      /** Only attempts of this event kind. */
      readonly kind?: string;
      /** Only attempts of this delivery. */
      readonly delivery_id?: string;
      /** Only attempts at or after this time. */
      readonly from?: string;
      /** Only attempts before this time. */
      readonly to?: string;
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Attempts of this page. */
      readonly deliveries: readonly {
        /** Id of the delivery, `id` in its payload. */
        readonly delivery_id: string;
        /** Id of the webhook. */
        readonly webhook_id: string;
        /** Event kind, `type` in the payload. */
        readonly kind: string;
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Number of the attempt, from 1. */
        readonly attempt: number;
        /** When the attempt was made. */
        readonly attempted_at: string;
        /** Duration of the request and its response, milliseconds. */
        readonly duration_ms: number;
        /** `delivered`: the receiver returned 2xx. */
        readonly outcome: 'delivered' | 'failed' | 'exhausted' | 'dropped' | 'overflowed';
        /** HTTP status of the response. */
        readonly status: number | null;
        /** Why there was no response. */
        readonly error: string | null;
        /** First characters of the response body, as the receiver sent them. */
        readonly response_start: string;
        /** Host of the receiver. */
        readonly url_host: string;
        /** When the next attempt is due. */
        readonly next_attempt_at: string | null;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Get the payload of a delivery. */
  'GET /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/payload': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
      /** Id of the delivery, `id` in its payload. */
      readonly delivery_id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Id of the delivery. */
      readonly delivery_id: string;
      /** The body of the request. */
      readonly payload: Readonly<Record<string, unknown>>;
    };
  };
  /** Count the delivery attempts of webhooks. */
  'GET /v1/integrations/webhook-health': {
    readonly path: undefined;
    readonly query: {
      /** Only this webhook, with `groups`. */
      readonly webhook_id?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Webhooks with attempts, in order of their ids. */
      readonly webhooks: readonly {
        /** Id of the webhook. */
        readonly webhook_id: string;
        /** Attempts that the receiver accepted. */
        readonly delivered: number;
        /** Attempts that failed and were or will be repeated. */
        readonly failed: number;
        /** Deliveries that ended without success: `exhausted`, `dropped` and `overflowed`. */
        readonly given_up: number;
        /** The latest attempt. */
        readonly last_attempt_at: string | null;
        /** The latest success. */
        readonly last_delivered_at: string | null;
        /** Deliveries whose latest attempt failed and that will be tried again. */
        readonly undelivered: number;
        /** The first attempt of the oldest of these. */
        readonly oldest_undelivered_at: string | null;
        /** Attempts by kind and status. */
        readonly groups?: readonly {
          /** Event kind. */
          readonly kind: string;
          /** Outcome of the attempts, as in the list of attempts. */
          readonly outcome: string;
          /** HTTP status of the responses. */
          readonly status: number | null;
          /** Number of attempts. */
          readonly attempts: number;
          /** The latest one. */
          readonly last_attempt_at: string;
        }[];
      }[];
      /** Attempts from then on are counted. */
      readonly since: string;
    };
  };
  /** Repeat a delivery. */
  'POST /v1/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
      /** Id of the delivery, `id` in its payload. */
      readonly delivery_id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the webhook. */
      readonly webhook_id: string;
      /** Id of the delivery. */
      readonly delivery_id: string;
      /** Always true. */
      readonly queued: boolean;
    };
  };
  /** Deliver all events since a given time again. */
  'POST /v1/integrations/webhooks/{id}/recover': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: {
      /** Start time. */
      readonly since: string;
    };
    readonly header: {
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: Recovery;
  };
  /** Get the progress of the latest recovery. */
  'GET /v1/integrations/webhooks/{id}/recover': {
    readonly path: {
      /** Id of the webhook. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Recovery;
  };
  /** Send up to 2500 messages. */
  'POST /v1/batch': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: BatchOfMessages;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send up to 2500 messages. */
  'POST /v1/b': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: BatchOfMessages;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send up to 2500 messages. */
  'POST /v1/import': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: BatchOfMessages;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send up to 2500 messages. */
  'POST /beacon/v1/batch': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: BatchOfMessages;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one track message. */
  'POST /v1/track': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one track message. */
  'POST /v1/t': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one identify message. */
  'POST /v1/identify': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one identify message. */
  'POST /v1/i': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one page message. */
  'POST /v1/page': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one page message. */
  'POST /v1/p': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one screen message. */
  'POST /v1/screen': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one screen message. */
  'POST /v1/s': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one group message. */
  'POST /v1/group': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one group message. */
  'POST /v1/g': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one alias message. */
  'POST /v1/alias': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Send one alias message. */
  'POST /v1/a': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
    };
    readonly header: undefined;
    readonly body: MessageWithKey;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Get the settings of Segment's clients. */
  'GET /v1/projects/{write_key}/settings': {
    readonly path: {
      /** The API key. */
      readonly write_key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** The host that you called. */
      readonly Host?: string;
      /** `https` if a proxy in front of the service takes TLS. */
      readonly 'X-Forwarded-Proto'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Destinations: `Segment.io` is this service. */
      readonly integrations: Readonly<Record<string, unknown>>;
      /** The clients' own metrics: none are wanted. */
      readonly metrics: Readonly<Record<string, unknown>>;
    };
  };
  /** Get the settings of Segment's clients. */
  'GET /projects/{write_key}/settings': {
    readonly path: {
      /** The API key. */
      readonly write_key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** The host that you called. */
      readonly Host?: string;
      /** `https` if a proxy in front of the service takes TLS. */
      readonly 'X-Forwarded-Proto'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Destinations: `Segment.io` is this service. */
      readonly integrations: Readonly<Record<string, unknown>>;
      /** The clients' own metrics: none are wanted. */
      readonly metrics: Readonly<Record<string, unknown>>;
    };
  };
  /** Get the source configuration of RudderStack's clients. */
  'GET /sourceConfig': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
      /** Ignored. */
      readonly p?: string;
      /** Ignored. */
      readonly v?: string;
      /** Ignored. */
      readonly build?: string;
      /** Ignored. */
      readonly lockIntegrationsVersion?: string;
      /** Ignored. */
      readonly lockPluginsVersion?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The source: the game of the key. */
      readonly source: Readonly<Record<string, unknown>>;
      /** Always 1970: it never changes. */
      readonly updatedAt: string;
    };
  };
  /** Get the source configuration of RudderStack's clients. */
  'GET /sourceConfig/': {
    readonly path: undefined;
    readonly query: {
      /** The API key. */
      readonly writeKey?: string;
      /** Ignored. */
      readonly p?: string;
      /** Ignored. */
      readonly v?: string;
      /** Ignored. */
      readonly build?: string;
      /** Ignored. */
      readonly lockIntegrationsVersion?: string;
      /** Ignored. */
      readonly lockPluginsVersion?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The source: the game of the key. */
      readonly source: Readonly<Record<string, unknown>>;
      /** Always 1970: it never changes. */
      readonly updatedAt: string;
    };
  };
  /** Discard the metrics of Segment's clients. */
  'POST /v1/m': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly success: boolean;
    };
  };
  /** Get how far behind the outputs are. */
  'GET /v1/ops/freshness': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Time of this answer. */
      readonly measured_at: string;
      /** The outputs. */
      readonly outputs: readonly {
        /**
         * `stream` (event streams of the process that answers), `clickhouse` (rows) or `webhooks`
         * (deliveries).
         */
        readonly output: string;
        /**
         * Everything accepted before this time has passed: it was sent to open streams, is in
         * ClickHouse, or is queued for its webhooks.
         */
        readonly fresh_as_of: string | null;
        /** Records of the log that have not passed. */
        readonly behind_records: number | null;
        /** When the newest event was accepted that has passed, of all games. */
        readonly newest_event_at: string | null;
        /** Age of that event. */
        readonly newest_event_age_seconds: number | null;
        /**
         * Median time from accepted to passed, measured on one real event a second over the last
         * five minutes.
         */
        readonly p50_seconds: number | null;
        /** 99th percentile of the same events. */
        readonly p99_seconds: number | null;
        /** Number of these events. */
        readonly samples: number;
      }[];
      /** The events of the key's game and environment. */
      readonly game: {
        /** When the newest event in ClickHouse of the key's game and environment was received. */
        readonly newest_event_at: string | null;
        /** Age of that event. */
        readonly age_seconds: number | null;
        /** Whether ClickHouse has no event of the last 60 seconds of this game and environment. */
        readonly silent: boolean;
      } | null;
    };
  };
  /** Get the state of the deployment. */
  'GET /v1/ops/status': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** When the deployment was read. */
      readonly measured_at: string;
      /** What needs attention, the most urgent first. */
      readonly findings: readonly {
        /** The entry of the runbook in docs/operations.md, which is also the name of the alert. */
        readonly runbook:
          | 'NotReady'
          | 'PartitionWithoutOwner'
          | 'PartitionRefused'
          | 'WritesRefused'
          | 'DiskAlmostFull'
          | 'LogFillsUp'
          | 'LogFull'
          | 'SinkStopped'
          | 'SinkUnreachable'
          | 'SinkBehind'
          | 'SinkLate'
          | 'WebhooksWait'
          | 'WebhookDisabled'
          | 'ClockWrong';
        /** The partition, node, sink or webhook that it is about. */
        readonly subject: string;
        /** What was found, for people. */
        readonly message: string;
      }[];
      /** The partitions. */
      readonly partitions:
        | readonly {
            /** Number of the partition, from 0. */
            readonly partition: number;
            /** Node of the process that owns it. */
            readonly owner: string | null;
            /** Nodes that could take over at once. */
            readonly standbys: readonly string[];
            /** Nodes that must not own it. */
            readonly refused_by: readonly string[];
          }[]
        | null;
      /** The processes that live. */
      readonly processes:
        | readonly {
            /** Name of the node, made at random at its first start. */
            readonly node: string;
            /** Roles of the process. */
            readonly roles: readonly string[];
            /** Version of the service. */
            readonly version: string | null;
            /** The newest format of messages and records that it reads. */
            readonly format: number;
            /** When it started. */
            readonly started_at: string | null;
            /** When its last beat was stored. */
            readonly seen_at: string;
            /** Partitions that it owns. */
            readonly partitions_owned: number;
            /** Partitions that it could take over at once. */
            readonly partitions_ready: number;
            /** Why it refuses partitions. */
            readonly refuses_because: string | null;
          }[]
        | null;
      /** The sinks. */
      readonly sinks:
        | readonly {
            /** Name of the sink. */
            readonly sink: string;
            /** The stream that it reads. */
            readonly stream: string;
            /** Node of the process that runs it. */
            readonly node: string | null;
            /** Records that it has not handled. */
            readonly behind_records: number | null;
            /** When the oldest of them was stored. */
            readonly oldest_waiting_at: string | null;
            /** Whether ClickHouse holds less than the sink had written. */
            readonly lost_rows: boolean;
          }[]
        | null;
      /** The streams of the broker. */
      readonly streams:
        | readonly {
            /** Name of the stream. */
            readonly stream: string;
            /** Records in it. */
            readonly records: number;
            /** Bytes in it. */
            readonly bytes: number;
            /** Bytes that it may hold. */
            readonly max_bytes: number | null;
          }[]
        | null;
      /** The format gate. */
      readonly format: {
        /** The newest format that the process that answers reads. */
        readonly own: number;
        /** The newest format that all processes read: only kinds up to it are written. */
        readonly lowest: number;
      } | null;
      /** The queue of webhooks. */
      readonly webhooks: {
        /** Records of 1 to 64 deliveries that wait, of all games. */
        readonly queued_records: number;
        /** Their bytes. */
        readonly queued_bytes: number;
        /** Scheduled retries of the key's game and environment. */
        readonly scheduled_retries: number;
      } | null;
      /** Attempts of the last hour by webhook, those with most failures first. */
      readonly webhook_attempts:
        | readonly {
            /** Id of the webhook. */
            readonly webhook_id: string;
            /** Name of the webhook. */
            readonly name: string;
            /** Attempts that the receiver took. */
            readonly delivered: number;
            /** Attempts that failed and are repeated. */
            readonly failed: number;
            /** Deliveries that were given up. */
            readonly given_up: number;
            /** When the last one failed. */
            readonly last_failure_at: string | null;
            /** HTTP status of the last failure. */
            readonly last_status: number | null;
          }[]
        | null;
      /** ClickHouse. */
      readonly clickhouse: {
        /** Whether ClickHouse answers. */
        readonly answers: boolean;
        /** Its version. */
        readonly version: string | null;
        /** How long the answer took, milliseconds. */
        readonly answered_in_ms: number | null;
      };
      /** The broker. */
      readonly broker: {
        /** Whether the process that answers is connected. */
        readonly connected: boolean;
        /** How far that process's clock is ahead of the broker's, milliseconds. */
        readonly clock_ahead_ms: number | null;
      };
      /** The file system with the data of the process that answers. */
      readonly disk: {
        /** Free bytes. */
        readonly free_bytes: number;
        /** All bytes. */
        readonly size_bytes: number;
        /** Below this, a local deployment answers writes with 503. */
        readonly reserve_bytes: number;
      };
      /** The log (FACTS) and its forecast. */
      readonly log: {
        /** Bytes of the log. */
        readonly used_bytes: number;
        /** Where writes are answered 503. */
        readonly limit_bytes: number;
        /** What keeps the log from being trimmed, the most first. */
        readonly held: readonly {
          /** A sink, or `partition-N`. */
          readonly holder: string;
          /** Bytes. */
          readonly bytes: number;
        }[];
        /** Forecast until it is full. */
        readonly full_in_seconds: number | null;
        /** When its oldest record was stored. */
        readonly reaches_back_to: string | null;
      } | null;
    };
  };
  /** Query figures: trends, breakdowns, retention, lifetime value, funnels, paths. */
  'POST /v1/analytics/queries': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: AnalyticsQuery;
    readonly answer:
      | {
          /** `trend`. */
          readonly kind: 'trend';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** The metric, or `formula`. */
          readonly metric: string;
          /** What the figures are called. */
          readonly title: string;
          /** Unit of the figures: `money` in the game's currency, `share` from 0 to 1. */
          readonly unit: 'count' | 'money' | 'seconds' | 'share' | 'number';
          /** Why a figure may be null. */
          readonly null_reason: string | null;
          /** Length of an interval. */
          readonly interval: string;
          /** Start of the interval that is not over. */
          readonly partial_from: string | null;
          /** One series, or with `by` one for each of its `limit` largest values, the largest first. */
          readonly series: readonly {
            /** Value of `by`, as text. */
            readonly key: string | null;
            /** One point for each interval of the range that has begun, oldest first. */
            readonly points: readonly {
              /** Start of the interval. */
              readonly at: string;
              /** The metric in it. */
              readonly value: number | null;
            }[];
            /** With `compare`: the intervals before the range, in the same order. */
            readonly previous:
              | readonly {
                  /** Start of the interval. */
                  readonly at: string;
                  /** The metric in it. */
                  readonly value: number | null;
                }[]
              | null;
          }[];
        }
      | {
          /** `breakdown`. */
          readonly kind: 'breakdown';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** The metric, or `formula`. */
          readonly metric: string;
          /** What the figures are called. */
          readonly title: string;
          /** Unit of the figures: `money` in the game's currency, `share` from 0 to 1. */
          readonly unit: 'count' | 'money' | 'seconds' | 'share' | 'number';
          /** Why a figure may be null. */
          readonly null_reason: string | null;
          /** Number of all values, those included that `limit` left out. */
          readonly keys: number;
          /** Sum over all values. */
          readonly total: number | null;
          /** The `limit` largest values, the largest first. */
          readonly rows: readonly {
            /** The value as text. */
            readonly key: string;
            /** The metric. */
            readonly value: number | null;
          }[];
        }
      | {
          /** `retention`. */
          readonly kind: 'retention';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** As in the query. */
          readonly method: 'classic' | 'rolling';
          /** As in the query. */
          readonly interval: 'day' | 'week' | 'month';
          /** Intervals with players, oldest first. */
          readonly cohorts: readonly {
            /** Value of `by` on the first day, or in the first event. */
            readonly key: string | null;
            /** First day of these players, or of their interval, as `2026-01-15`. */
            readonly day: string;
            /** Players who began in it. */
            readonly players: number;
            /** The intervals asked for, in the order of the query. */
            readonly retained: readonly {
              /** Days, weeks or months after the first. */
              readonly after: number;
              /** Players who returned in it. */
              readonly players: number | null;
              /** Their share. */
              readonly rate: number | null;
            }[];
          }[];
        }
      | {
          /** `ltv`. */
          readonly kind: 'ltv';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** First days with players, oldest first. */
          readonly cohorts: readonly {
            /** Value of `by` on the first day. */
            readonly key: string | null;
            /** First day of these players, as `2026-01-15`. */
            readonly day: string;
            /** Players whose first day it is. */
            readonly players: number;
            /** Those of them with a first purchase on one of the days that are read. */
            readonly payers: number;
            /** The days asked for, in the order of the query. */
            readonly values: readonly {
              /** Days after the first day. */
              readonly day: number;
              /** Their revenue up to and including that day, in the game's currency. */
              readonly revenue: number | null;
              /** The same for each player. */
              readonly per_player: number | null;
            }[];
          }[];
        }
      | {
          /** `funnel`. */
          readonly kind: 'funnel';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** As in the query. */
          readonly order: 'ordered' | 'strict' | 'any_order';
          /** One funnel, or with `by` one for each of its `limit` largest values, the largest first. */
          readonly funnels: readonly {
            /** Value of `by` in the player's earliest first step in the range. */
            readonly key: string;
            /** The steps, in order. */
            readonly steps: readonly {
              /** Name of the event. */
              readonly event_name: string | null;
              /** Players who reached the step. */
              readonly players: number;
              /** Of these, players who reached the next step. */
              readonly converted: number | null;
              /** Of these, players whose window is over. */
              readonly dropped: number | null;
              /** Of these, players who may still reach the next step. */
              readonly inside: number | null;
              /** Share of the players of the first step. */
              readonly rate: number | null;
              /** From the step before, of the players who reached it. */
              readonly seconds_from_previous: {
                /** Median, in seconds. */
                readonly median: number;
                /** 90th percentile, in seconds. */
                readonly p90: number;
              } | null;
              /** From the first step, likewise. */
              readonly seconds_from_first: {
                /** Median, in seconds. */
                readonly median: number;
                /** 90th percentile, in seconds. */
                readonly p90: number;
              } | null;
            }[];
          }[];
        }
      | {
          /** `paths`. */
          readonly kind: 'paths';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** The event that paths start with. */
          readonly event_name: string;
          /** As in the query. */
          readonly direction: 'forward' | 'backward';
          /** Number of all values, those included that `limit` left out. */
          readonly keys: number;
          /** Number of start events. */
          readonly total: number;
          /** The `limit` most frequent paths. */
          readonly paths: readonly {
            /** The start event and the two that followed. */
            readonly steps: readonly (string | null)[];
            /** Number of start events with this path. */
            readonly times: number;
            /** Players with this path. */
            readonly players: number;
          }[];
        }
      | {
          /** `lifecycle`. */
          readonly kind: 'lifecycle';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** As in the query. */
          readonly interval: 'day' | 'week' | 'month';
          /** Every interval of the range that has begun, oldest first. */
          readonly intervals: readonly {
            /** First day of the interval, as `2026-01-15`. */
            readonly day: string;
            /** false: the interval is under way, and its figures will change. */
            readonly is_over: boolean;
            /** Active in the interval, in which their first activity lies. */
            readonly new: number;
            /** Active in the interval and in the one before it. */
            readonly current: number;
            /** Active in the interval, not in the one before it, and seen earlier. */
            readonly resurrected: number;
            /** Active in the interval before, and not in this one. */
            readonly dormant: number;
          }[];
        }
      | {
          /** `stickiness`. */
          readonly kind: 'stickiness';
          /** First moment of the range. */
          readonly from: string;
          /** Moment after the range. */
          readonly to: string;
          /**
           * Of answers from the days of players (`player_days`): everything received before is in
           * them.
           */
          readonly built_to?: string | null;
          /** As in the query. */
          readonly interval: 'week' | 'month';
          /** Every interval of the range that has begun, oldest first. */
          readonly intervals: readonly {
            /** First day of the interval, as `2026-01-15`. */
            readonly day: string;
            /** false: the interval is under way, and its figures will change. */
            readonly is_over: boolean;
            /** Players who were active in it. */
            readonly players: number;
            /** From one day to all days of the interval. */
            readonly days: readonly {
              /** Number of days. */
              readonly days: number;
              /** Players who were active on so many days of the interval. */
              readonly players: number;
              /** Their share of `players` of the interval. */
              readonly share: number | null;
            }[];
          }[];
        };
  };
  /** Get the SQL of an analytics query. */
  'POST /v1/analytics/queries/sql': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: AnalyticsQuery;
    readonly answer: {
      /** One SELECT for ClickHouse, without a semicolon. */
      readonly sql: string;
    };
  };
  /** List the players behind a figure. */
  'POST /v1/analytics/queries/players': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** An analytics query. */
      readonly query: AnalyticsQuery;
      /** A figure of the query's answer. */
      readonly point: FigureOfQuerySAnswer;
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly answer: {
      /** `players`. */
      readonly kind: 'players';
      /** First moment of the query's range. */
      readonly from: string;
      /** Moment after the range. */
      readonly to: string;
      /** As in the answer of the query. */
      readonly built_to?: string | null;
      /** true: the figure is the number of these players. */
      readonly counts_players: boolean;
      /** Number of all players behind the figure. */
      readonly total: number;
      /** Players of this page. */
      readonly players: readonly {
        /** Id of the player, assigned by the service. */
        readonly player_id: string;
        /** Your id of the player. */
        readonly external_id: string | null;
        /** Lifecycle stage now. */
        readonly lifecycle_stage: string | null;
        /** Country now. */
        readonly country: string | null;
        /** Revenue of the player up to now, less refunds, in the game's currency. */
        readonly total_revenue: number | null;
        /** When the player was last active. */
        readonly last_seen_at: string | null;
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** List the saved queries. */
  'GET /v1/analytics/saved-queries': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The saved_queries of this page. */
      readonly saved_queries: readonly SavedQuery[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Save a query. */
  'POST /v1/analytics/saved-queries': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** Key, unique in game and environment. */
      readonly key: string;
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** An analytics query. */
      readonly query: AnalyticsQuery;
      /** Range for whoever opens the query: this many days before today, and today. */
      readonly range_days?: number | null;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: SavedQuery;
  };
  /** Get a saved query. */
  'GET /v1/analytics/saved-queries/{key}': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: SavedQuery;
  };
  /** Replace a saved query. */
  'PUT /v1/analytics/saved-queries/{key}': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The current key. */
      readonly key?: string;
      /** Display name. */
      readonly name?: string;
      /** Free text for people. */
      readonly description?: string;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** An analytics query. */
      readonly query: AnalyticsQuery;
      /** Range for whoever opens the query: this many days before today, and today. */
      readonly range_days?: number | null;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: SavedQuery;
  };
  /** Delete a saved query. */
  'DELETE /v1/analytics/saved-queries/{key}': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Key of the saved query. */
      readonly key: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of a saved query. */
  'GET /v1/analytics/saved-queries/{key}/versions': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of a saved query. */
  'GET /v1/analytics/saved-queries/{key}/versions/{version}': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version7;
  };
  /** Get what was in force of a saved query at a time. */
  'GET /v1/analytics/saved-queries/{key}/in-force': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version7;
  };
  /** Restore a version of a saved query. */
  'POST /v1/analytics/saved-queries/{key}/restore': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: VersionToRestore;
    readonly answer: SavedQuery;
  };
  /** Say what restoring a version of a saved query would change. */
  'POST /v1/analytics/saved-queries/{key}/restore/preview': {
    readonly path: {
      /** Key of the saved query. */
      readonly key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** List the annotations. */
  'GET /v1/analytics/annotations': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of items per page, 1 to 500. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
      /** Only definitions with this text in key, id, name, description, event, owner or a tag. */
      readonly search?: string;
      /** Only definitions with this tag. */
      readonly tag?: string;
      /** Order of the list. */
      readonly sort?: 'key' | 'name' | 'created_at' | 'updated_at';
      /** Ascending (default) or descending. */
      readonly order?: 'asc' | 'desc';
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** The annotations of this page. */
      readonly annotations: readonly Note[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Create an annotation. */
  'POST /v1/analytics/annotations': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** What happened, for people. */
      readonly text: string;
      /** When, from 1970-01-02 to 2148-12-31. */
      readonly at: string;
      /** The definition that it is about. */
      readonly link?: {
        /** Kind of the definition. */
        readonly kind: 'flag' | 'experiment' | 'segment' | 'campaign';
        /** Key of the flag or experiment, or id of the segment or campaign. */
        readonly key: string;
      } | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /** Read-only, as returned by GET. */
      readonly version?: unknown;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly annotation_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly made_by?: unknown;
    };
    readonly answer: Note;
  };
  /** Get an annotation. */
  'GET /v1/analytics/annotations/{id}': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Note;
  };
  /** Change fields of an annotation. */
  'PATCH /v1/analytics/annotations/{id}': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Name of what manages the definition from now on, such as `github.com/acme/games`. */
      readonly 'X-Managed-By'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** What happened, for people. */
      readonly text?: string;
      /** When, from 1970-01-02 to 2148-12-31. */
      readonly at?: string;
      /** The definition that it is about. */
      readonly link?: {
        /** Kind of the definition. */
        readonly kind: 'flag' | 'experiment' | 'segment' | 'campaign';
        /** Key of the flag or experiment, or id of the segment or campaign. */
        readonly key: string;
      } | null;
      /** Who answers for it: a person or a team. */
      readonly owner?: string | null;
      /** Up to 20 tags of 64 characters. */
      readonly tags?: readonly string[] | null;
      /** What colleagues should know. */
      readonly note?: string | null;
      /** Read-only, as returned by GET. */
      readonly managed_by?: unknown;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly annotation_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly made_by?: unknown;
    };
    readonly answer: Note;
  };
  /** Delete an annotation. */
  'DELETE /v1/analytics/annotations/{id}': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Id of the annotation. */
      readonly annotation_id: string;
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List the versions of an annotation. */
  'GET /v1/analytics/annotations/{id}/versions': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of an annotation. */
  'GET /v1/analytics/annotations/{id}/versions/{version}': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version8;
  };
  /** Get what was in force of an annotation at a time. */
  'GET /v1/analytics/annotations/{id}/in-force': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version8;
  };
  /** Restore a version of an annotation. */
  'POST /v1/analytics/annotations/{id}/restore': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly created_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
      /** Read-only, as returned by GET. */
      readonly annotation_id?: unknown;
      /** Read-only, as returned by GET. */
      readonly made_by?: unknown;
    };
    readonly answer: Note;
  };
  /** Say what restoring a version of an annotation would change. */
  'POST /v1/analytics/annotations/{id}/restore/preview': {
    readonly path: {
      /** Id of the annotation. */
      readonly id: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** Get the game's settings. */
  'GET /v1/settings': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: SettingsOfGame;
  };
  /** Change the game's settings. */
  'PATCH /v1/settings': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** IANA name, such as `Europe/Berlin`. */
      readonly time_zone?: string;
      /** ISO 4217 code, such as `EUR`. */
      readonly currency?: string | null;
      /**
       * Which purchases count: `all`, or the `verified` ones: those with a verified receipt, and
       * those that a server key records without one.
       */
      readonly revenue?: 'all' | 'verified';
      /**
       * All paths, new ones at the end: earlier events keep the columns of paths that stay in
       * place.
       */
      readonly extracted_properties?: readonly string[];
      /** Players who take part in no experiment of the game. */
      readonly holdout?: {
        /** Share of all players, 0 to 100. */
        readonly percentage: number;
        /**
         * Decides with the id of a player whether it is in the holdout: with the same salt, a larger
         * holdout has all players of a smaller one.
         */
        readonly salt?: string;
      } | null;
    };
    readonly answer: SettingsOfGame;
  };
  /** List the versions of the game's settings. */
  'GET /v1/settings/versions': {
    readonly path: undefined;
    readonly query: {
      /** Maximum number of versions per page. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: PageOfVersions;
  };
  /** Get a version of the game's settings. */
  'GET /v1/settings/versions/{version}': {
    readonly path: {
      /** Number of the version. */
      readonly version: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version9;
  };
  /** Get what was in force of the game's settings at a time. */
  'GET /v1/settings/in-force': {
    readonly path: undefined;
    readonly query: {
      /** The time. */
      readonly at: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Version9;
  };
  /** Restore a version of the game's settings. */
  'POST /v1/settings/restore': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The version to restore. */
      readonly version: number;
    };
    readonly answer: SettingsOfGame;
  };
  /** Say what restoring a version of the game's settings would change. */
  'POST /v1/settings/restore/preview': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** The version to restore. */
      readonly version: number;
      /** Read-only, as returned by GET. */
      readonly edit_effect?: unknown;
    };
    readonly answer: EffectOfRestoration;
  };
  /** Get the stores of a game. */
  'GET /v1/settings/stores': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: StoresOfGame;
  };
  /** Set up the stores of a game. */
  'PUT /v1/settings/stores': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /** The App Store. */
      readonly apple?: {
        /** Bundle id of the app. */
        readonly bundle_id: string;
        /** The app's number in App Store Connect. */
        readonly app_apple_id: number | null;
      } | null;
      /** Google Play. */
      readonly google?: GooglePlay | null;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: StoresOfGame;
  };
  /** Delete the stores of a game. */
  'DELETE /v1/settings/stores': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** Take a notification of the App Store. */
  'POST /v1/integrations/stores/apple/{write_key}': {
    readonly path: {
      /** A server key with the scope `notify`. */
      readonly write_key: string;
    };
    readonly query: undefined;
    readonly header: undefined;
    readonly body: {
      /** As the App Store sends it. */
      readonly signedPayload: string;
    };
    readonly answer: {
      /** `refunded`: the purchase is refunded, now or before. */
      readonly handled: 'refunded' | 'ignored' | 'unknown';
    };
  };
  /** Take a notification of Google Play. */
  'POST /v1/integrations/stores/google/{write_key}': {
    readonly path: {
      /** A server key with the scope `notify`. */
      readonly write_key: string;
    };
    readonly query: undefined;
    readonly header: {
      /** Bearer and a token of Google. */
      readonly authorization?: string;
    };
    readonly body: {
      /** The message of Pub/Sub. */
      readonly message: {
        /** The notification, JSON in base64. */
        readonly data: string;
      };
      /** Ignored. */
      readonly subscription?: string;
    };
    readonly answer: {
      /** `refunded`: the purchase is refunded, now or before. */
      readonly handled: 'refunded' | 'ignored' | 'unknown';
    };
  };
  /** Get the game's exchange rates. */
  'GET /v1/settings/exchange-rates': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: ExchangeRatesOfGame;
  };
  /** Replace the game's exchange rates. */
  'PUT /v1/settings/exchange-rates': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: {
      /**
       * Rates by ISO 4217 code of another currency and by day: one for each day on which it
       * changes, and at least one in 7 days.
       */
      readonly rates: Readonly<Record<string, Readonly<Record<string, number>>>>;
      /**
       * The version on which the change is based, as returned by GET: 412 if it is not the current
       * one.
       */
      readonly version?: number;
      /** The game's currency, as returned by GET. */
      readonly currency?: string;
      /** Read-only, as returned by GET. */
      readonly updated_at?: unknown;
    };
    readonly answer: ExchangeRatesOfGame;
  };
  /** Delete the game's exchange rates. */
  'DELETE /v1/settings/exchange-rates': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: {
      /** Change the resource only if this is its current version, else return 412. */
      readonly 'If-Match'?: string;
      /** Why you make the change, for the audit and the history of definitions. */
      readonly 'X-Change-Reason'?: string;
    };
    readonly body: undefined;
    readonly answer: {
      /** Always true. */
      readonly deleted: boolean;
    };
  };
  /** List changes that people, API keys and operators made. */
  'GET /v1/audit': {
    readonly path: undefined;
    readonly query: {
      /**
       * Only entries about things of this kind, such as `flag`, `webhook`, `key`, `user` or
       * `player`.
       */
      readonly kind?: string;
      /** Only entries about the thing with this key or id. */
      readonly key?: string;
      /** Only entries with this action, such as `created`, `changed` or `deleted`. */
      readonly action?: string;
      /**
       * Only entries of this user (e-mail address or id), API key (id) or account of the command
       * line.
       */
      readonly actor?: string;
      /** Only entries about this player. */
      readonly player_id?: string;
      /** `stored`: the change is in effect. */
      readonly outcome?: 'begun' | 'stored' | 'refused' | 'unknown';
      /** Only entries at or after this time. */
      readonly from?: string;
      /** Only entries before this time. */
      readonly to?: string;
      /** Maximum number of entries per page, 1 to 100. */
      readonly limit?: number;
      /** `next_cursor` of the previous page. */
      readonly cursor?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Entries of this page. */
      readonly entries: readonly {
        /** Id of the entry. */
        readonly id: string;
        /** When the change was made. */
        readonly at: string;
        /** `live` or `test`. */
        readonly environment: string | null;
        /** Who made the change, and from where. */
        readonly actor: {
          /** `user`: a person in the console. */
          readonly kind: 'user' | 'key' | 'cli' | 'service';
          /** Id of the user or key. */
          readonly id: string;
          /** E-mail address of the user. */
          readonly email: string | null;
          /** IPv4 address, or first half of the IPv6 address, of the request. */
          readonly network: string;
        };
        /** Kind of the thing, such as `flag`, `webhook`, `key`, `user` or `player`. */
        readonly kind: string;
        /** Key or id of the thing. */
        readonly key: string;
        /** What happened to it. */
        readonly action: string;
        /** The player that the change is about. */
        readonly player_id: string | null;
        /** The thing before the change. */
        readonly before: Readonly<Record<string, unknown>> | null;
        /** The thing after the change, or what the request said. */
        readonly after: Readonly<Record<string, unknown>> | null;
        /** The reason that came with the change (`X-Change-Reason`). */
        readonly reason: string | null;
        /** `stored`: the change is in effect. */
        readonly outcome: 'begun' | 'stored' | 'refused' | 'unknown';
      }[];
      /** Send it as `cursor` to get the next page. */
      readonly next_cursor: string | null;
    };
  };
  /** Check that the process is alive. */
  'GET /healthz': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always `ok`. */
      readonly status: string;
    };
  };
  /** Check that this process can serve requests. */
  'GET /readyz': {
    readonly path: undefined;
    readonly query: {
      /** Adds `details`, unless it is `false`. */
      readonly verbose?: string;
    };
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: {
      /** Always `ready`. */
      readonly status: string;
      /** Name of each check, and whether it passed. */
      readonly checks: Readonly<Record<string, boolean>>;
      /** The checks with their states. */
      readonly details?: readonly {
        /** Name of the check. */
        readonly name: string;
        /** Whether it passed. */
        readonly ok: boolean;
        /** Whether the process is not ready while the check fails. */
        readonly required: boolean;
        /** What the check found. */
        readonly info?: Readonly<Record<string, unknown>>;
      }[];
    };
  };
  /** Get the metrics for Prometheus. */
  'GET /metrics': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: string;
  };
  /** Get this API description (OpenAPI 3.1). */
  'GET /openapi.json': {
    readonly path: undefined;
    readonly query: undefined;
    readonly header: undefined;
    readonly body: undefined;
    readonly answer: Readonly<Record<string, unknown>>;
  };
}

/** The body of a failed request. */
export type ErrorBody = {
  /** Always false. */
  readonly success: false;
  /** The error. */
  readonly error: {
    /** Error code. */
    readonly code:
      | 'VALIDATION_ERROR'
      | 'UNAUTHORIZED'
      | 'FORBIDDEN'
      | 'NOT_FOUND'
      | 'PLAYER_NOT_FOUND'
      | 'SESSION_NOT_FOUND'
      | 'FLAG_NOT_FOUND'
      | 'METHOD_NOT_ALLOWED'
      | 'CONFLICT'
      | 'DUPLICATE_PLAYER'
      | 'PRECONDITION_FAILED'
      | 'PRECONDITION_REQUIRED'
      | 'PAYLOAD_TOO_LARGE'
      | 'QUERY_TOO_LARGE'
      | 'UNSUPPORTED_MEDIA_TYPE'
      | 'RATE_LIMIT_EXCEEDED'
      | 'INTERNAL_ERROR'
      | 'MODEL_UNAVAILABLE'
      | 'SERVICE_UNAVAILABLE';
    /** Explanation for people. */
    readonly message: string;
    /** Details of the error. */
    readonly details: {
      /** The session in the request that is not open. */
      readonly session_id?: string;
      /** How a game client can continue. */
      readonly suggestion?: string;
      /** The scope that the key lacks. */
      readonly scope?: string;
      /** The current version, if `If-Match` names another one. */
      readonly version?: number;
      /** The field whose value is already taken. */
      readonly field?: string;
      /** Whether the value belongs to a deleted flag. */
      readonly archived?: boolean;
      /** Keys of the flags that use the segment. */
      readonly flags?: readonly string[];
      /** Keys of the campaigns that use the segment. */
      readonly campaigns?: readonly string[];
      /** What remains of the purchase that the request refunds, in the game's currency. */
      readonly remaining?: number;
      /** Start time of the recovery that is already running. */
      readonly since?: string;
      /** The faults of the request. */
      readonly fields?: readonly {
        /** JSON Pointer into the body, or the name of a header or parameter. */
        readonly path: string;
        /** The rule that the value breaks. */
        readonly message: string;
      }[];
    };
  };
};
