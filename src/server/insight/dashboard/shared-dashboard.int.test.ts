import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqlClient } from '@/server/db/client';
import { bearer, makeUser } from '@/test/factories';
import { fakeClock } from '@/test/fake-clock';
import { forgetSharedAnswers } from '../../admission/shared-answers';
import { handleTrpc } from '../../api/handle-trpc';
import { appRouter } from '../../api/root';
import {
  type Headers,
  NOW,
  type PlantedDashboard,
  plantDashboard,
  SINCE,
  UNTIL,
} from './testing/planted-dashboard.fixture';

const time = fakeClock(NOW);
const PARTS = ['dashboard.security', 'dashboard.traffic'] as const;
let fixture: PlantedDashboard;
let readers: Headers[];

async function ask(part: (typeof PARTS)[number], headers: Headers): Promise<string> {
  const input = encodeURIComponent(JSON.stringify({ since: SINCE, until: UNTIL }));
  const response = await handleTrpc(
    appRouter,
    new Request(`http://fabric.test/api/trpc/${part}?input=${input}`, { headers }),
  );
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text;
}

beforeAll(async () => {
  fixture = await plantDashboard();
  const { admin, ours, theirs } = fixture;
  // Two roles that may see everything, and two tenants.
  readers = [admin, await bearer(await makeUser('network_operator')), ours.headers, theirs.headers];
});
beforeEach(forgetSharedAnswers);
afterAll(() => time.restore());

describe.each(PARTS)('%s', (part) => {
  it('answers each reader as if no one else had asked, in every order', async () => {
    const alone: string[] = [];
    for (const headers of readers) {
      forgetSharedAnswers();
      alone.push(await ask(part, headers));
    }
    expect(new Set(alone).size).toBeGreaterThan(2);
    for (let first = 0; first < readers.length; first++) {
      forgetSharedAnswers();
      for (let turn = 0; turn < 2 * readers.length; turn++) {
        const at = (first + turn * (1 + (first % 3))) % readers.length;
        expect(await ask(part, readers[at] as Headers)).toBe(alone[at]);
      }
    }
  });

  it('shows a change immediately, to those who asked just before as well', async () => {
    const { ours, admin } = fixture;
    const askBoth = async () => [await ask(part, admin), await ask(part, ours.headers)];
    const before = await askBoth();
    await sqlClient()`update workloads set name = 'renamed', status = 'stopped' where id = ${ours.workload.id}`;
    const shared = await askBoth();
    forgetSharedAnswers();
    expect(shared).toEqual(await askBoth());
    for (const [at, text] of shared.entries()) expect(text).not.toBe(before[at]);
    await sqlClient()`update workloads set name = ${ours.workload.name}, status = 'running' where id = ${ours.workload.id}`;
  });
});
