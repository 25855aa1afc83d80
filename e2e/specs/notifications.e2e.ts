import { expect, type Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { runJob } from '../fixtures/run-job';
import { startSimulator } from '../fixtures/simulator';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';
import { startWebhookReceiver } from '../fixtures/webhook-receiver';

type Named = { id: string; name: string };
let receiver: Awaited<ReturnType<typeof startWebhookReceiver>>;
test.beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
test.afterEach(async ({ api }) => {
  await clean(api);
  await receiver.close();
});

/** Removes what the tests created, rules first. */
async function clean(api: Api): Promise<void> {
  for (const path of ['/notification-rules', '/notification-channels']) {
    const { items } = await api<{ items: Named[] }>('GET', `${path}?q=e2e`);
    for (const { id } of items) await api('DELETE', `${path}/${id}`);
  }
}

async function openTab(page: Page, name: string): Promise<void> {
  await page.getByRole('tab', { name, exact: true }).click();
  await expect(page.getByRole('tab', { name, exact: true })).toHaveAttribute('aria-selected', 'true');
}

const chooseRowAction = async (page: Page, row: string, action: string) => {
  await page
    .getByRole('button', { name: `Actions for ${row}` })
    .first()
    .click();
  await page.getByRole('menuitem', { name: action }).click();
};

test('a webhook shows its secret once, can be tested, and retries a failure', async ({ adminPage: page }) => {
  await page.goto('/notifications?tab=channels');
  await page.getByRole('button', { name: 'Add channel' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Add channel' });
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'e2e chat');
  await typeInto(drawer.getByRole('textbox', { name: 'URL' }), 'ftp://example.org');
  await drawer.getByRole('button', { name: 'Add channel' }).click();
  await expect(drawer.getByText('An http:// or https:// URL')).toBeVisible();
  await typeInto(drawer.getByRole('textbox', { name: 'URL' }), receiver.url);
  await drawer.getByRole('button', { name: 'Add channel' }).click();
  const shown = page.getByRole('dialog', { name: 'Signing secret of e2e chat' });
  const secret = (await shown.getByRole('region', { name: 'Signing secret' }).textContent())?.trim() ?? '';
  expect(secret).toMatch(/^whsec_/);
  await expectAccessible(page, 'the signing secret');
  await shown.getByRole('button', { name: 'Done' }).click();
  await expect(page.getByText('secret-path')).toHaveCount(0);

  await chooseRowAction(page, 'e2e chat', 'Send test');
  await expect(page.getByText('Test sent to e2e chat')).toBeVisible();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [first] = receiver.received;
  expect(first && receiver.isSigned(first, secret)).toBe(true);
  expect(first?.body).toMatchObject({ event: 'test', title: 'Test notification' });

  receiver.answer(404);
  await chooseRowAction(page, 'e2e chat', 'Send test');
  await expect(page.getByText('Test of e2e chat failed')).toBeVisible();
  await expect(page.getByText(/status 404\. The URL does not exist there/)).toBeVisible();
  await openTab(page, 'Deliveries');
  const grid = page.getByRole('grid', { name: 'Deliveries' });
  await expect(grid.getByText('The receiver returned status 404.')).toBeVisible();
  receiver.answer(200);
  await chooseRowAction(page, 'Test notification to e2e chat', 'Try again');
  await expect(grid.getByText('The receiver returned status 404.')).toHaveCount(0);
  await expect.poll(() => receiver.received.length).toBe(3);
  await expect(grid.getByText('Sent', { exact: true })).toHaveCount(2);
  expect(receiver.received[2]?.headers['fabric-delivery']).toBe(receiver.received[1]?.headers['fabric-delivery']);

  // A new secret takes the place of the old one.
  await openTab(page, 'Channels');
  await chooseRowAction(page, 'e2e chat', 'New signing secret');
  await page.getByRole('button', { name: 'Replace secret' }).click();
  await expect(shown).toBeVisible();
  await shown.getByRole('button', { name: 'Done' }).click();
});

test('a rule reports a failed sync under the bell and by webhook, and its end', async ({
  adminPage: page,
  api,
  addCluster,
}) => {
  const simulated = await startSimulator();
  try {
    const channel = await api<Named>('POST', '/notification-channels', {
      kind: 'webhook',
      name: 'e2e pager',
      url: receiver.url,
    });
    await page.goto('/notifications?tab=rules');
    await page.getByRole('button', { name: 'Create rule' }).first().click();
    const drawer = page.getByRole('dialog', { name: 'Create rule' });
    await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'e2e syncs');
    await drawer.getByRole('checkbox', { name: 'Sync failed' }).check();
    await typeInto(drawer.getByRole('textbox', { name: 'Report after' }), '0');
    await typeInto(drawer.getByRole('textbox', { name: 'Recovered after' }), '0');
    await drawer.getByRole('checkbox', { name: channel.name }).check();
    await drawer.getByRole('button', { name: 'Create rule' }).click();
    await expect(drawer).toBeHidden();
    await expect(page.getByRole('grid', { name: 'Rules' }).getByText('e2e syncs')).toBeVisible();

    const cluster = await addCluster(simulated.cluster, { name: 'e2e-notified' });
    await simulated.act('revoke_token', { token: simulated.cluster.tokens.manager });
    await api('POST', `/clusters/${cluster.id}/sync?wait=true`).catch(() => undefined);
    await openPage(page, '/notifications');
    const bell = page.getByRole('button', { name: /^Notifications, \d+ unread$/ });
    // Live: the page is not loaded again.
    await expect(async () => {
      await runJob('notification.evaluate');
      await expect(bell).toBeVisible({ timeout: 3_000 });
    }).toPass();
    await expect(page.getByRole('grid', { name: 'Incidents' }).getByText('e2e-notified')).toBeVisible();
    await expect.poll(() => receiver.received.map(({ body }) => body.title)).toEqual(['Sync of e2e-notified failed']);

    await bell.click();
    const list = page.getByRole('dialog', { name: 'Notifications' });
    await expect(list.getByRole('link', { name: 'Sync of e2e-notified failed' })).toBeVisible();
    await expectAccessible(page, 'the list under the bell');
    await takePicture(page, 'notification-bell');
    await list.getByRole('button', { name: 'Mark all as read' }).click();
    await expect(list.getByRole('button', { name: 'Mark all as read' })).toHaveAttribute('aria-disabled', 'true');
    await list.getByRole('link', { name: 'Sync of e2e-notified failed' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'e2e-notified' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Notifications', exact: true })).toBeVisible();

    // It is over when the cluster is gone, too.
    await api('PATCH', `/clusters/${cluster.id}`, { api_token: simulated.cluster.tokens.guestManager });
    await api('POST', `/clusters/${cluster.id}/sync?wait=true`);
    await expect
      .poll(async () => {
        await runJob('notification.evaluate');
        return receiver.received.map(({ body }) => body.event);
      })
      .toEqual(['opened', 'closed']);
    await openPage(page, '/notifications?status=closed');
    await expect(page.getByRole('grid', { name: 'Incidents' }).getByText('e2e-notified')).toBeVisible();
  } finally {
    await simulated.stop();
  }
});

test('the mail server can be set up, and its password is not shown again', async ({ adminPage: page, api }) => {
  await page.goto('/notifications?tab=email');
  await typeInto(page.getByRole('textbox', { name: 'Host' }), 'mail.example.org');
  await typeInto(page.getByRole('textbox', { name: 'Username' }), 'fabric');
  await typeInto(page.getByRole('textbox', { name: 'Password' }), 'the-secret');
  await typeInto(page.getByRole('textbox', { name: 'Sender address' }), 'fabric@example.org');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Email settings saved')).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Password' })).toHaveValue('');
  const settings = await api<object>('GET', '/settings/notifications');
  expect(settings).toMatchObject({ smtp_host: 'mail.example.org', smtp_password_set: true });
  expect(JSON.stringify(settings)).not.toContain('the-secret');
  await typeInto(page.getByRole('textbox', { name: 'Host' }), 'other.example.org');
  await page.getByRole('button', { name: 'Save settings' }).click();
  await expect(page.getByText('Enter the password again', { exact: false }).first()).toBeVisible();
  const empty = { smtp_host: null, smtp_username: null, smtp_password: null, from_address: null };
  await api('PATCH', '/settings/notifications', empty);
});
