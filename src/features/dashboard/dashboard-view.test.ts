import { expect, it } from 'vitest';
import { flowsHref } from './dashboard-view';

const SINCE = '2026-03-01T10:00:00.000Z';

it.each([
  [{ range: null, since: null, until: null }, '/flows?source=external'],
  [{ range: '1h', since: null, until: null }, '/flows?source=external'],
  [{ range: '24h', since: null, until: null }, '/flows?source=external&range=24h'],
  [{ range: '24h', since: SINCE, until: null }, '/flows?source=external&since=2026-03-01T10%3A00%3A00.000Z'],
] as const)('leads to the flows of the same time %#', (view, href) => {
  expect(flowsHref({ ...view, tenant_id: null }, { source: 'external' })).toBe(href);
});

it('keeps to the tenant', () => {
  expect(flowsHref({ range: null, since: null, until: null, tenant_id: 't' })).toBe('/flows?tenant_id=t');
});
