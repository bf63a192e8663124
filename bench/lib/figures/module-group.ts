/** Where code belongs, for a first look at where time goes. First match wins. */
const GROUPS: readonly (readonly [pattern: RegExp, group: string])[] = [
  [/node_modules\/@nats-io\//, 'NATS client'],
  [/node_modules\/msgpackr|\/streams\/(?:codec\.ts|wire\/)/, 'codec'],
  [/node_modules\/(ajv|typebox|fast-uri)/, 'validation'],
  [/node_modules\/lmdb|\/store-lmdb\.ts/, 'store'],
  [/node_modules\/(prom-client|pino)|\/src\/kernel\/(metrics|logger)\.ts/, 'metrics and logs'],
  [/node_modules\/@clickhouse\/|\/clickhouse-schema\/|\/sinks\/clickhouse\//, 'sink: ClickHouse'],
  [/\/sinks\/live\//, 'sink: live stream'],
  [/\/sinks\/webhooks\//, 'sink: webhooks'],
  [/\/streams\//, 'log'],
  [/\/actors\/runtime\//, 'actors: runtime'],
  [/\/actors\//, 'actors: domain'],
  [/\/src\/gateway\/backend\//, 'gateway: group commit'],
  [/\/src\/gateway\//, 'gateway: HTTP'],
  [/\/src\/api\//, 'API'],
  [/\/src\//, 'service, other'],
  [/node_modules\//, 'packages, other'],
  [/^node:/, 'Node'],
];

/** Native functions belong to the group of their caller: the HTTP front end calls those of the HTTP library. */
const NATIVE_GROUPS: readonly (readonly [caller: RegExp, group: string])[] = [
  [/\/src\/gateway\//, 'native: uWebSockets.js'],
  [/^node:/, 'native: Node, sockets'],
];

/** The profiler's artificial functions, and their meaning. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['(garbage collector)', 'garbage collection'],
  ['(program)', 'native: event loop, kernel'],
  ['(idle)', 'idle'],
]);

/**
 * The group of a function in a CPU profile.
 * @param url of its script; empty for native functions and for code made at run time (compiled validators)
 * @param callerUrl of the nearest caller that has one
 */
export function moduleGroup(functionName: string, url: string, callerUrl: string): string {
  const special = SPECIAL.get(functionName);
  if (special !== undefined) return special;
  if (url === '' && /^validate\d*$/.test(functionName)) return 'validation';
  if (url === '') return NATIVE_GROUPS.find(([pattern]) => pattern.test(callerUrl))?.[1] ?? 'native: other';
  return GROUPS.find(([pattern]) => pattern.test(url))?.[1] ?? 'other';
}
