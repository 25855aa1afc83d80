import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { smallLab } from '@/server/providers/hypervisor/fake/scenarios/small-lab';
import { makeSyncWorld, type SyncWorld, writesSoFar } from './testing/sync-world.fixture';

describe('a sync of a small cluster', () => {
  let world: SyncWorld;

  beforeAll(async () => {
    world = await makeSyncWorld({ scenario: smallLab, timeScale: 50 });
  });
  afterAll(() => world.close());

  it('imports what the cluster holds', async () => {
    const run = await world.sync();
    console.log(JSON.stringify(run, null, 1));
    expect(run).toMatchObject({ status: 'ok' });
  });

  it('writes nothing when it runs again', async () => {
    await world.settle();
    const before = await writesSoFar(world.sql);
    const run = await world.sync();
    console.log(JSON.stringify(run, null, 1));
    expect(await writesSoFar(world.sql)).toEqual(before);
  });
});
