import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { sqlClient } from '@/server/db/client';
import { clock } from '@/server/lib/clock';
import { getRunCount } from '@/test/thorough';
import { type Asker, collectAnswers, listDifferences, listReadableInputs } from './collect-answers.fixture';
import { entangle } from './entangled.fixture';
import { computeImpactsInline } from './impacts.fixture';
import { replaceOtherTenant } from './other-tenant.fixture';
import { observe } from './platform.fixture';
import { makeTwoFullTenants, type TwoTenants } from './two-tenants.fixture';

const ROLE = { role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant', project_id: null };

let tenants: TwoTenants;
let us: Asker;
beforeAll(async () => {
  computeImpactsInline();
  tenants = await makeTwoFullTenants();
  await entangle(tenants);
  await tenants.ours.signIn();
  us = { tenants, inputs: listReadableInputs([ROLE]), headers: () => tenants.ours.headers };
  const now = clock.now();
  vi.spyOn(clock, 'now').mockImplementation(() => new Date(now));
  // In both worlds the agents reported just now: time goes fast in the lab.
  await sqlClient()`update node_agents set last_heartbeat_at = ${now.toISOString()}`;
  // All readings of one moment, in both worlds.
  await observe(tenants);
}, 180_000);
afterAll(async () => {
  vi.restoreAllMocks();
  await tenants.lab.close();
});

describe('another tenant', () => {
  it('changes nothing of what is answered to us, whatever it has and does', async () => {
    const since = Date.now();
    const first = await collectAnswers(us, since);
    // The same world gives the same answers; without that, a difference would mean nothing.
    expect(listDifferences(await collectAnswers(us, since, 20), first)).toEqual([]);
    await replaceOtherTenant(tenants);
    const found = listDifferences(first, await collectAnswers(us, since));
    expect(found.slice(0, 10), `${found.length} answers differ`).toEqual([]);
    expect(first.size).toBeGreaterThan(getRunCount(1_000, 2_000));
  });
});
