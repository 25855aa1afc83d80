import { expect } from '@playwright/test';
import postgres from 'postgres';
import { expectAccessible } from '../fixtures/axe';
import { chooseFilter } from '../fixtures/filters';
import { expectListsFit, expectPageFrame } from '../fixtures/layout';
import { takePicture } from '../fixtures/picture';
import { serviceDatabaseUrl } from '../fixtures/service';
import { test } from '../fixtures/test';

type Named = { id: string; name: string };

test('estimates are shown with their sign and their error, apart from flows', async ({ adminPage: page, api }) => {
  await page.goto('/flows');
  await page.getByRole('link', { name: 'Estimates of sampled traffic' }).click();
  await expect(page.getByRole('heading', { name: 'Estimates' })).toBeVisible();
  await expect(page.getByText('No estimates in this time range')).toBeVisible();
  await expectAccessible(page, 'no estimates');

  const [cluster] = (await api<{ items: Named[] }>('GET', '/clusters')).items;
  const [workload] = (await api<{ items: Named[] }>('GET', '/workloads?sort=name')).items;
  const exporter = await api<Named>('POST', '/flow-exporters', {
    ...{ name: 'estimates e2e', address: '192.0.2.78', cluster_id: cluster?.id },
  });
  const sql = postgres(serviceDatabaseUrl(), { max: 1 });
  const add = (source: string | null, bytes: number, samples: number) => sql`
    insert into flow_estimates (exporter_id, bucket_at, estimate_key, source_workload_id, source_prefix, destination_prefix,
      source_internal, destination_internal, protocol, service_port, bytes, packets, samples, variance)
    values (${exporter.id}, date_trunc('hour', now()), gen_random_uuid(), ${source}, '10.77.0.0/24', '203.0.113.0/24', true, false, 'tcp',
      443, ${bytes}, ${samples * 64}, ${samples}, ${samples * 64 * 64})`;
  await add(workload?.id ?? null, 1_288_490_189, 10_000);
  await add(null, 52_428_800, 400);
  await sql`insert into flow_estimates (exporter_id, bucket_at, estimate_key, source_internal, destination_internal, bytes, packets, samples, variance)
    values (${exporter.id}, date_trunc('hour', now()), gen_random_uuid(), false, false, 1024, 64, 1, 4096)`;
  await sql.end();

  await page.reload();
  const row = page.getByRole('row').filter({ hasText: workload?.name ?? '' });
  await expect(row.getByText('≈ 1.2 GiB', { exact: true })).toBeVisible();
  await expect(row.getByText('≈ 640,000 ± 2 %')).toBeVisible();
  await expect(row.getByText('203.0.113.0/24 external')).toBeVisible();
  await expect(page.getByText('≈ 25,600 ± 10 %')).toBeVisible();
  await expect(page.getByText('≈ 64 ± 196 %')).toBeVisible();
  await expect(page.getByText('All other ends').first()).toBeVisible();
  await expect(
    page.getByText(/^Bytes: ≈ 1.25 GiB\. Packets: ≈ 665,664 ± 2 %\. From 10,401 sampled packets\.$/),
  ).toBeVisible();
  await expect(page.getByText('Estimates are in no list and no total of flows.')).toBeVisible();
  await expectListsFit(page, 'estimates');
  await expectPageFrame(page, 'estimates');
  await expectAccessible(page, 'estimates');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await takePicture(page, `estimates-${width}`, { fullPage: true });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await chooseFilter(page, 'Exporter', ['estimates e2e']);
  await expect(page).toHaveURL(new RegExp(`flow_exporter_id=${exporter.id}`));
  await expect(page.getByText('≈ 64 ± 196 %')).toBeVisible();
  await page.goto(`/flows/estimates?flow_exporter_id=${workload?.id}`);
  await expect(page.getByText('deleted or not visible')).toBeVisible();
  await expect(page.getByText('No estimates match')).toBeVisible();
  await page.goto('/flows?range=24h&group=workloads');
  await expect(page.getByText('≈')).toHaveCount(0);
  await api('DELETE', `/flow-exporters/${exporter.id}`);
  await page.goto('/flows/estimates');
  await expect(page.getByText('No estimates in this time range')).toBeVisible();
});
