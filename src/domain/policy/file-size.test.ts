import { describe, expect, it } from 'vitest';
import { compilePolicies } from './compile';
import type { CompilablePolicy } from './desired';
import { describeOversize, findOversize, findOversizeAlone, findRuleThatFitsNowhere } from './file-size';
import { indexInventory } from './inventory-index';
import type { GuestFilter, GuestIntent } from './plan/guest-filter';
import { PolicyRules } from './policy';
import { INVENTORY } from './random-policies.fixture';

const manyPorts = Array.from({ length: 100 }, (_, at) => `${at * 10 + 1}-${at * 10 + 5}`);
const makeRules = (total: number, ports = ['443']) =>
  Array.from({ length: total }, (_, at) => ({
    action: at % 2 ? 'drop' : 'accept',
    protocol: 'tcp/udp',
    source_ports: ports.length > 1 ? ports : [],
    destination_ports: ports,
  }));
const parse = (rules: unknown) => PolicyRules.parse(rules);

describe('the rules of a policy', () => {
  it('get refused at the largest rule when no workload has room for them', () => {
    const found = findRuleThatFitsNowhere(parse([...makeRules(2), ...makeRules(12, manyPorts)]));
    expect(found?.position).toBe(2);
    expect(found && describeOversize(found)).toMatch(/^Rule 3 becomes \d+ live rules.*Use port ranges/);
  });

  it('stay valid as long as a workload has room for them', () => {
    expect(findRuleThatFitsNowhere(parse(makeRules(200)))).toBeNull();
    expect(findRuleThatFitsNowhere(parse(makeRules(2, manyPorts)))).toBeNull();
  });
});

describe('the file of a workload', () => {
  const rules = parse(makeRules(200, ['80', '443'])).map((rule, position) => ({
    ...rule,
    position,
  }));
  const sources = Array.from({ length: 60 }, (_, at) => `10.100.${at}.${at * 2 + 1}`);
  const id = '01a23105-ab7f-7651-9941-34cb8625f1b2';
  const policy: CompilablePolicy = {
    ...{ id, version: 1, tenant_id: null, tier: 'platform_first', priority: 1, created_at: '2026-01-01T00:00:00Z' },
    definition: { enforcement_mode: 'enforced', direction: 'in', sources, targets: ['web1'], default_action: 'none' },
    rules,
  };
  const [desired] = compilePolicies([policy], indexInventory(INVENTORY), id).guests;
  if (!desired) throw new Error('expected a workload');
  const intent: GuestIntent = {
    ...{ instance: id, vmid: desired.vmid, placement: 'above', scope: new Set([id]), order: [id] },
    ...{ rules: desired.rules, sets: desired.sets, remove_strays: true, switch_on: true },
    ...{ default_in: 'keep', default_out: 'keep' },
  };
  const empty: GuestFilter = { rules: [], options: {}, sets: {}, nics: [] };
  const own = (total: number): GuestFilter['rules'] =>
    Array.from({ length: total }, (_, pos) => ({
      ...{ pos, type: 'in', action: 'ACCEPT', enable: 1, dest: `10.0.0.${pos % 250}`, comment: 'x'.repeat(250) },
    }));

  it('has room for what a policy wants alone, and for some rules of its users', () => {
    expect(findOversizeAlone(desired.rules, desired.sets)).toBeNull();
    expect(findOversize({ ...empty, rules: own(500) }, intent)).toBeNull();
  });

  it('counts what is stored there anyway, and only new rules on top of it', () => {
    const full = { ...empty, rules: own(3_400) };
    const found = findOversize(full, intent);
    expect(found).toMatchObject({ live_rules: expect.any(Number) });
    expect(found && describeOversize(found, 'web1 (101)')).toContain('the firewall file of web1 (101)');
    expect(findOversize(full, { ...intent, rules: [], sets: [] })).toBeNull();
  });
});
