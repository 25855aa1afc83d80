import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { typeInto } from '../fixtures/type-into';

test('answers the questions of an admin: reach, enforcement, conversations, why, whose address, missing flows', async ({
  task: { page, clicks },
  api,
}) => {
  const picture = (name: string) => takePicture(page, name, { folder: 'tour' });
  const settled = () => expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  const findId = async (name: string) =>
    (await api<{ items: { id: string; name: string }[] }>('GET', `/workloads?q=${name}`)).items.find(
      (item) => item.name === name,
    )?.id;
  const search = async (text: string) => {
    await page.keyboard.press('Control+k');
    await typeInto(page.getByRole('combobox', { name: 'Search everything' }), text);
  };

  await test.step('Can web-01 reach pg-01? In at most 4 clicks from the dashboard', async () => {
    await search('pg-01');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'pg-01' })).toBeVisible();
    await page.getByRole('link', { name: 'Path check' }).click();
    await typeInto(page.getByRole('combobox', { name: 'From', exact: true }), 'web-01');
    await page
      .getByRole('option', { name: /web-01/ })
      .first()
      .click();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('status').getByText(/^(Yes|No|Some): /)).toBeVisible();
    expect(clicks()).toBeLessThanOrEqual(4);
    // What passes of it, by what is decided at each end.
    await page.getByText('web-01 → pg-01').first().click();
    await expect(page.getByText('Inbound at the destination').first()).toBeVisible();
    await settled();
    await picture('path-check');
  });

  await test.step('Is it really enforced on pg-02?', async () => {
    await openPage(page, `/workloads/${await findId('pg-02')}?tab=firewall`);
    await expect(page.getByRole('heading', { name: 'Enforcement' })).toBeVisible();
    await expect(page.getByText(/^(Enforced|Not enforced|Unknown)$/).first()).toBeVisible();
  });

  await test.step('Who connects to redis-01, and why is it allowed?', async () => {
    await page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name: 'Flows', exact: true }).click();
    const filter = page.getByRole('combobox', { name: 'Filter conversations' });
    await typeInto(filter, 'server = redis-01 and service = tcp/6379');
    await filter.press('Enter');
    const conversations = page.getByRole('grid', { name: 'Conversations' });
    await expect(conversations.getByRole('row').filter({ hasNotText: 'redis-01' })).toHaveCount(1);
    await conversations.getByText('tcp/6379').first().click();
    const drawer = page.getByRole('dialog');
    const why = drawer.getByRole('heading', { name: 'Then and now' });
    await why.scrollIntoViewIfNeeded();
    await expect(drawer.getByText('When it began')).toBeVisible();
    await expect(
      drawer.getByText(/The rule at position \d+ matches \(policy Applications reach the cache\)/).first(),
    ).toBeVisible();
    await expectAccessible(page, 'why a conversation was decided');
    await picture('then-and-now');
    await page.keyboard.press('Escape');
  });

  await test.step('What happened to redis-01?', async () => {
    await openPage(page, `/workloads/${await findId('redis-01')}?tab=timeline`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await expect(timeline).toContainText('Policy written');
    await expect(timeline).toContainText('Found in a sync');
    await expectAccessible(page, 'the timeline of a workload');
  });

  await test.step('Whose address is it?', async () => {
    const { interfaces } = await api<{ interfaces: { mac: string }[] }>('GET', `/workloads/${await findId('web-01')}`);
    const mac = interfaces[0]?.mac ?? '';
    await search(mac);
    await page.getByRole('option', { name: `Whose address is ${mac}?` }).click();
    const answer = page.getByRole('tabpanel', { name: 'Whose address' });
    await expect(answer.getByRole('heading', { name: 'Assigned now' })).toBeVisible();
    await expect(answer.getByRole('link', { name: 'web-01' }).first()).toBeVisible();
    await settled();
    await picture('whose-address');
  });

  await test.step('Why are there no flows?', async () => {
    const { items } = await api<{ items: { id: string }[] }>('GET', '/nodes?q=muc-pve3');
    const [silent] = (
      await api<{ items: { id: string }[] }>('GET', `/workloads?node_id=${items[0]?.id}&status=running`)
    ).items;
    await openPage(page, `/workloads/${silent?.id}?tab=traffic`);
    // Agents of its peers may have reported some.
    await page
      .getByText(/Why are (there no flows|flows missing)\?/)
      .first()
      .click();
    await expect(page.getByText(/interface counters|packet capture|captures/i).first()).toBeVisible();
  });
});
