import { IMPACT_OUTCOMES } from '@/domain/choices';
import type { ChangeConfidence } from '@/domain/impact/evidence';
import type { Impact } from '@/domain/impact/impact';

const WINDOW = { since: '2026-11-24T06:00:00.000Z', until: '2026-11-25T06:00:00.000Z' };

export const createConfidence = (level: ChangeConfidence['level']): ChangeConfidence => ({
  ...WINDOW,
  level,
  score: level === 'full' ? 1 : level === 'none' ? 0 : 0.5,
  workloads: { full: 0, partial: 0, none: 0, [level]: 1 },
  reasons: [],
  items: [],
});

/** A finished impact on one workload: nothing is cut, and everything was observed. */
export const createImpact = (
  values: Partial<Omit<Impact, 'totals'>> & { totals?: Partial<Impact['totals']> } = {},
): Impact => ({
  id: '01980000-0000-7000-8000-000000000001',
  status: 'done',
  progress: 1,
  error: null,
  policy_id: null,
  change_id: null,
  policy_name: 'web',
  window: { ...WINDOW, source: 'flows' },
  live_read_at: WINDOW.until,
  outdated: false,
  conversations: { items: [], next_cursor: null, total: 0 },
  difference: [],
  difference_left_out: 0,
  workloads_total: 1,
  traffic_visible: true,
  confidence: createConfidence('full'),
  tests: [],
  hidden_failing_tests: 0,
  own_connections: [],
  created_at: '2026-11-25T06:00:30.000Z',
  finished_at: null,
  ...values,
  totals: { ...(Object.fromEntries(IMPACT_OUTCOMES.map((one) => [one, 0])) as Impact['totals']), ...values.totals },
});
