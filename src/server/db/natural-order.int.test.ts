import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bearer, makeCluster, makeUser, makeWorkload } from '@/test/factories';
import { call } from '@/test/request';

describe('lists sorted by name', () => {
  it('have the numbers in names in order, on every page and in both directions', async () => {
    const cluster = await makeCluster();
    const names = ['web-1', 'web-2', 'web-10', 'web-10-a', 'web-100', 'web-b', '007', '8', `n${'9'.repeat(24)}`, 'n1'];
    for (const name of [...names].reverse()) await makeWorkload(cluster, null, { name });
    const headers = await bearer(await makeUser('admin'));
    const read = async (path: string) => {
      const found: string[] = [];
      for (let cursor = ''; ; ) {
        const response = await call(`${path}&limit=3${cursor && `&cursor=${cursor}`}`, { headers });
        const page = await response.json();
        found.push(...page.items.map(({ name }: { name: string }) => name));
        if (page.next_cursor === null) return found;
        cursor = page.next_cursor;
      }
    };
    const expected = [
      '007',
      '8',
      'n1',
      `n${'9'.repeat(24)}`,
      'web-1',
      'web-2',
      'web-10',
      'web-10-a',
      'web-100',
      'web-b',
    ];
    expect(await read(`/workloads?cluster_id=${cluster.id}&sort=name`)).toEqual(expected);
    expect(await read(`/workloads?cluster_id=${cluster.id}&sort=-name`)).toEqual([...expected].reverse());
    for (const name of ['lab-2', 'lab-10', 'lab-1']) await makeCluster({ name });
    expect(await read('/clusters?q=lab-&sort=name')).toEqual(['lab-1', 'lab-2', 'lab-10']);
  });

  it('continue after every name: the key of a cursor is the key that is stored', async () => {
    const cluster = await makeCluster();
    const headers = await bearer(await makeUser('admin'));
    const text = fc.string({
      unit: fc.constantFrom('a', 'B', '0', '1', '9', '-', '.', 'é', '٣'),
      minLength: 1,
      maxLength: 30,
    });
    const names = fc.sample(text, { numRuns: 60, seed: 7 });
    for (const name of names) await makeWorkload(cluster, null, { name });
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const page = await (
        await call(`/workloads?cluster_id=${cluster.id}&sort=name&limit=1${cursor && `&cursor=${cursor}`}`, { headers })
      ).json();
      found.push(...page.items.map(({ name }: { name: string }) => name));
      if (page.next_cursor === null) break;
      cursor = page.next_cursor;
    }
    expect([...found].sort()).toEqual([...names].sort());
  });
});
