/** The subjects of every stream, and of plain messages. */

/** Commands of a partition, written by gateways, read by the owner. */
export const requestsSubject = (partition: number): string => `requests.${partition}`;
/** Commits of a partition, written by its owner under its fence, read by every sink. */
export const factsSubject = (partition: number): string => `${FACTS_PREFIX}${partition}`;
const FACTS_PREFIX = 'facts.';
/** Subjects of RECORDS; the last token is the node. */
export const SCORE_RECORDS = 'records.scores.*';
export const MODEL_RECORDS = 'records.models.*';
export const DELIVERY_RECORDS = 'records.deliveries.*';
export const DISABLING_RECORDS = 'records.disablings.*';
/** Score records of a node, written by its record writer, read by the ClickHouse sink. */
export const scoreRecordsSubject = (node: string): string => `records.scores.${node}`;
/** Models that a node's processes loaded, by the same writer for the same sink. */
export const modelRecordsSubject = (node: string): string => `records.models.${node}`;
/** Attempts to deliver to webhooks by a node's worker, for the same sink. */
export const deliveryRecordsSubject = (node: string): string => `records.deliveries.${node}`;
/** Webhooks that the service disabled, recorded by each node, for the same sink. */
export const disablingRecordsSubject = (node: string): string => `records.disablings.${node}`;
/** Audit entries by a node's gateways, or by the command line, for the ClickHouse sink. */
export const auditSubject = (node: string): string => `audit.${node}`;
/** Queries to a partition's owner: plain messages. */
export const queriesSubject = (partition: number): string => `queries.${partition}`;
/** Replies to one gateway: plain messages. */
export const repliesSubject = (gateway: string): string => `replies.${gateway}`;
/** What the processes of one machine have seen of CONFIG: plain messages. */
export const configSeenSubject = (group: string): string => `config.seen.${group}`;
/** Counts that gateways exchange for shared rate limits: plain messages. */
export const RATE_COUNTS_SUBJECT = 'rates.counts';
/** Delays of traced events that processes report to each other: plain messages. */
export const FRESHNESS_SUBJECT = 'freshness.reports';
