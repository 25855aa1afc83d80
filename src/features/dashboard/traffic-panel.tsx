import type { DashboardTraffic } from '@/domain/dashboard/dashboard';
import { useT } from '@/lib/i18n/use-t';
import { urlEnum, useUrlValue, withInitial } from '@/lib/url-state';
import { METRICS } from '../shared/flows/flow-chart-data';
import { FlowSeriesChart } from '../shared/flows/flow-series-chart';
import { describeEmptyTraffic, type Monitored } from './monitoring';

type Props = {
  traffic: DashboardTraffic['traffic'];
  security: Monitored | undefined;
  onSelect: (range: { since: string; until: string }) => void;
};

/** Traffic over time by verdict. Marking a part of it looks closer, at everything on the page. */
export function TrafficPanel({ traffic, security, onSelect }: Props) {
  const t = useT();
  const empty = describeEmptyTraffic(security);
  const [metric, setMetric] = useUrlValue('metric', withInitial(urlEnum(METRICS), METRICS[0]));
  return (
    <div className="grid min-w-0 flex-1">
      <FlowSeriesChart
        series={traffic}
        metric={metric}
        onMetricChange={(next) => void setMetric(next)}
        onSelect={onSelect}
        height={300}
        empty={empty ? t(empty.text, security?.monitoring) : t('Agents reported no traffic in this time range.')}
      />
    </div>
  );
}
