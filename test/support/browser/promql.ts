import { parser } from '@prometheus-io/lezer-promql';

/** A selector of an expression: `http_requests_total{status=~"5.."}`. */
export interface Selector {
  metric: string;
  /** Labels that it matches on. */
  labels: readonly string[];
  /** Labels of the aggregations around it. */
  grouping: readonly string[];
}

/** What an expression of PromQL reads. Throws when it is no PromQL. */
export function selectorsOf(expr: string): Selector[] {
  // Grafana replaces these before Prometheus sees the expression.
  const text = expr.replaceAll(/\$__(rate_interval|interval|range)/g, '5m');
  const tree = parser.parse(text);
  const found: Selector[] = [];
  tree.iterate({
    enter(node) {
      if (node.type.isError) throw new Error(`no PromQL at character ${node.from} of: ${expr}`);
      if (node.name !== 'VectorSelector') return;
      const own = node.node;
      const metric = own.getChild('Identifier');
      if (metric === null) throw new Error(`a selector without a name in: ${expr}`);
      const grouping: string[] = [];
      for (let outer = own.parent; outer !== null; outer = outer.parent) {
        if (outer.name === 'AggregateExpr') grouping.push(...namesIn(outer.getChild('AggregateModifier')));
      }
      found.push({ metric: text.slice(metric.from, metric.to), labels: namesIn(own), grouping });
    },
  });
  if (found.length === 0) throw new Error(`an expression that reads nothing: ${expr}`);
  return found;

  function namesIn(node: ReturnType<typeof tree.topNode.getChild>): string[] {
    const names: string[] = [];
    if (node === null) return names;
    node.cursor().iterate((inner) => {
      if (inner.from < node.from || inner.to > node.to) return false;
      if (inner.name === 'LabelName') names.push(text.slice(inner.from, inner.to));
      return true;
    });
    return names;
  }
}
