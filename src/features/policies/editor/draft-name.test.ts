import { describe, expect, it } from 'vitest';
import type { PolicyDraft } from '@/domain/policy-draft';
import { loadCatalog } from '@/lib/i18n/load-catalog';
import type { Locale } from '@/lib/i18n/locales';
import { makeTranslate } from '@/lib/i18n/translator';
import { draftName } from './draft-name';

const end = (label: string | null): PolicyDraft['source'] => ({
  endpoint: label,
  endpoints: label === null ? [] : [label],
  kind: label === null ? null : 'workload',
  security_group_id: null,
  label,
  workloads_total: 1,
  workload_endpoint: null,
  workload_name: null,
});
const rule = { action: 'accept' as const, protocol: 'tcp' as const, destination_ports: ['5432'], icmp_type: null };
const createDraft = (source: string | null, target: string | null, rules: PolicyDraft['rules'] = [rule]) => ({
  source: end(source),
  target: end(target),
  rules,
});

describe('draftName', () => {
  it.each([
    ['en', 'Allow tcp/5432 from web to pg-01', 'Drop traffic from web', 'Reject tcp/5432 to pg-01', 'Policy for pg-01'],
    [
      'de',
      'Zulassen: tcp/5432 von web nach pg-01',
      'Verwerfen: Verkehr von web',
      'Ablehnen: tcp/5432 nach pg-01',
      'Richtlinie für pg-01',
    ],
    [
      'fr',
      'Autoriser tcp/5432 de web vers pg-01',
      'Abandonner le trafic de web',
      'Rejeter tcp/5432 vers pg-01',
      'Politique pour pg-01',
    ],
  ] as const)('says in %s what the policy does', async (locale: Locale, both, from, to, only) => {
    const t = makeTranslate(locale, await loadCatalog(locale));
    expect(draftName(t, createDraft('web', 'pg-01'), 'accept')).toBe(both);
    expect(draftName(t, createDraft('web', null, []), 'drop')).toBe(from);
    expect(draftName(t, createDraft(null, 'pg-01'), 'reject')).toBe(to);
    expect(draftName(t, createDraft(null, 'pg-01', []), 'accept')).toBe(only);
    expect(draftName(t, createDraft(null, null, []), 'accept')).toBe('');
  });

  it('returns one line that is short enough to save', async () => {
    const t = makeTranslate('en', {});
    const name = draftName(t, createDraft('a\nb'.repeat(60), 'pg-01'), 'accept');
    expect(name.length).toBeLessThanOrEqual(100);
    expect(name).not.toMatch(/\n/);
  });
});
