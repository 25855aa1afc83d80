import { expect, test } from 'vitest';
import { ChangeItem, ChangeItemInput } from '@/domain/change/items';
import { editsSame, toItemInput } from './to-item-input';

const ID = '01980000-0000-7000-8000-000000000001';
const OTHER = '01980000-0000-7000-8000-000000000002';
const owner = { tenant_id: ID, project_id: null };
const rule = {
  id: OTHER,
  position: 0,
  action: 'accept',
  protocol: 'tcp',
  destination_ports: ['443'],
  source_ports: [],
  icmp_type: null,
  log: 'nolog',
  enabled: true,
  comment: '',
};
const content = {
  name: 'web',
  description: '',
  enabled: true,
  tier: 'tenant',
  tenant_visibility: 'rules',
  priority: 1000,
  definition: {
    enforcement_mode: 'audit',
    direction: 'in',
    sources: ['any'],
    targets: ['sg:web'],
    default_action: 'none',
  },
  rules: [rule],
};
const group = { name: 'web', description: '', member_tags: ['web'], member_tags_match: 'any' };
const STORED = [
  { kind: 'policy', policy_id: ID, name: 'web', ...owner, base_version: null, before: null, after: content },
  {
    kind: 'policy',
    policy_id: ID,
    name: 'web',
    ...owner,
    base_version: 3,
    before: { ...content, version: 3 },
    after: content,
  },
  { kind: 'policy_delete', policy_id: ID, name: 'web', ...owner, base_version: 3, before: { ...content, version: 3 } },
  { kind: 'group', group_id: ID, name: 'web', ...owner, base_version: null, before: null, after: group, add: [OTHER] },
  { kind: 'group_members', group_id: ID, name: 'web', ...owner, base_version: 1, add: [OTHER], remove: [] },
  {
    ...{ kind: 'move', name: 'shop', ...owner, base_version: null, to: { id: OTHER, tenant_id: OTHER } },
    workloads: [{ id: ID, name: 'web', ...owner, assigned_by: null }],
  },
  { kind: 'residual_removal', workload_id: ID, name: 'web', ...owner, base_version: null },
].map((item) => ChangeItem.parse({ adopted_from: null, ...item }));

test('every kind of stored edit can be sent again, with its object and base version', () => {
  for (const item of STORED) {
    const sent = ChangeItemInput.parse(toItemInput(item));
    expect(sent.kind).toBe(item.kind);
    expect(('base_version' in sent ? sent.base_version : null) ?? null).toBe(item.base_version);
    expect(JSON.stringify(sent)).toContain(ID);
  }
});

test('an edit of the same object replaces the earlier one', () => {
  const [first, , deletion] = STORED.map(toItemInput);
  if (!first || !deletion) throw new Error('expected edits');
  expect(editsSame(first, deletion)).toBe(true);
  expect(editsSame(first, { kind: 'policy_delete', policy_id: OTHER })).toBe(false);
  const created = { ...first, policy_id: undefined } as typeof first;
  expect(editsSame(created, created)).toBe(false);
});
