import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metricNames } from './metrics';

const read = (name: string) => readFileSync(new URL(`../../../deploy/monitoring/${name}`, import.meta.url), 'utf8');
/** Names that Prometheus derives from one Fabric metric. */
const exported = new Set(metricNames().flatMap((name) => [name, `${name}_bucket`, `${name}_count`, `${name}_sum`]));
const METRIC = /\b((?:fabric|process|nodejs)_[a-z0-9_]+)/g;
const used = (text: string) => [...new Set([...text.matchAll(METRIC)].map(([, name]) => name ?? ''))];

type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string }[];
};
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: Panel[];
  templating: { list: { query: string }[] };
};
const alerts = read('prometheus-alerts.yml');

/** Whether brackets and quotes of an expression are closed in order. */
function isBalanced(expression: string): boolean {
  const open: string[] = [];
  const pairs: Record<string, string> = { ')': '(', ']': '[', '}': '{' };
  for (const sign of expression.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')) {
    if ('([{'.includes(sign)) open.push(sign);
    else if (sign in pairs && open.pop() !== pairs[sign]) return false;
  }
  return open.length === 0;
}

describe('monitoring', () => {
  it('shows only exported metrics, and every Fabric metric', () => {
    const shown = used(JSON.stringify(dashboard.panels.map(({ targets }) => targets)));
    expect(shown.filter((name) => !exported.has(name))).toEqual([]);
    const ours = metricNames().filter((name) => name.startsWith('fabric_'));
    expect(
      ours.filter((name) => !shown.some((one) => one.replace(/_(bucket|count|sum)$/, '') === name || one === name)),
    ).toEqual([]);
  });

  it('draws panels that do not lie upon each other', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(dashboard.panels.flatMap(({ targets }) => targets).every(({ expr }) => isBalanced(expr))).toBe(true);
  });

  it('alerts on metrics that are exported, each alert whole', () => {
    expect(used(alerts).filter((name) => !exported.has(name))).toEqual([]);
    const rules = alerts.split(/^ {6}- alert: /m).slice(1);
    expect(rules.length).toBeGreaterThan(10);
    for (const rule of rules) {
      expect(rule).toMatch(
        /^Fabric\w+\n {8}expr: [\s\S]+ {8}labels: \{ severity: (critical|warning) \}\n {8}annotations:\n {10}summary: /,
      );
      const expression = /expr: (?:>-\n)?([\s\S]+?)\n {8}(?:for|labels):/.exec(rule)?.[1] ?? '';
      expect(isBalanced(expression), expression).toBe(true);
    }
  });

  it('documents every Fabric metric', () => {
    const text = readFileSync(new URL('../../../docs/metrics.md', import.meta.url), 'utf8');
    const found = new Set(used(text));
    expect(metricNames().filter((name) => name.startsWith('fabric_') && !found.has(name))).toEqual([]);
    expect([...found].filter((name) => !exported.has(name))).toEqual([]);
  });
});
