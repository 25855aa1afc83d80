import { describe, expect, it } from 'vitest';
import { quoteWord } from '@/domain/filter-language/tokens';
import { EDGE_VERDICTS } from '@/domain/topology/edge-verdict';
import { english } from '@/lib/i18n/translator';
import { getConversationsHref } from './connection-drawer';
import { connectionRows, nodeRows } from './connection-rows';
import { buildMap } from './map-model';
import { randomTopology } from './random-topology.fixture';

const topology = randomTopology(9, { workloads: 40, edges: 120 }, { grouping: 'project' });
const model = buildMap(english, topology, { verdicts: new Set(EDGE_VERDICTS), idle: true });

describe('connectionRows', () => {
  it('has a row for each edge, though lines join several', () => {
    const rows = connectionRows(model, null, '-bytes');
    expect(rows.length).toBe(topology.edges.length);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    const bytes = rows.map(({ edge }) => edge.bytes);
    expect(bytes).toEqual([...bytes].sort((a, b) => b - a));
  });

  it('sorts as asked, by bytes when it cannot', () => {
    const weights = connectionRows(model, null, 'verdict').map(({ edge }) => EDGE_VERDICTS.indexOf(edge.verdict));
    expect(weights).toEqual([...weights].sort((a, b) => a - b));
    const names = connectionRows(model, null, '-source').map(({ source_name }) => source_name);
    expect(names[0]).toMatch(/^web-/);
    expect(connectionRows(model, null, 'links')).toEqual(connectionRows(model, null, '-bytes'));
  });

  it('keeps what is found at either end', () => {
    const [first] = topology.workloads;
    const matches = new Set([first?.id ?? '']);
    const rows = connectionRows(model, matches, '-bytes');
    expect(rows.length).toBe(model.nodes.get(first?.id ?? '')?.links);
    for (const { edge } of rows) expect([edge.source, edge.destination]).toContain(first?.id);
    expect(nodeRows(model, matches, 'name').map(({ id }) => id)).toEqual([first?.id]);
  });
});

it('nodeRows holds nodes with and without lines, in natural order of names', () => {
  const rows = nodeRows(model, null, 'name');
  expect(rows.length).toBe(model.nodes.size);
  const names = rows.map(({ name }) => name);
  expect(names).toEqual([...names].sort(new Intl.Collator('en', { numeric: true }).compare));
});

it('leads from a connection to its conversations, by the text of the filter where that names both ends', () => {
  const external = [...model.nodes.values()].find(({ kind }) => kind === 'external');
  const workload = model.nodes.get(topology.workloads[0]?.id ?? '');
  if (!external || !workload) throw new Error('the fixture is empty');
  const read = (href: string | null) => Object.fromEntries(new URLSearchParams(href?.split('?')[1]));
  expect(read(getConversationsHref(external, workload, { range: '24h', since: null }))).toEqual({
    filter: `client = external and server = ${quoteWord(`vmid:${workload.cluster}/${workload.workload?.vmid}`)}`,
    range: '24h',
  });
  expect(read(getConversationsHref({ ...external, kind: 'internal' }, workload, {}))).toEqual({
    source_workload_id: 'none',
    source: 'internal',
    destination_workload_id: workload.id,
  });
});

it('leads nowhere from a connection of a group, which no filter names', () => {
  const grouped = buildMap(english, randomTopology(9, { workloads: 40, edges: 120 }, { expand: [] }), {
    verdicts: new Set(EDGE_VERDICTS),
    idle: true,
  });
  const group = [...grouped.nodes.values()].find(({ kind }) => kind === 'group');
  const external = grouped.nodes.get('external');
  if (!group || !external) throw new Error('the fixture is empty');
  expect(getConversationsHref(external, group, { range: '24h' })).toBeNull();
  expect(getConversationsHref(group, external, { range: '24h' })).toBeNull();
});
