import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SuggestedGroup } from '@/domain/suggestion/suggestion';
import { buildChoice, replaceGroup, toGiven } from './suggestion-groups';

const toGroup = (name: string, ids: readonly string[]): SuggestedGroup => ({
  name,
  endpoint: `sg:${name}`,
  kind: 'new',
  security_group_id: null,
  in_scope: true,
  workloads: ids.map((id) => ({ id, name: id })),
});
const drafts = fc
  .array(fc.uniqueArray(fc.uuid(), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 })
  .map((members) => members.map((ids, at) => toGroup(`group ${at}`, ids)));

describe('replaceGroup', () => {
  it('keeps every workload and the other groups, whichever group is split', () => {
    fc.assert(
      fc.property(drafts, fc.nat(), (groups, seed) => {
        const edited = groups[seed % groups.length] as SuggestedGroup;
        const parts = edited.workloads.map(({ id }) => ({ name: null, workload_ids: [id] }));
        const given = groups.map((one) => (one === edited ? parts : [toGiven(one)]));
        expect(replaceGroup(groups, edited, parts)).toEqual(given.flat());
      }),
    );
  });
});

describe('buildChoice', () => {
  const stored = { version: 2, widths: { 'in tcp/443': 'anywhere' as const } };

  it('keeps the version whose groups were edited, though another one was read since', () => {
    const change = { groups: [{ name: 'web', workload_ids: [] }], version: 1 };
    expect(buildChoice(change, stored)).toEqual(change);
  });

  it('takes the stored version for choices that follow one another', () => {
    expect(buildChoice({ tightness: 0, version: 1 }, stored)).toEqual({ tightness: 0, version: 2 });
    expect(buildChoice({ groups: null, version: 1 }, stored)).toEqual({ groups: null, version: 2 });
  });

  it('keeps the width that was chosen for another service', () => {
    const change = { widths: { 'in tcp/80': 'anywhere' as const }, version: 1 };
    expect(buildChoice(change, stored)).toEqual({ widths: { ...stored.widths, ...change.widths }, version: 2 });
  });
});
