import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicySnapshot } from '../policies';
import { SecurityRuleInput } from './policy';
import { NO_RESPONSIBILITY } from './responsibility';
import { compareSnapshots, identifyRules, isSameSnapshot } from './snapshot';

const rules = fc.array(
  fc
    .record({
      action: fc.constantFrom('accept', 'drop'),
      protocol: fc.constantFrom('tcp', 'udp'),
      destination_ports: fc.subarray(['22', '443']),
      log: fc.constantFrom('nolog', 'info'),
    })
    .map((fields) => SecurityRuleInput.parse(fields)),
  { maxLength: 6 },
);
const getContent = ({ id: _id, position: _position, ...content }: ReturnType<typeof identifyRules>[number]) => content;
const counter = () => {
  let next = 0;
  return () => `new-${++next}`;
};
const snapshot = (list: PolicySnapshot['rules']): PolicySnapshot => ({
  name: 'web',
  description: '',
  enabled: true,
  tier: 'tenant',
  tenant_visibility: 'rules',
  priority: 1,
  ...NO_RESPONSIBILITY,
  definition: {
    enforcement_mode: 'audit',
    direction: 'in',
    sources: ['any'],
    targets: ['web1'],
    default_action: 'none',
  },
  rules: list,
});

describe('giving rules their ids', () => {
  it('keeps what is said and its order, with one id each', () => {
    fc.assert(
      fc.property(rules, rules, (before, after) => {
        const id = counter();
        const known = identifyRules([], before, id);
        const given = identifyRules(known, after, id);
        expect(given.map(getContent)).toEqual(after);
        expect(given.map(({ position }) => position)).toEqual(after.map((_, at) => at));
        expect(new Set(given.map((rule) => rule.id)).size).toBe(after.length);
      }),
    );
  });

  it('lets rules that are only moved keep their ids', () => {
    fc.assert(
      fc.property(rules, fc.infiniteStream(fc.nat()), (before, order) => {
        const known = identifyRules([], before, counter());
        const shuffled = before
          .map((rule) => ({ rule, key: order.next().value }))
          .sort((a, b) => a.key - b.key)
          .map(({ rule }) => rule);
        const given = identifyRules(known, shuffled, () => 'fresh');
        expect(given.map((rule) => rule.id).sort()).toEqual(known.map((rule) => rule.id).sort());
        const contents = new Map(known.map((rule) => [rule.id, getContent(rule)]));
        for (const rule of given) expect(getContent(rule)).toEqual(contents.get(rule.id));
      }),
    );
  });

  it('lets an edited rule keep the id of its place', () => {
    const [ssh, web] = ['22', '443'].map((port) =>
      SecurityRuleInput.parse({ action: 'accept', protocol: 'tcp', destination_ports: [port] }),
    );
    if (!ssh || !web) throw new Error('two rules');
    const known = identifyRules([], [ssh, web], counter());
    const edited = identifyRules(known, [ssh, { ...web, log: 'info' }], () => 'fresh');
    expect(edited.map(({ id }) => id)).toEqual(known.map(({ id }) => id));
  });
});

describe('comparing two snapshots', () => {
  it('finds nothing exactly when both say the same', () => {
    fc.assert(
      fc.property(rules, rules, (before, after) => {
        const id = counter();
        const known = identifyRules([], before, id);
        const given = identifyRules(known, after, id);
        expect(isSameSnapshot(snapshot(known), snapshot(known))).toBe(true);
        expect(isSameSnapshot(snapshot(known), snapshot(given))).toBe(JSON.stringify(before) === JSON.stringify(after));
      }),
    );
  });

  it('tells enough to get from one to the other', () => {
    fc.assert(
      fc.property(rules, rules, (before, after) => {
        const id = counter();
        const known = identifyRules([], before, id);
        const given = identifyRules(known, after, id);
        const changes = compareSnapshots(snapshot(known), snapshot(given)).rules;
        const present = new Map(known.map((rule) => [rule.id, getContent(rule)]));
        for (const change of changes) {
          if (change.after) present.set(change.id, getContent(change.after));
          else present.delete(change.id);
        }
        expect(present).toEqual(new Map(given.map((rule) => [rule.id, getContent(rule)])));
      }),
    );
  });

  it('names fields with both values', () => {
    const before = snapshot([]);
    const after = { ...before, enabled: false, definition: { ...before.definition, sources: ['10.0.0.0/8'] } };
    expect(compareSnapshots(before, after)).toEqual({
      fields: [
        { field: 'enabled', before: true, after: false },
        { field: 'definition.sources', before: ['any'], after: ['10.0.0.0/8'] },
      ],
      rules: [],
    });
  });
});
