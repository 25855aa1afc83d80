import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { expectListsFit, expectPageFrame } from '../fixtures/layout';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('an exporter of flow records is added, changed and deleted', async ({ adminPage: page, api }) => {
  await page.goto('/agents');
  await page.getByRole('link', { name: 'Flow exporters' }).click();
  await expect(page.getByText('No collector runs')).toBeVisible();
  await expect(page.getByText('No flow exporters yet')).toBeVisible();
  await expectAccessible(page, 'no flow exporters');
  await page.getByRole('button', { name: 'Add exporter' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Add exporter' });
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'switch e2e');
  await typeInto(drawer.getByRole('textbox', { name: 'Address' }), 'switch.example');
  await drawer.getByRole('button', { name: 'Add exporter' }).click();
  await expect(drawer.getByText('An IPv4 or IPv6 address.')).toBeVisible();
  await typeInto(drawer.getByRole('textbox', { name: 'Address' }), '192.0.2.77');
  await expectAccessible(page, 'the form of an exporter');
  await takePicture(page, 'flow-exporter-add');
  await drawer.getByRole('button', { name: 'Add exporter' }).click();
  await expect(drawer).toHaveCount(0);

  const row = page.getByRole('row').filter({ hasText: 'switch e2e' });
  await expect(row.getByText('Waiting', { exact: true })).toBeVisible();
  await expectListsFit(page, 'flow exporters');
  await expectPageFrame(page, 'flow exporters');
  await expectAccessible(page, 'the exporters');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, `flow-exporters-${width}`, { fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByText('switch e2e').click();
  const edit = page.getByRole('dialog', { name: 'Edit switch e2e' });
  await edit.getByRole('checkbox', { name: 'Exporter enabled' }).click();
  await takePicture(page, 'flow-exporter-edit');
  await edit.getByRole('button', { name: 'Save exporter' }).click();
  await expect(row.getByText('Off', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Actions for switch e2e' }).first().click();
  await page.getByRole('menuitem', { name: 'Delete exporter' }).click();
  await page.getByRole('button', { name: 'Delete exporter' }).click();
  await expect(row).toHaveCount(0);
  // The page deletes it a moment later, as long as it can be undone.
  const count = async () => (await api<{ total: number }>('GET', '/flow-exporters?q=e2e')).total;
  await expect.poll(count).toBe(0);
});
