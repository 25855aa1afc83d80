import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('deleting a cluster counts its objects, asks for its name, and deletes all of them', async ({
  adminPage: page,
  simulator,
  addCluster,
}) => {
  const cluster = await addCluster(simulator.cluster, { name: 'to-be-deleted' });
  await page.goto(`/clusters/${cluster.id}`);
  await page.getByRole('button', { name: 'Actions for to-be-deleted' }).click();
  await page.getByRole('menuitem', { name: 'Delete cluster' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete cluster to-be-deleted?' });
  await expect(dialog).toContainText('3 nodes, 15 workloads');
  await expect(dialog).toContainText('Its workloads keep running');
  await takePicture(page, 'delete-cluster');
  const confirm = dialog.getByRole('button', { name: 'Delete cluster' });
  await expect(confirm).toHaveAttribute('aria-disabled', 'true');
  await typeInto(dialog.getByRole('textbox'), 'something else');
  await expect(confirm).toHaveAttribute('aria-disabled', 'true');
  await typeInto(dialog.getByRole('textbox'), 'to-be-deleted');
  await confirm.click();
  await expect(page).toHaveURL(/\/clusters$/);
  await expect(page.getByText('to-be-deleted deleted')).toBeVisible();
  await openPage(page, `/workloads?cluster_id=${cluster.id}`);
  await expect(page.getByText('No workloads match')).toBeVisible();
  await page.goto(`/clusters/${cluster.id}`);
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Not found');
  // The trail remembers what was there.
  await openPage(page, `/audit?object_id=${cluster.id}&object_kind=cluster`);
  await page
    .getByRole('grid', { name: 'Audit records' })
    .getByRole('row')
    .filter({ hasText: 'Cluster: deleted' })
    .click();
  await expect(page.getByRole('dialog')).toContainText('Also deleted, Workloads');
});

test('Esc closes the dialog without a change', async ({ adminPage: page, simulator, addCluster }) => {
  const cluster = await addCluster(simulator.cluster, { name: 'not-deleted', sync: false });
  await page.goto(`/clusters/${cluster.id}`);
  await page.getByRole('button', { name: 'Actions for not-deleted' }).click();
  await page.getByRole('menuitem', { name: 'Delete cluster' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('No other data is deleted');
  await typeInto(dialog.getByRole('textbox'), 'not-deleted');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'not-deleted' })).toBeVisible();
});
