import { Counter, Histogram, type CounterConfiguration, type HistogramConfiguration } from 'prom-client';

/*
 * Metrics of every request. Their children add to a number. Those of prom-client check and hash the labels at each
 * call, which takes about 1 µs a request. The exposed text is the same.
 */

type RequestLabel = 'route' | 'status';

/** Counts requests by route and status. */
export class RequestCounter extends Counter<RequestLabel> {
  readonly #about: CounterConfiguration<RequestLabel>;
  readonly #children: { labels: Record<RequestLabel, string>; value: number }[] = [];

  constructor(about: CounterConfiguration<RequestLabel>) {
    super(about);
    this.#about = about;
  }

  /** Creates a child. Call it once for each pair of labels. @returns counts one request */
  child(route: string, status: string): () => void {
    const child = { labels: { route, status }, value: 0 };
    this.#children.push(child);
    return () => {
      child.value += 1;
    };
  }

  override get(): ReturnType<Counter<RequestLabel>['get']> {
    const { name, help } = this.#about;
    return super.get().then((empty) => ({ ...empty, name, help, values: this.#children }));
  }
}

/** The durations of requests by route. */
export class RequestDurations extends Histogram<'route'> {
  readonly #about: HistogramConfiguration<'route'> & { buckets: readonly number[] };
  readonly #children: { route: string; sum: number; counts: number[] }[] = [];

  constructor(about: HistogramConfiguration<'route'> & { buckets: number[] }) {
    super(about);
    this.#about = about;
  }

  /** Creates a child. Call it once for each route. @returns notes the duration of one request in seconds */
  child(route: string): (seconds: number) => void {
    const bounds = this.#about.buckets;
    // The last count is of values beyond all bounds.
    const child = { route, sum: 0, counts: Array.from({ length: bounds.length + 1 }, () => 0) };
    this.#children.push(child);
    return (seconds) => {
      let index = 0;
      while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1;
      child.counts[index] = (child.counts[index] ?? 0) + 1;
      child.sum += seconds;
    };
  }

  /** Gives prom-client what it writes as text. Its declarations lack this method. */
  getForPromString() {
    const { name, help, buckets } = this.#about;
    const values = this.#children.flatMap(({ route, sum, counts }) => {
      const sharedLabels = { route };
      let count = 0;
      const upTo = counts.map((inBucket, index) => {
        count += inBucket;
        return { metricName: `${name}_bucket`, labels: { le: buckets[index] ?? '+Inf' }, sharedLabels, value: count };
      });
      return [
        ...upTo,
        { metricName: `${name}_sum`, labels: {}, sharedLabels, value: sum },
        { metricName: `${name}_count`, labels: {}, sharedLabels, value: count },
      ];
    });
    return Promise.resolve({ name, help, type: 'histogram', values });
  }
}
