import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Item = { id: string; name: string };

test('pools and tags assign workloads to projects; moves are previewed, manual wins, conflicts are reported', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'mapped' });
  const tenant = await api<Item>('POST', '/tenants', { name: 'Mapped tenant' });
  const shop = await api<Item>('POST', '/projects', { tenant_id: tenant.id, name: 'mapped-shop' });
  const back = await api<Item>('POST', '/projects', { tenant_id: tenant.id, name: 'mapped-back' });
  const { items } = await api<{ items: (Item & { pool: string | null; tags: string[] })[] }>(
    'GET',
    `/workloads?cluster_id=${cluster.id}&limit=500`,
  );
  const inPool = items.filter(({ pool }) => pool === 'production');
  const kept = inPool[0];
  const tagged = inPool.find(({ tags, id }) => tags.length > 0 && id !== kept?.id);
  if (!kept || !tagged) throw new Error('the simulated cluster has no such guests');
  await api('POST', '/workloads/assign', { project_id: back.id, workload_ids: [kept.id] });

  await page.goto('/mapping-rules');
  await expect(page.getByText('No mapping rules yet')).toBeVisible();
  await page.getByRole('button', { name: 'Create mapping rule' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create mapping rule' });
  await typeInto(form.getByRole('textbox', { name: 'Pool' }), 'no such pool');
  await form.getByRole('button', { name: 'Create mapping rule' }).click();
  await expect(form.getByText(/Letters, digits/)).toBeVisible();
  await typeInto(form.getByRole('textbox', { name: 'Pool' }), 'production');
  await form.getByRole('combobox', { name: 'Cluster' }).click();
  await page.getByRole('option', { name: 'mapped' }).click();
  await typeInto(form.getByRole('combobox', { name: 'Project' }), 'mapped-shop');
  await page.getByRole('option', { name: /mapped-shop/ }).click();
  await expect(form.getByText(`Matches ${inPool.length} workloads.`)).toBeVisible();
  await expect(form.getByText(`${inPool.length - 1} workloads will move.`)).toBeVisible();
  await expect(form.getByText('Not moved: 1 workload assigned manually.')).toBeVisible();
  await takePicture(page, 'mapping-rule-preview');
  await form.getByRole('button', { name: 'Create mapping rule' }).click();
  const rules = page.getByRole('grid', { name: 'Mapping rules' });
  await expect(rules.getByRole('row').filter({ hasText: 'production' })).toContainText('mapped-shop');
  await openPage(page, `/workloads/${tagged.id}`);
  await expect(page.getByText('mapped-shop assigned by mapping rule')).toBeVisible();
  await openPage(page, `/workloads/${kept.id}`);
  await expect(page.getByText('mapped-back assigned manually')).toBeVisible();
  await page.getByRole('button', { name: 'Assign to project' }).click();
  const assign = page.getByRole('dialog', { name: /Assign .* to a project/ });
  await assign.getByRole('combobox', { name: 'Project' }).click();
  await page.getByRole('option', { name: /Use mapping rules/ }).click();
  await assign.getByRole('button', { name: 'Use mapping rules' }).click();
  await expect(page.getByText('mapped-shop assigned by mapping rule')).toBeVisible();

  await api('POST', '/mapping-rules', {
    source: 'tag',
    value: tagged.tags[0],
    cluster_id: cluster.id,
    project_id: back.id,
  });
  await openPage(page, '/mapping-rules?tab=conflicts');
  const conflicts = page.getByRole('grid', { name: 'Conflicts' });
  await expect(conflicts.getByRole('row').filter({ hasText: tagged.name })).toContainText('Pool production');
  await takePicture(page, 'mapping-conflicts');

  await openPage(page, '/mapping-rules');
  await takePicture(page, 'mapping-rules-filled');
  await page.getByRole('button', { name: 'Actions for Pool production' }).click();
  await page.getByRole('menuitem', { name: 'Delete mapping rule' }).click();
  const confirm = page.getByRole('alertdialog');
  await expect(confirm.getByText(`${inPool.length} workloads will move.`)).toBeVisible();
  await takePicture(page, 'mapping-rule-delete');
  await confirm.getByRole('button', { name: 'Delete mapping rule' }).click();
  await expect(rules.getByRole('row').filter({ hasText: 'production' })).toHaveCount(0);
  await openPage(page, '/audit?action=workload.mapped');
  await expect(page.getByRole('grid').getByText('Workloads: moved by mapping rules').first()).toBeVisible();

  // The other specs find the installation as it was.
  await api('DELETE', `/clusters/${cluster.id}`);
  for (const project of [shop, back]) await api('DELETE', `/projects/${project.id}`);
  await api('DELETE', `/tenants/${tenant.id}`);
});
