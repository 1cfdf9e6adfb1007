// The dashboard, the alert rules and the page about metrics name only metrics and labels that are really there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../src/telemetry/metrics.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

interface Known {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

const known: Known[] = createMetrics()
  .registry.getMetricsAsArray()
  .map((metric) => {
    const { name, help, type, labelNames } = metric as unknown as {
      name: string;
      help: string;
      type: string;
      labelNames: string[];
    };
    return { name, help, type, labels: labelNames };
  });
const own = known.filter(({ name }) => name.startsWith('banto_'));

/** As Prometheus stores them. */
const series = new Map(
  known.flatMap(({ name, type, labels }) =>
    type === 'histogram'
      ? [
          [`${name}_bucket`, [...labels, 'le']],
          [`${name}_sum`, labels],
          [`${name}_count`, labels],
        ]
      : [[name, labels]],
  ) as [string, string[]][],
);
series.set('up', []);
/** Put there by Prometheus itself, as `up` is. */
const BY_PROMETHEUS = ['job', 'instance'];

/** What Grafana fills in before Prometheus sees it. */
const VARIABLES: Readonly<Record<string, string>> = {
  $__rate_interval: '5m',
  $__interval: '1m',
  $__range: '1h',
};

const filledIn = (expression: string) =>
  expression.replaceAll(/\$\w+/g, (name) => VARIABLES[name] ?? name);

/** By the grammar of Prometheus itself: every metric that is asked for, and every label, with what is wrong. */
function problemsOf(asked: string): string[] {
  const expression = filledIn(asked);
  const problems: string[] = [];
  const found = new Set(BY_PROMETHEUS);
  const grouped: string[] = [];
  let ofMetric: readonly string[] | null = null;
  let metric = '';
  parser.parse(expression).iterate({
    enter(node) {
      const text = expression.slice(node.from, node.to);
      if (node.type.isError) problems.push(`not PromQL at ${node.from}: ${expression}`);
      if (node.name === 'Identifier' && node.node.parent?.name === 'VectorSelector') {
        metric = text;
        ofMetric = series.get(text) ?? null;
        if (ofMetric === null) problems.push(`there is no metric ${text}`);
        for (const label of ofMetric ?? []) found.add(label);
      }
      if (node.name !== 'LabelName') return;
      if (node.node.parent?.name === 'GroupingLabels') grouped.push(text);
      else if (![...(ofMetric ?? []), ...BY_PROMETHEUS].includes(text)) {
        problems.push(`${metric} has no ${text}`);
      }
    },
  });
  for (const label of grouped) {
    if (!found.has(label)) problems.push(`nothing in "${expression}" has ${label}`);
  }
  if (metric === '') problems.push(`no metric in "${expression}"`);
  return problems;
}

it('the Grafana dashboard asks for metrics and labels that are there', () => {
  const dashboard = JSON.parse(read('deploy/grafana/banto.json')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  const asked = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(asked.length).toBeGreaterThan(20);
  expect(asked.flatMap(problemsOf)).toEqual([]);
});

it('the alert rules ask for metrics and labels that are there, and say what to do', () => {
  const { groups } = parse(read('deploy/prometheus/alerts.yaml')) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  expect(rules.flatMap(({ expr }) => problemsOf(expr))).toEqual([]);
  for (const { annotations } of rules) {
    expect(annotations).toMatchObject({
      summary: expect.any(String),
      description: expect.any(String),
    });
  }
});

it.each([
  [
    'sum by (colour) (rate(banto_tasks{shape="round"}[5m]))',
    [
      'banto_tasks has no shape',
      'nothing in "sum by (colour) (rate(banto_tasks{shape="round"}[5m]))" has colour',
    ],
  ],
  ['banto_nothing', ['there is no metric banto_nothing']],
  ['sum(rate(banto_tasks[5m])', ['not PromQL at 25: sum(rate(banto_tasks[5m])']],
  ['rate(banto_tasks[5m)', ['not PromQL at 19: rate(banto_tasks[5m)']],
  ['1 + 1', ['no metric in "1 + 1"']],
])('finds what is wrong in %s', (expression, problems) => {
  expect(problemsOf(expression)).toEqual(problems);
});

it('docs/metrics.md lists every metric with its type and labels, and no other', () => {
  const rows = [...read('docs/metrics.md').matchAll(/^\| `(banto_\w+)` \| (\w+) \| (.*?) \|/gm)];
  const documented = rows.map(([, name, type, labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label),
  }));
  const real = own.map(({ name, type, labels }) => ({ name, type, labels: [...labels] }));
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }) =>
    (a.name ?? '').localeCompare(b.name ?? '');
  expect(documented.sort(byName)).toEqual(real.sort(byName));
});
