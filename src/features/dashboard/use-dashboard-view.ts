'use client';
import { parseAsStringLiteral, useQueryStates } from 'nuqs';
import { parseAsId, parseAsTime } from '../shared/list-state';
import { TRAFFIC_RANGE_VALUES } from '../shared/traffic-range';

const PARSERS = {
  range: parseAsStringLiteral(TRAFFIC_RANGE_VALUES),
  since: parseAsTime,
  until: parseAsTime,
  tenant_id: parseAsId,
};

/** Which time, and whose traffic, the dashboard is about; all of it in the URL. */
export function useDashboardView() {
  const [view, setView] = useQueryStates(PARSERS, { scroll: false, history: 'push' });
  return { view, setView: (change: Parameters<typeof setView>[0]) => void setView(change) };
}
export type DashboardView = ReturnType<typeof useDashboardView>['view'];
