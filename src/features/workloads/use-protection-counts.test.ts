import { expect, it } from 'vitest';
import { UNPROTECTED_REASONS, type UnprotectedReason } from '@/domain/firewall/protection';
import { withCounts } from './use-protection-counts';

const facet = (id: string, values: readonly string[]) => ({
  id,
  label: id,
  options: values.map((value) => ({ value, label: value })),
  value: [],
  onValueChange: () => {},
});

it('counts each reason in its menu, and nothing in other menus or before the answer', () => {
  const facets = [facet('status', ['running']), facet('protection_reason', UNPROTECTED_REASONS)];
  const counts = Object.fromEntries(UNPROTECTED_REASONS.map((reason, at) => [reason, at])) as Record<
    UnprotectedReason,
    number
  >;
  const [status, reasons] = withCounts(facets, { protection_reason: counts });
  expect(status).toEqual(facets[0]);
  expect(reasons?.options.map(({ count }) => count)).toEqual(UNPROTECTED_REASONS.map((_, at) => at));
  expect(withCounts(facets, undefined)).toEqual(facets);
});
