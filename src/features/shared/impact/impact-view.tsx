'use client';
import type { Impact } from '@/domain/impact/impact';
import { useT } from '@/lib/i18n/use-t';
import { Notice } from '@/ui/notice';
import { RelativeTime } from '@/ui/values';
import { OwnConnectionsNotice } from '../own-connections/own-connections-notice';
import { FailingTests } from '../policy-tests/test-views';
import { timesText } from '../time-range';
import { BlindSpots } from './blind-spots';
import { ConversationList } from './conversation-list';
import { DifferenceList } from './difference-list';
import { ImpactFinding } from './impact-finding';

type Props = {
  impact: Impact;
  /** Computes it again, of what is live now. */
  onCompute: () => void;
  pending: boolean;
  /** False where the page shows failing tests and Fabric's own connections already. */
  showTests?: boolean;
};

/** What a change does to connections: what it says first, observed conversations, the difference between the rules, and how far the evidence reaches. */
export function ImpactView({ impact, onCompute, pending, showTests = true }: Props) {
  const t = useT();
  const failing = impact.tests.filter(({ result }) => result === 'fail');
  const failingTotal = failing.length + impact.hidden_failing_tests;
  const isUnchanged = impact.status === 'done' && impact.workloads_total === 0;
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {showTests && <OwnConnectionsNotice connections={impact.own_connections} />}
      <ImpactFinding impact={impact} onCompute={onCompute} pending={pending} />
      {showTests && failingTotal > 0 && (
        <Notice
          tone="danger"
          title={t('{n, plural, one {One policy test would fail} other {# policy tests would fail}}', {
            n: failingTotal,
          })}
        >
          <FailingTests tests={failing} hidden={impact.hidden_failing_tests} />
        </Notice>
      )}
      <Basis impact={impact} />
      {impact.status !== 'failed' && !isUnchanged && (
        <>
          <ConversationList impact={impact} />
          <DifferenceList impact={impact} />
          <BlindSpots impact={impact} />
        </>
      )}
    </div>
  );
}

/** What it was computed of: time range, kind of traffic, live state. */
function Basis({ impact: { window, live_read_at: readAt, workloads_total: total } }: { impact: Impact }) {
  const t = useT();
  return (
    <p className="text-muted">
      {window.source === 'flows'
        ? t('Single flows, {times}.', { times: timesText(t, window.since, window.until) })
        : t('Hourly rollups, {times}.', { times: timesText(t, window.since, window.until) })}{' '}
      {total > 0 && t('{n, plural, one {# workload changes.} other {# workloads change.}}', { n: total })}{' '}
      {readAt !== null && t.rich('Compared with rules last read {at}.', { at: <RelativeTime at={readAt} /> })}
    </p>
  );
}
