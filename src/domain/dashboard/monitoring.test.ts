import { expect, it } from 'vitest';
import { computeMonitoring, type MonitoredPlace, SLOT_MS } from './monitoring';

const NOW = Date.parse('2026-03-10T12:03:00Z');
const ago = (minutes: number) => NOW - minutes * 60_000;
const place = (values: Partial<MonitoredPlace> = {}): MonitoredPlace => ({
  ...{ node_id: 'n', workloads: 1, reports: true, interval_seconds: 30, ...values },
});
/** The result for a range of a node whose agent reported from one moment to another. */
const monitor = (range: [number, number], heard: [number, number] | null, values?: Partial<MonitoredPlace>) => {
  const [since, until] = range.map(ago) as [number, number];
  const [from, to] = (heard ?? [0, 0]).map(ago) as [number, number];
  const sums = computeMonitoring([place(values)], { since, until }, NOW, (_, slot) =>
    heard === null ? false : slot + SLOT_MS > from && slot < to,
  );
  return Object.entries(sums).find(([name, n]) => name !== 'running' && n > 0)?.[0];
};

it.each<[string, [number, number], [number, number] | null, Partial<MonitoredPlace>, string]>([
  ['an agent that reported all the time', [60, 0], [600, 0], {}, 'watched'],
  ['a past range in which it reported, though it is silent now', [600, 540], [900, 500], { reports: false }, 'watched'],
  ['a past range before the agent came, though it reports now', [600, 540], [100, 0], {}, 'unwatched'],
  ['an agent that came within the range', [60, 0], [30, 0], {}, 'partly'],
  ['an agent that fell silent within the range', [60, 0], [600, 40], { reports: false }, 'partly'],
  ['a silent agent', [60, 0], [900, 300], { reports: false }, 'unwatched'],
  ['an agent that has just come', [60, 0], null, {}, 'partly'],
  ['no agent', [60, 0], null, { reports: false }, 'unwatched'],
  ['no known node', [60, 0], null, { node_id: null, reports: false }, 'unwatched'],
  ['the last day', [24 * 60, 0], [2_000, 0], {}, 'watched'],
  ['a range before heartbeats are kept', [3_000, 2_900], null, {}, 'unknown'],
  ['a range that begins before heartbeats are kept', [3_000, 0], [2_000, 0], {}, 'partly'],
  ['such a range, with no heartbeat that is kept', [3_000, 0], null, { reports: false }, 'unknown'],
])('evaluates a range by what reported then: %s', (_, range, heard, values, kind) => {
  expect(monitor(range, heard, values)).toBe(kind);
});

it('takes a heartbeat for the time since the one before', () => {
  const everyHour = (slot: number) => slot % 3_600_000 === 0;
  const range = { since: ago(300), until: ago(120) };
  const of = (interval_seconds: number) =>
    computeMonitoring([place({ interval_seconds })], range, NOW, (_, slot) => everyHour(slot));
  expect(of(3_600)).toMatchObject({ watched: 1 });
  expect(of(30)).toMatchObject({ partly: 1 });
});
