import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { expectListsFit, expectPageFrame } from '../fixtures/layout';
import { takePicture } from '../fixtures/picture';
import { test } from '../fixtures/test';
import { setTheme } from '../fixtures/theme';
import { typeInto } from '../fixtures/type-into';

type Received = { token: unknown; records: { type: string; action?: string }[] };

/** A receiver of JSON lines that answers with a status that the test chooses. */
async function startReceiver() {
  const received: Received[] = [];
  let status = 204;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const lines = Buffer.concat(chunks).toString('utf8').split('\n').filter(Boolean);
      received.push({ token: request.headers['x-token'], records: lines.map((line) => JSON.parse(line)) });
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', () => resolve()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`,
    received,
    answer: (next: number) => {
      status = next;
    },
    close: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

test('a destination is added, tested, receives records, and shows why a receiver fails', async ({
  adminPage: page,
  api,
}) => {
  const receiver = await startReceiver();
  await page.goto('/settings/forwarding');
  await page.getByRole('button', { name: 'Add destination' }).first().click();
  const drawer = page.getByRole('dialog', { name: 'Add destination' });
  await typeInto(drawer.getByRole('textbox', { name: 'Name' }), 'siem e2e');
  await takePicture(page, 'forwarding-add');
  const chooseKind = async (name: string) => {
    await drawer.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name }).click();
  };
  await chooseKind('IPFIX over UDP');
  await expect(drawer.getByRole('textbox', { name: 'Port' })).toHaveValue('4739');
  await expect(drawer.getByRole('textbox', { name: 'Largest message' })).toHaveValue('1400');
  await expect(drawer.getByRole('group', { name: 'Records' })).toHaveCount(0);
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, `forwarding-add-ipfix-${width}`);
  }
  await chooseKind('JSON over HTTP');
  await typeInto(drawer.getByRole('textbox', { name: 'URL' }), receiver.url);
  await typeInto(drawer.getByRole('textbox', { name: 'Header', exact: true }), 'Host');
  await drawer.getByRole('button', { name: 'Add destination' }).click();
  await expect(drawer.getByText('Fabric sets this header itself.')).toBeVisible();
  await typeInto(drawer.getByRole('textbox', { name: 'Header', exact: true }), 'X-Token');
  await typeInto(drawer.getByRole('textbox', { name: 'Header value' }), 'secret-value');
  await expectAccessible(page, 'the form of a destination');
  await drawer.getByRole('button', { name: 'Add destination' }).click();
  await expect(drawer).toHaveCount(0);

  // Adding it is the first record that it gets.
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  const [first] = receiver.received;
  expect(first?.records[0]).toMatchObject({ type: 'audit', action: 'forwarding_destination.created' });
  expect(first?.token).toBe('secret-value');
  const row = page.getByRole('row').filter({ hasText: 'siem e2e' });
  await expect(row.getByText('On', { exact: true })).toBeVisible();

  receiver.answer(403);
  await page.getByRole('button', { name: 'Actions for siem e2e' }).first().click();
  await page.getByRole('menuitem', { name: 'Send test record' }).click();
  await expect(page.getByText('Test of siem e2e failed')).toBeVisible();
  // The test is an audit record, which the receiver refuses as well.
  await expect(row.getByText('Failing')).toBeVisible();
  await expectListsFit(page, 'log forwarding');
  await expectPageFrame(page, 'log forwarding');
  await expectAccessible(page, 'the destinations');
  for (const theme of ['light', 'dark']) {
    await setTheme(page, theme);
    for (const width of [1440, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await takePicture(page, `forwarding-${theme}-${width}`, { fullPage: true });
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await row.getByText('siem e2e').click();
  const edit = page.getByRole('dialog', { name: 'Edit siem e2e' });
  await expect(edit.getByText('The receiver returned status 403.')).toBeVisible();
  await expectAccessible(page, 'the progress of a destination');
  await edit.getByRole('button', { name: 'Send test record' }).scrollIntoViewIfNeeded();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, `forwarding-edit-${width}`);
  }
  const { items } = await api<{ items: { id: string }[] }>('GET', '/forwarding-destinations?q=e2e');
  for (const { id } of items) await api('DELETE', `/forwarding-destinations/${id}`);
  await receiver.close();
});
