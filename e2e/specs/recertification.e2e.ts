import { expect } from '@playwright/test';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

type Stored = { id: string; version: number };

test('a policy gets a ticket and a rule an owner, and the policy is confirmed in the queue', async ({
  adminPage: page,
  api,
}) => {
  const settings = await api<{ version: number }>('PATCH', '/settings', { policy_recertification_days: 90 });
  const definition = { enforcement_mode: 'audit', sources: ['10.0.0.0/8'], targets: ['tag:no-such-tag'] };
  const rules = [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }];
  const policy = await api<Stored>('POST', '/policies', { name: 'e2e owned', definition, rules });

  await page.goto(`/policies/${policy.id}/edit`);
  await expect(page.getByRole('list', { name: 'Rules' }).getByRole('listitem').first()).toBeVisible();
  await typeInto(page.getByRole('textbox', { name: 'Ticket' }), 'NET-7');
  await page.getByRole('button', { name: 'Set owner and expiry of rule 1' }).click();
  await expect(page.getByLabel('Expiry of rule 1', { exact: true })).toHaveValue('');
  await typeInto(page.getByRole('textbox', { name: 'Owner of rule 1' }), 'Anna@Example.org');
  await page.getByRole('button', { name: 'Save new version' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'e2e owned', exact: true })).toBeVisible();
  const stored = await api<{ ticket: string; rules: { owner: string }[] }>('GET', `/policies/${policy.id}`);
  expect(stored.ticket).toBe('NET-7');
  expect(stored.rules[0]?.owner).toBe('anna@example.org');

  await openPage(page, '/policies/recertification?q=e2e+owned');
  const row = page.getByRole('row', { name: /e2e owned/ });
  await expect(row).toContainText('Not due');
  await row.getByRole('button', { name: 'Actions for e2e owned' }).click();
  await page.getByRole('menuitem', { name: 'Confirm policy' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm e2e owned' });
  await typeInto(dialog.getByRole('textbox', { name: 'Note' }), 'Still needed');
  await takePicture(page, 'recertification');
  await dialog.getByRole('button', { name: 'Confirm policy' }).click();
  await expect(page.getByText('e2e owned confirmed')).toBeVisible();
  const { items } = await api<{ items: { note: string | null; confirmed_version: number | null }[] }>(
    'GET',
    '/recertifications?q=e2e+owned',
  );
  expect(items).toMatchObject([{ note: 'Still needed', confirmed_version: 2 }]);

  await api('DELETE', `/policies/${policy.id}`);
  await api('PATCH', '/settings', { policy_recertification_days: null, version: settings.version });
});
