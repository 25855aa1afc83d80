import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { runJob } from '../fixtures/run-job';
import { test } from '../fixtures/test';

test('the demo lives, and its incidents can be found', async ({ adminPage: page, api }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  type Item = { id: string; name: string };
  const findId = async (path: string, name: string) =>
    (await api<{ items: Item[] }>('GET', `${path}?q=${encodeURIComponent(name)}`)).items.find(
      (item) => item.name === name,
    )?.id;
  // The pictures of the README's tour; `npm run tour` takes them over.
  const picture = (name: string) => takePicture(page, name, { folder: 'tour' });
  const settled = () => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);

  await page.goto('/');
  const suspicious = page.getByRole('grid', { name: 'Suspicious traffic' });
  await expect(suspicious).toContainText('203.0.113.');
  await expect(suspicious).toContainText('Critical');
  await expect(page.getByRole('list', { name: 'Top talkers' }).getByRole('listitem').nth(4)).toBeVisible();

  // The day before comes in while the last hour is looked at.
  const web03 = await findId('/workloads', 'web-03');
  await expect
    .poll(
      async () =>
        (await api<{ total: number }>('GET', '/flows?destination=203.0.113.77&since=2020-01-01T00:00:00Z')).total,
    )
    .toBeGreaterThan(0);
  await openPage(page, `/workloads/${web03}?tab=traffic&range=24h`);
  await expect(page.getByText('203.0.113.77').first()).toBeVisible();
  await settled();
  // The demo's packet filters and the evaluator are of one mind.
  await expect(page.getByText(/not match the rules/)).toHaveCount(0);
  await picture('workload-traffic');

  await openPage(page, '/topology');
  await expect(page.getByText('Would be dropped').first()).toBeVisible();
  await settled();
  await picture('topology');

  await openPage(page, '/policies');
  const policies = page.getByRole('grid', { name: 'Policies' });
  for (const status of ['In sync', 'Partial', 'Drifted', 'Unresolved']) await expect(policies).toContainText(status);
  await picture('policies');
  const postgres = await findId('/policies', 'Applications reach PostgreSQL');
  await openPage(page, `/policies/${postgres}?tab=preview`);
  await expect(page.getByRole('status', { name: 'Preview totals' })).toBeVisible();
  await settled();
  await picture('preview');
  // A policy in audit mode, waiting to be enforced: it would cut the monitoring of the web servers.
  const draft = await findId('/policies', 'Web servers reach the balancers only');
  await openPage(page, `/policies/${draft}?tab=preview`);
  const impact = page.getByRole('link', { name: 'Open impact' });
  await openPage(page, (await impact.getAttribute('href')) ?? '');
  await expect(page.getByText(/observed conversations would be blocked/)).toBeVisible();
  const cut = page.getByRole('grid', { name: 'Conversations' }).getByRole('row').filter({ hasText: 'Newly blocked' });
  await expect(cut.filter({ hasText: 'metrics-01' }).first()).toContainText('tcp/9100');
  await settled();
  await picture('impact');

  // A change that another person has to approve: it would cut the monitoring, too.
  const change = (await api<{ items: { id: string }[] }>('GET', '/changes?state=in_review')).items[0];
  await openPage(page, `/changes/${change?.id}`);
  await expect(page.getByRole('button', { name: 'Approve' })).toBeVisible();
  await page.getByRole('button', { name: 'Compute impact' }).click();
  await expect(page.getByText(/observed conversations would be blocked/)).toBeVisible();
  await settled();
  await picture('change');

  await openPage(page, '/flows?range=24h&group=service');
  await expect(page.getByRole('grid').first()).toContainText('443');
  await settled();
  await picture('flows');
  await openPage(page, '/addresses');
  await expect(page.getByRole('heading', { level: 1, name: 'Addresses' })).toBeVisible();
  await settled();
  await picture('addresses');

  await openPage(page, '/');
  await expect(page.getByRole('list', { name: 'Stale agents' })).toContainText('fra-pve4');
  await expect(suspicious).toContainText('Critical');
  await settled();
  await picture('dashboard');

  // What is reported a minute after it was noticed has been noticed by now.
  await runJob('notification.evaluate');
});
