import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { clock } from '@/server/lib/clock';
import { type Asker, ask, differences, readsOf } from './ask-everything.fixture';
import { entangle } from './entangled.fixture';
import { becomeOtherWorld } from './other-world.fixture';
import { observe } from './platform.fixture';
import { makeTwoFullTenants, type TwoTenants } from './two-tenants.fixture';

const ROLE = { role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant', project_id: null };

let world: TwoTenants;
let us: Asker;
beforeAll(async () => {
  world = await makeTwoFullTenants();
  await entangle(world);
  await world.ours.signIn();
  us = { world, inputs: readsOf([ROLE]), headers: () => world.ours.headers };
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  // All readings of one moment, in both worlds.
  await observe(world);
}, 60_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await world.lab.close();
});

describe('another tenant', () => {
  it('changes nothing of what is answered to us, whatever it has and does', { timeout: 300_000 }, async () => {
    const since = Date.now();
    const first = await ask(us, since);
    // The same world gives the same answers; without that, a difference would mean nothing.
    expect(differences(await ask(us, since, 20), first)).toEqual([]);
    await becomeOtherWorld(world);
    const found = differences(first, await ask(us, since));
    expect(found.slice(0, 10), `${found.length} answers differ`).toEqual([]);
    expect(first.size).toBeGreaterThan(2_000);
  });
});
