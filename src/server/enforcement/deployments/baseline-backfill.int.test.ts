import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { makePolicyLab, type PolicyLab } from '../policies/testing/policy-lab.fixture';

let lab: PolicyLab;
beforeAll(async () => {
  lab = await makePolicyLab();
}, 60_000);
afterAll(() => lab.close());

type Row = { workload_id: string; baseline: { options: unknown; nics: unknown } | null; switches_written: unknown };

it('gives guests of earlier releases the baseline that an apply stores today', async () => {
  const policy = await lab.create({
    definition: {
      enforcement_mode: 'enforced',
      sources: ['10.0.0.0/8'],
      targets: ['vmid:103', 'vmid:104'],
      default_action: 'drop',
    },
    rules: [{ action: 'accept', protocol: 'tcp', destination_ports: ['22'] }],
  });
  await lab.apply(policy);
  const read = () => lab.sql<Row[]>`select workload_id, baseline, switches_written from guest_firewalls order by 1`;
  const stored = (await read()).filter(({ baseline }) => baseline !== null);
  expect(stored).toHaveLength(2);
  await lab.sql`update guest_firewalls set baseline = null, switches_written = null`;
  const migration = readFileSync('drizzle/0023_cleanup-baseline.sql', 'utf8');
  await lab.sql.unsafe(migration.slice(migration.indexOf('with first as')));
  const filled = (await read()).filter(({ baseline }) => baseline !== null);
  const essence = (rows: Row[]) =>
    rows.map(({ workload_id, baseline, switches_written }) => ({
      workload_id,
      options: baseline?.options,
      nics: baseline?.nics,
      switches_written,
    }));
  expect(essence(filled)).toEqual(essence(stored));
});
