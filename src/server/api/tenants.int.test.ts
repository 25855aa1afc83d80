import { describe, expect, it } from 'vitest';
import { makeTwoTenants } from '@/test/factories';
import { call } from '@/test/request';

describe('a tenant-scoped user', () => {
  it('sees the own guest and finds nothing where another tenant’s is', async () => {
    const { ours, theirs } = await makeTwoTenants('security_engineer');
    const status = async (id: string, headers: Record<string, string>) =>
      (await call(`/workloads/${id}`, { headers })).status;
    expect(await status(ours.workload.id, ours.headers)).toBe(200);
    expect(await status(theirs.workload.id, ours.headers)).toBe(404);
    expect(await status(theirs.workload.id, theirs.headers)).toBe(200);
    const list = await (await call('/workloads', { headers: ours.headers })).json();
    expect(list.items.map((w: { id: string }) => w.id)).toEqual([ours.workload.id]);
    expect(list.total).toBe(1);
  });
});
