import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_ROLES } from '@/domain/permissions';
import { routes } from '@/server/rest/routes';
import { recordStatements } from '@/test/count-queries';
import { appRouter } from '../root';
import { listReadableInputs } from './collect-answers.fixture';
import { computeImpactsInline } from './impacts.fixture';
import { fill, send } from './inputs.fixture';
import { observe } from './platform.fixture';
import { makeTwoFullTenants, type TwoTenants } from './two-tenants.fixture';

const ROLE = { role: 'admin', permissions: BUILT_IN_ROLES.admin.permissions, tenant_id: 'a tenant', project_id: null };

/** How many statements an answer may take: a connection is busy with each, and the reader waits for each. */
const MOST = 12;
/** Those that take more, how many, and why. */
const MORE: Readonly<Record<string, [number, string]>> = {
  'GET /conversations/{conversation_id}/why': [29, 'all policies and rules as of then, of which nothing is kept'],
  'GET /dashboard': [20, 'three answers of the page in one'],
  'GET /changes/{change_id}/record': [18, 'everything about a change, for an auditor'],
  'POST /policies/{policy_id}/preview': [
    15,
    'reads the guests from their cluster, as far as they had content twice, and stores what it read',
  ],
  'GET /policies/{policy_id}/cleanup-preview': [14, 'reads the guests from their cluster'],
  'GET /workloads/{workload_id}/enforcement': [13, 'reads the guest from its cluster and stores what it read'],
  'query insights.summary': [14, 'reads the guest from its cluster and stores what it read'],
  'GET /policies/{policy_id}/coverage': [14, 'hits of each rule, and since when each could have been observed'],
  'GET /changes/{change_id}/impact': [
    16,
    'requests the impact unless too many are computed, and shows it when it is known',
  ],
  'POST /policies/{policy_id}/impact': [
    16,
    'requests the impact unless too many are computed, and shows it when it is known',
  ],
  'POST /impacts/{impact_id}/again': [
    16,
    'requests the impact unless too many are computed, and shows it when it is known',
  ],
};

let tenants: TwoTenants;
beforeAll(async () => {
  computeImpactsInline();
  tenants = await makeTwoFullTenants();
  await tenants.ours.signIn();
  await observe(tenants);
}, 180_000);
afterAll(() => tenants.lab.close());

it(`takes at most ${MOST} statements for each answer, whatever has to be read from a cluster`, async () => {
  const counted = new Map<string, string[]>();
  for (const input of listReadableInputs([ROLE])) {
    const value = fill(input, tenants.ours.ids);
    const ask = () => send({ routes, router: appRouter }, input, value, tenants.ours.headers);
    // The first answer prepares what the process keeps.
    expect((await ask()).status, input.name).toBeLessThan(500);
    // Not counting what a change of the lab has to be read again for: the best of three.
    const most = MORE[input.name]?.[0] ?? MOST;
    for (let attempt = 0; attempt < 3; attempt++) {
      const { statements } = await recordStatements(ask);
      const sent = statements.filter((text) => !/^begin/.test(text));
      counted.set(input.name, sent);
      if (sent.length <= most) break;
    }
  }
  const many = [...counted].filter(([name, statements]) => statements.length > (MORE[name]?.[0] ?? MOST));
  expect(many.map(([name, statements]) => `${name}: ${statements.length}\n  ${statements.join('\n  ')}`)).toEqual([]);
  expect(counted.size).toBeGreaterThan(100);
  expect(Object.keys(MORE).filter((name) => !counted.has(name))).toEqual([]);
}, 300_000);
