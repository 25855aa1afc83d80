import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { expectAccessible } from '../fixtures/axe';
import { runProgram } from '../fixtures/child';
import { openPage } from '../fixtures/open-page';
import { takePicture } from '../fixtures/picture';
import { serviceUrl } from '../fixtures/service';
import { test } from '../fixtures/test';

const PERMISSIONS = [
  ...['policy:read', 'policy:write', 'policy:apply', 'group:read', 'group:write', 'workload:read', 'flow:read'],
  ...['policy_test:read', 'policy_test:write'],
];
type Item = { id: string; name: string; vmid: number; cluster_name: string };

test('a pipeline with the served command line exports, plans and applies, and restores what was deleted', async ({
  adminPage: page,
  api,
  simulator,
  addCluster,
}) => {
  const { id } = await addCluster(simulator.cluster, { name: 'as code' });
  const [web, db] = (await api<{ items: Item[] }>('GET', `/workloads?cluster_id=${id}&sort=vmid&limit=2`)).items;
  const permissions = { name: 'pipeline', permissions: PERMISSIONS, expires_in_days: 1 };
  const { token } = await api<{ token: string }>('POST', '/account/tokens', permissions);

  const folder = await mkdtemp(join(tmpdir(), 'fabric-e2e-code-'));
  try {
    const served = await fetch(`${serviceUrl()}/api/v1/client/fabric.mjs`);
    const program = Buffer.from(await served.arrayBuffer());
    const sum = await (await fetch(`${serviceUrl()}/api/v1/client/fabric.mjs.sha256`)).text();
    expect(sum).toBe(`${createHash('sha256').update(program).digest('hex')}  fabric.mjs\n`);
    await writeFile(join(folder, 'fabric.mjs'), program);
    const env = { FABRIC_URL: serviceUrl(), FABRIC_TOKEN: token, PATH: process.env.PATH ?? '' };
    const fabric = (...args: string[]) => runProgram(process.execPath, ['fabric.mjs', ...args], { cwd: folder, env });
    const store = (name: string, text: string) => writeFile(join(folder, name), text);
    const load = (name: string) => readFile(join(folder, name), 'utf8');

    await store(
      'policies.yaml',
      `version: 1
security_groups:
  - name: as code
    members: ['vmid:as code/${web?.vmid}']
policies:
  - name: as code
    priority: 700
    tier: platform_last
    definition:
      enforcement_mode: enforced
      sources: ['vmid:as code/${db?.vmid}']
      targets: ['sg:as code']
    rules:
      - { action: accept, protocol: tcp, destination_ports: [8443] }
policy_tests:
  - { name: as code, expect: allow, from: ['vmid:as code/${db?.vmid}'], to: ['sg:as code'], protocol: tcp, ports: [8443] }
`,
    );
    const planned = await fabric('plan', 'policies.yaml');
    expect([planned.status, planned.stdout]).toEqual([
      2,
      expect.stringContaining('3 to create, 0 to change, 0 to delete'),
    ]);
    expect(planned.stdout).toMatch(/Observed connections: \d+ newly blocked/);
    const asked = await fabric('apply', 'policies.yaml');
    expect([asked.status, asked.stderr]).toEqual([1, expect.stringContaining('Add --yes')]);
    const applied = await fabric('apply', 'policies.yaml', '--yes');
    expect([applied.status, applied.stderr]).toEqual([0, '']);
    expect(await fabric('plan', 'policies.yaml')).toMatchObject({ status: 0, stdout: 'Nothing to change.\n' });

    await fabric('export', '-o', 'all.yaml');
    expect(await fabric('plan', 'all.yaml', '--no-replay')).toMatchObject({ status: 0 });
    const [policy] = (await api<{ items: Item[] }>('GET', '/policies?q=as%20code')).items;
    await api('DELETE', `/policies/${policy?.id}`);
    expect((await fabric('plan', 'all.yaml', '--no-replay', '--markdown')).stdout).toContain('+ policy as code');
    expect((await fabric('apply', 'all.yaml', '--yes')).status).toBe(0);
    await fabric('export', '-o', 'again.yaml');
    expect(await load('again.yaml')).toBe(await load('all.yaml'));

    await test.step('What a repository manages is read-only until it is released', async () => {
      const source = ['--source', 'https://git.example.org/rules', '--commit', '3f1c2a9d0b11'];
      expect(await fabric('apply', 'policies.yaml', '--yes', '--no-replay', ...source)).toMatchObject({ status: 0 });
      const [managed] = (await api<{ items: Item[] }>('GET', '/policies?q=as%20code')).items;
      await openPage(page, `/policies/${managed?.id}`);
      const edit = page.getByRole('button', { name: 'Edit', exact: true });
      await expect(edit).toHaveAttribute('aria-disabled', 'true');
      await expect(page.getByRole('link', { name: 'https://git.example.org/rules' })).toBeVisible();
      await expect(page.getByText('3f1c2a9d0b', { exact: true })).toBeVisible();
      await expectAccessible(page, 'a policy that is managed as code');
      await takePicture(page, 'policy-managed');
      await page.getByRole('button', { name: 'Release…' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Release', exact: true }).click();
      await expect(page.getByText('Policy released')).toBeVisible();
      await expect(edit).not.toHaveAttribute('aria-disabled', 'true');
    });

    expect((await fabric('drift')).status).toBe(0);
    expect((await fabric('reach', `vmid:as code/${db?.vmid}`, 'sg:as code', '8443')).stdout).toMatch(
      /^(yes|unknown|no|some)/,
    );
    await store('policies.yaml', 'version: 1\npolicies:\n  - name: x\n    modus: 1\n');
    expect((await fabric('plan', 'policies.yaml')).stderr).toMatch(
      /policies\.yaml:4:5: policies\.0\.modus: Unknown field/,
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});
