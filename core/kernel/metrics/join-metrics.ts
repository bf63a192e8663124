/**
 * Joins the metrics of several processes, in Prometheus' text format: each metric once with its HELP and TYPE, then the
 * samples of all texts. A label must distinguish the samples.
 */
export function joinMetrics(texts: readonly string[]): string {
  const metrics = new Map<string, { head: string[]; samples: string[] }>();
  for (const text of texts) {
    let metric: { head: string[]; samples: string[] } | undefined;
    let isNew = false;
    let current: string | undefined;
    for (const line of text.split('\n')) {
      if (line === '') continue;
      if (!line.startsWith('# ')) {
        metric?.samples.push(line);
        continue;
      }
      const name = line.split(' ', 3)[2] ?? '';
      if (name !== current) {
        current = name;
        metric = metrics.get(name);
        isNew = metric === undefined;
        metric ??= { head: [], samples: [] };
        metrics.set(name, metric);
      }
      if (isNew) metric?.head.push(line);
    }
  }
  return [...metrics.values()].map(({ head, samples }) => [...head, ...samples, ''].join('\n')).join('\n');
}
