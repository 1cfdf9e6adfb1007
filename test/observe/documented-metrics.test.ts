// The dashboard, the alert rules and the page about metrics name only metrics and labels that are really there.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
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
    return { name, help, type: String(type), labels: labelNames };
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
/** Put there by Prometheus itself. */
const BY_PROMETHEUS = ['job', 'instance'];

function problemsOf(expression: string): string[] {
  const problems: string[] = [];
  const used = [...expression.matchAll(/\b((?:banto|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)];
  const allLabels = new Set(BY_PROMETHEUS);
  for (const [, name = '', selector = ''] of used) {
    const labels = series.get(name);
    if (labels === undefined) {
      problems.push(`there is no metric ${name}`);
      continue;
    }
    for (const label of labels) allLabels.add(label);
    for (const [, label = ''] of selector.matchAll(/(\w+)\s*[=!]~?/g)) {
      if (![...labels, ...BY_PROMETHEUS].includes(label)) problems.push(`${name} has no ${label}`);
    }
  }
  for (const [, list = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(',').map((word) => word.trim())) {
      if (!allLabels.has(label)) problems.push(`nothing in "${expression}" has ${label}`);
    }
  }
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

it('finds what is not there', () => {
  expect(problemsOf('sum by (colour) (rate(banto_tasks{shape="round"}[5m]))')).toEqual([
    'banto_tasks has no shape',
    'nothing in "sum by (colour) (rate(banto_tasks{shape="round"}[5m]))" has colour',
  ]);
  expect(problemsOf('banto_nothing')).toEqual(['there is no metric banto_nothing']);
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
