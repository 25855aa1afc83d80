import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listAffectedRouters, makeInvalidator, refetchRouters } from './invalidator';

const id = '0190f3a0-0000-7000-8000-000000000001';

test('each event invalidates its routers', () => {
  const touched = (type: string, rest: object = {}) =>
    listAffectedRouters({ type, data: JSON.stringify({ type, cluster_id: id, ...rest }) });
  expect(touched('inventory.changed')).toEqual([
    'nodes',
    'workloads',
    'networks',
    'clusters',
    'agents',
    'dashboard',
    'mappingRules',
  ]);
  expect(touched('sync_run.changed', { run_id: id })).toEqual(['syncRuns', 'clusters']);
  expect(touched('resync')).toBe('all');
  expect(touched('something.new')).toEqual([]);
  expect(listAffectedRouters({ type: 'cluster.changed', data: '{broken' })).toEqual([]);
});

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('passes the first event immediately, a burst once per interval, and nothing without events', () => {
  const calls: (string[] | 'all')[] = [];
  const { push } = makeInvalidator((routers) => calls.push(routers === 'all' ? 'all' : [...routers]), 1000);
  push(['clusters']);
  for (let i = 0; i < 100; i += 1) push(i % 2 ? ['nodes'] : ['clusters']);
  expect(calls).toEqual([['clusters']]);
  vi.advanceTimersByTime(1000);
  expect(calls).toEqual([['clusters'], ['clusters', 'nodes']]);
  vi.advanceTimersByTime(10_000);
  expect(calls).toHaveLength(2);
  push('all');
  push(['nodes']);
  vi.advanceTimersByTime(1000);
  expect(calls.slice(2)).toEqual(['all', ['nodes']]);
});

test('stop() prevents further calls', () => {
  const calls: unknown[] = [];
  const { push, stop } = makeInvalidator((routers) => calls.push(routers), 1000);
  push(['a']);
  push(['b']);
  stop();
  vi.advanceTimersByTime(5000);
  expect(calls).toHaveLength(1);
});

test('an event during the first request of a list reads the list again', async () => {
  const client = new QueryClient();
  const answers: ((value: string) => void)[] = [];
  const observer = new QueryObserver<string>(client, {
    queryKey: [['deployments', 'list']],
    queryFn: () => new Promise<string>((answer) => answers.push(answer)),
  });
  const stop = observer.subscribe(() => undefined);
  await expect.poll(() => answers).toHaveLength(1);
  refetchRouters(client, new Set(['deployments']));
  answers[0]?.('running');
  await expect.poll(() => answers).toHaveLength(2);
  answers[1]?.('ok');
  await expect.poll(() => observer.getCurrentResult().data).toBe('ok');
  stop();
  client.clear();
});
