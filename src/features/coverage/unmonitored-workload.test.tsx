import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import type { WorkloadCoverage } from '@/domain/coverage';
import { english } from '@/lib/i18n/translator';
import { workloadCoverageColumns } from './coverage-columns';

const LAST = '2026-11-20T10:00:00.000Z';
const cell = (looked_since: string | null) => {
  const row = { workload_name: 'web', flows: 9, covered_share: 1, last_flow_at: LAST, looked_since };
  const column = workloadCoverageColumns(english).find(({ id }) => id === 'covered_share');
  return renderToStaticMarkup(column?.cell(row as unknown as WorkloadCoverage));
};

it('shows the covered share of a workload that is not monitored now gray and with its age', () => {
  expect(cell(null)).toContain(`data-as-of="${LAST}"`);
  expect(cell('2026-11-01T00:00:00.000Z')).not.toContain('data-as-of');
});
