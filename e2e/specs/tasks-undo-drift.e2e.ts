import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { runJob } from '../fixtures/run-job';
import { test } from '../fixtures/test';

type Found = { items: { id: string; name: string; deployments: { status: string }[] }[]; total: number };

const POLICY = 'Applications reach PostgreSQL';
const WORKLOAD = 'pg-02';

// Someone deleted the rules of this policy on this workload.
test('drift is accepted for a time, or adopted as a change, and repaired in at most 3 clicks from the bell', async ({
  task: { page, clicks },
  api,
}) => {
  const readStatus = async () => {
    const [policy] = (await api<Found>('GET', `/policies?q=${encodeURIComponent(POLICY)}`)).items;
    return policy?.deployments.map(({ status }) => status).sort();
  };
  const listOpen = () => api<Found>('GET', '/drift?status=open');
  await expect.poll(async () => (await listOpen()).total).toBeGreaterThan(0);
  const before = await readStatus();
  expect(before).toEqual(['partial']);

  // It is reported a minute after the tour had the rules evaluated. From the bell it is two clicks to the difference; a third one would repair it.
  type Notice = { items: { title: string }[] };
  const listTitles = async () => {
    await runJob('notification.evaluate');
    return (await api<Notice>('GET', '/notifications')).items.map(({ title }) => title);
  };
  await expect.poll(listTitles, { intervals: [2_000] }).toContainEqual(expect.stringMatching(/ drifted$/));
  await page.getByRole('button', { name: /^Notifications, \d+ unread$/ }).click();
  const notices = page.getByRole('dialog', { name: 'Notifications' });
  await notices
    .getByRole('link', { name: / drifted$/ })
    .first()
    .click();
  const drawer = page.getByRole('dialog', { name: /^Deleted: Rule \d+$/ });
  await expect(drawer).toContainText('First seen');
  const repair = drawer.getByRole('button', { name: 'Reconcile workload' });
  await expect(repair).toBeEnabled();
  expect(clicks()).toBe(2);
  await takePicture(page, 'drift-difference');

  // Either answer shows its edits; the policy for all its workloads is taken.
  await drawer.getByRole('button', { name: 'Adopt difference' }).click();
  const adopt = page.getByRole('dialog', { name: 'Adopt difference' });
  await adopt.getByRole('radio', { name: 'Exception of this workload' }).click();
  await expect(adopt.getByRole('list', { name: 'Edits' })).toContainText(`${POLICY} on ${WORKLOAD}`);
  await adopt.getByRole('radio', { name: 'Policy for all its workloads' }).click();
  await expect(adopt.getByRole('list', { name: 'Rules that differ' })).toBeVisible();
  await expect(adopt.getByRole('link', { name: 'Open impact' })).toBeVisible();
  await expectAccessible(page, 'what adopting a difference does');
  await takePicture(page, 'drift-adopt');
  await adopt.getByRole('button', { name: 'Draft change' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Adopt Rule \d+ of/ })).toBeVisible();
  await expect(page.getByRole('list', { name: 'Edits' })).toContainText(POLICY);
  await api('POST', `/changes/${page.url().split('/').at(-1)}/withdraw`);

  // The same from the list, for what is selected there.
  const grid = page.getByRole('grid', { name: 'Differences' });
  const row = grid.getByRole('row').filter({ hasText: WORKLOAD }).first();
  await openPage(page, '/drift?status=open');
  await row.getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Adopt differences' }).click();
  await adopt.getByRole('radio', { name: 'Policy for all its workloads' }).click();
  await expect(adopt.getByRole('list', { name: 'Edits' })).toContainText(POLICY);
  await adopt.getByRole('button', { name: 'Cancel' }).click();

  // Accepted drift does not count.
  await page.goto('/drift?status=open');
  await row.getByRole('checkbox').click();
  await page.getByRole('button', { name: 'Accept differences' }).click();
  const accept = page.getByRole('dialog', { name: /^Accept \d+ differences?$/ });
  await accept.getByRole('textbox', { name: 'Reason' }).pressSequentially('Until the audit');
  await accept.getByRole('button', { name: 'Accept' }).click();
  await expect(accept).toBeHidden();
  await expect.poll(readStatus).toEqual(['active']);
  await expect(row).toBeHidden();
  const { items } = await api<Found>('GET', '/drift?status=accepted');
  for (const { id } of items) await api('DELETE', `/drift/${id}/accept`);
  await expect.poll(readStatus).toEqual(before);

  // From the list it is two clicks to the same difference, and one to the repair.
  await openPage(page, '/');
  const start = clicks();
  await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Drift' }).click();
  await row.getByRole('gridcell', { name: 'Deleted', exact: true }).click();
  await repair.click();
  await expect.poll(async () => (await listOpen()).total).toBe(0);
  expect(clicks() - start).toBe(3);
});
