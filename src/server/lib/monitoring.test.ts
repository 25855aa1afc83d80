import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AGENT_STATUSES, SYNC_STATUSES } from '@/domain/choices';
import { describeWithTools } from '../../../agent/test/requirements';
import { JOBS } from '../jobs/definitions';
import { countDelivery, countForwarded, metricLabels, metricsText } from './metrics';

const MONITORING = new URL('../../../deploy/monitoring/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, MONITORING), 'utf8');
const LABELS = metricLabels();
const OURS = [...LABELS.keys()].filter((name) => name.startsWith('fabric_'));
/** Labels of each exported name, with those that Prometheus derives from a metric and the labels it adds. */
const exported = new Map(
  [...LABELS].flatMap(([name, labels]) =>
    ['', '_bucket', '_count', '_sum'].map((suffix) => [
      `${name}${suffix}`,
      new Set([...labels, 'job', 'instance', ...(suffix === '_bucket' ? ['le'] : [])]),
    ]),
  ),
);
/** Values of labels whose values the domain lists. */
const VALUES: Record<string, Record<string, readonly string[]>> = {
  fabric_agents: { status: AGENT_STATUSES },
  fabric_clusters: { sync_status: SYNC_STATUSES },
};
const METRIC = /\b((?:fabric|process|nodejs)_[a-z0-9_]+)/g;
const used = (text: string) => [...new Set([...text.matchAll(METRIC)].map(([, name]) => name ?? ''))];

type Panel = {
  id: number;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets: { expr: string; legendFormat?: string }[];
};
const dashboard = JSON.parse(read('grafana-dashboard.json')) as {
  panels: Panel[];
  templating: { list: { query: string }[] };
};
const targets = dashboard.panels.flatMap((panel) => panel.targets);
const alerts = read('prometheus-alerts.yml')
  .split(/^ {6}- alert: /m)
  .slice(1)
  .map((text) => ({
    name: /^\w+/.exec(text)?.[0] ?? '',
    expr: /expr: (?:>-\n)?([\s\S]+?)\n {8}(?:for|labels):/.exec(text)?.[1] ?? '',
    text,
  }));

/** Uses of a metric, a label or a listed value that Fabric does not export. `text` is the legend or the annotations. */
function findUnknown(expr: string, text = ''): string[] {
  const wrong = used(expr).filter((name) => !exported.has(name));
  const known = used(expr).flatMap((name) => [...(exported.get(name) ?? [])]);
  for (const [, name = '', matchers = ''] of expr.matchAll(/\b((?:fabric|process|nodejs)_[a-z0-9_]+)\{([^}]*)\}/g)) {
    for (const [, label = '', value] of matchers.matchAll(/(\w+)\s*(?:=~|!=|!~|=)\s*"([^"]*)"/g)) {
      if (!exported.get(name)?.has(label)) wrong.push(`${name}{${label}}`);
      const values = VALUES[name]?.[label];
      if (values && !values.includes(value ?? '')) wrong.push(`${name}{${label}="${value}"}`);
    }
  }
  const grouped = [...expr.matchAll(/\b(?:by|without|on|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const shown = [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label = '']) => label);
  return [...wrong, ...[...grouped, ...shown].filter((label) => !known.includes(label))];
}

describe('monitoring', () => {
  it('shows every Fabric metric, and only metrics and labels that exist', () => {
    expect(targets.flatMap(({ expr, legendFormat }) => findUnknown(expr, legendFormat))).toEqual([]);
    const shown = used(JSON.stringify(targets)).flatMap((name) => [name, name.replace(/_(bucket|count|sum)$/, '')]);
    expect(OURS.filter((name) => !shown.includes(name))).toEqual([]);
    const variables = dashboard.templating.list.map(({ query }) => /^label_values\((\w+), (\w+)\)$/.exec(query));
    expect(variables.flatMap((one) => (one ? findUnknown(`${one[1]}{${one[2]}="x"}`) : []))).toEqual([]);
  });

  it('draws panels that do not overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('alerts on metrics and labels that exist, each alert with its severity and summary', () => {
    expect(alerts.length).toBeGreaterThan(10);
    for (const { expr, text } of alerts) {
      expect(text).toMatch(/\n {8}labels: \{ severity: (critical|warning) \}\n {8}annotations:\n {10}summary: /);
      expect(findUnknown(expr, text)).toEqual([]);
    }
  });

  it('exports a series for everything whose increase an alert reads, before it is counted for the first time', async () => {
    const text = await metricsText();
    const counters = alerts.flatMap(({ expr }) =>
      [...expr.matchAll(/(?:rate|increase)\((fabric_\w+_total)\{([^}]*)\}/g)].map(([, name, matchers = '']) => {
        const labels = [...matchers.matchAll(/(\w+="[^"]*")/g)].flatMap(([one]) => (one.startsWith('job=') ? [] : one));
        return `^${name}\\{.*${labels.join('.*')}.*\\} 0$`;
      }),
    );
    expect(counters.length).toBeGreaterThan(4);
    expect(counters.filter((one) => !new RegExp(one, 'm').test(text))).toEqual([]);
  });

  it('finds an unknown metric, label, group, value and legend', () => {
    expect(findUnknown('sum by (color) (fabric_agents{state="ok",status="gone"}) + fabric_x', '{{ part }}')).toEqual([
      'fabric_x',
      'fabric_agents{state}',
      'fabric_agents{status="gone"}',
      'color',
      'part',
    ]);
  });

  it('documents every Fabric metric', () => {
    const text = readFileSync(new URL('../../docs/metrics.md', MONITORING), 'utf8');
    const found = new Set(used(text));
    expect(OURS.filter((name) => !found.has(name))).toEqual([]);
    expect([...found].filter((name) => !exported.has(name))).toEqual([]);
  });
});

const MINUTES = 180;
/** Runs of a job that end alike, by minute: each after its interval. */
const countRuns = (everyMs: number) =>
  Array.from({ length: MINUTES + 1 }, (_, minute) => Math.floor((minute * 60_000) / everyMs)).join(' ');
/** Jobs that fail at most five times in half an hour. */
const RARE = Object.values(JOBS).flatMap(({ name, everyMs = 0 }) => (everyMs > 5 * 60_000 ? [{ name, everyMs }] : []));

type Case = {
  alert: string;
  series: Record<string, string>;
  at: string;
  firing: boolean;
  labels?: Record<string, string>;
};

/** What an alert must do with series that last for an hour or longer. */
const CASES: Case[] = [
  // Every run fails; each second one; none.
  ...RARE.flatMap(({ name, everyMs }) =>
    [
      { failed: countRuns(everyMs), ok: `0x${MINUTES}`, firing: true },
      { failed: countRuns(2 * everyMs), ok: countRuns(2 * everyMs), firing: false },
      { failed: `0x${MINUTES}`, ok: countRuns(everyMs), firing: false },
    ].map(
      ({ failed, ok, firing }): Case => ({
        alert: 'FabricJobNeverSucceeds',
        series: {
          [`fabric_job_duration_seconds_count{job="fabric-worker",name="${name}",result="failed"}`]: failed,
          [`fabric_job_duration_seconds_count{job="fabric-worker",name="${name}",result="ok"}`]: ok,
        },
        at: `${MINUTES}m`,
        firing,
        labels: { name },
      }),
    ),
  ),
  { alert: 'FabricDown', series: {}, at: '5m', firing: true },
  { alert: 'FabricDown', series: { 'up{job="fabric"}': '1x60' }, at: '5m', firing: false },
  ...['12', '13'].map((failed) => ({
    alert: 'FabricErrors',
    series: {
      'fabric_request_duration_seconds_count{job="fabric",status="200"}': '0+588x60',
      'fabric_request_duration_seconds_count{job="fabric",status="500"}': `0+${failed}x60`,
    },
    at: '20m',
    firing: failed === '13',
  })),
  ...['10m', '20m'].map((at) => ({
    alert: 'FabricAgentsSilent',
    series: { 'fabric_agents{job="fabric",status="silent"}': '2x60' },
    at,
    firing: at === '20m',
  })),
  ...[100, 200].map((seconds) => ({
    alert: 'FabricFlowsWait',
    series: { 'fabric_flow_outbox_oldest_seconds{job="fabric"}': `${seconds}x60` },
    at: '20m',
    firing: seconds > 120,
  })),
  ...[0, 1].map((refused) => ({
    alert: 'FabricFlowsRefused',
    series: { 'fabric_flow_refused_reports{job="fabric"}': `${refused}x60` },
    at: '20m',
    firing: refused > 0,
  })),
  ...[500, 501].map((waiting) => ({
    alert: 'FabricJobsWait',
    series: { 'fabric_queue_jobs{job="fabric",queue="flows",state="waiting"}': `${waiting}x60` },
    at: '20m',
    firing: waiting > 500,
    labels: { queue: 'flows' },
  })),
];

describeWithTools('promtool')('promtool', () => {
  let directory = '';
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'fabric-promtool-'));
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  /** JSON is YAML. */
  function runPromtool(mode: string, content: unknown): { status: number | null; output: string } {
    const file = join(directory, 'input.yml');
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    const { status, stdout, stderr } = spawnSync('promtool', [mode, 'rules', file], { encoding: 'utf8' });
    return { status, output: stdout + stderr };
  }

  it('accepts the alert rules and every expression of the dashboard', () => {
    expect(runPromtool('check', read('prometheus-alerts.yml'))).toMatchObject({
      status: 0,
      output: expect.stringContaining(`SUCCESS: ${alerts.length} rules found`),
    });
    const rules = targets.map(({ expr }, i) => ({ record: `panel:${i}`, expr: expr.replaceAll('$job', 'fabric') }));
    const check = (list: typeof rules) => runPromtool('check', { groups: [{ name: 'dashboard', rules: list }] });
    expect(check(rules)).toMatchObject({ status: 0, output: expect.stringContaining(`${rules.length} rules found`) });
    expect(check([{ record: 'panel:wrong', expr: 'sum(rate(fabric_agents[5m])' }]).status).toBe(1);
  });

  function assertRaised(cases: readonly Case[]): void {
    const tests = cases.map(({ alert, series, at, firing, labels = {} }) => {
      const rule = alerts.find(({ name }) => name === alert);
      const summary = /summary: "?(.*?)"?$/m.exec(rule?.text ?? '')?.[1] ?? '';
      const filled = summary
        .replace('{{ $value }}', '2')
        .replace(/\{\{ \$labels\.(\w+) \}\}/, (_, label: string) => labels[label] ?? '');
      const description = /description: (.*)$/m.exec(rule?.text ?? '')?.[1];
      const expected = {
        exp_labels: { severity: /severity: (\w+)/.exec(rule?.text ?? '')?.[1], ...labels },
        exp_annotations: { summary: filled, ...(description && { description }) },
      };
      return {
        interval: '1m',
        input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
        alert_rule_test: [{ alertname: alert, eval_time: at, exp_alerts: firing ? [expected] : [] }],
      };
    });
    const rule_files = [new URL('prometheus-alerts.yml', MONITORING).pathname];
    expect(runPromtool('test', { rule_files, tests })).toEqual({
      status: 0,
      output: expect.stringContaining('SUCCESS'),
    });
  }

  it('raises alerts at their thresholds, and not below', () => {
    assertRaised(CASES);
  });

  it('raises an alert for the first record that is lost, and the first notice that fails', async () => {
    const scrape = async () =>
      new Map(
        (await metricsText()).split('\n').flatMap((line) => {
          const [, name, labels, value = ''] = /^(fabric_\w+_total)\{(.*)\} (\d+)$/.exec(line) ?? [];
          return name === undefined ? [] : [[`${name}{job="fabric-worker",${labels}}`, value] as const];
        }),
      );
    const before = await scrape();
    countForwarded('syslog', 'audit', 'lost', 20);
    countDelivery('email', 'failed');
    const after = await scrape();
    const series = Object.fromEntries(
      [...after].map(([one, value]) => [one, `${before.get(one) ?? '_'}x10 ${value}x49`]),
    );
    const expected = { at: '30m', firing: true, series };
    assertRaised([
      { alert: 'FabricRecordsLost', labels: { stream: 'audit' }, ...expected },
      { alert: 'FabricNoticesFail', ...expected },
    ]);
  });
});
