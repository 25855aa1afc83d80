import type { Confidence, EvidenceDetail, EvidenceLevel, EvidenceReason } from '@/domain/impact/evidence';
import { formatCount, formatDateTime, formatDuration, formatPercent } from '@/lib/format';
import { msg, type Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Properties } from '@/ui/properties';
import { Status, type Tone } from '@/ui/status';
import { Missing } from '@/ui/values';

export const LEVEL_LABELS: Record<EvidenceLevel, { tone: Tone; word: string; meaning: string }> = {
  full: {
    tone: 'ok',
    word: msg('Full evidence'),
    meaning: msg('Traffic was observed in the whole time range, without known losses.'),
  },
  partial: {
    tone: 'warn',
    word: msg('Partial evidence'),
    meaning: msg('Traffic that is missing here may have existed. The list shows when and why.'),
  },
  none: {
    tone: 'unknown',
    word: msg('No evidence'),
    meaning: msg('No heartbeat covers this time range. Missing traffic is unknown, not zero.'),
  },
};

export const REASON_LABELS: Record<EvidenceReason['kind'], string> = {
  no_agent: msg('No agent on the node'),
  gap: msg('No heartbeats'),
  truncated: msg('Flows left out or rejected'),
  conntrack_only: msg('Connection tracking only'),
  capture_drops: msg('Packets lost by the capture'),
  logs_limited: msg('Log lines lost'),
  moved: msg('Moved'),
  beyond_retention: msg('Expired'),
};

const DETAILS: Record<EvidenceDetail, string> = {
  no_node: msg('On no known node'),
  no_heartbeats: msg('No heartbeats'),
  no_collector: msg('No collector worked'),
  not_in_inventory: msg('Not in the inventory yet'),
  between_nodes: msg('Moved between nodes'),
  other_owner: msg('Belonged to another tenant or project'),
};

const reasonText = (t: Translate, { kind, detail }: EvidenceReason) =>
  t(detail ? DETAILS[detail] : REASON_LABELS[kind]);

type Props = {
  visibility: Confidence;
  /** Whether level and score are shown, where they are not beside it already. */
  withLevel?: boolean;
};

/** Level, score, parts and list: only complete evidence is shown as good. */
export function EvidenceContent({ visibility, withLevel = true }: Props) {
  const t = useT();
  const { level, score, parts, reasons, reasons_total } = visibility;
  const { tone, word, meaning } = LEVEL_LABELS[level];
  const share = (part: number | null) => (part === null ? <Missing label={t('Unknown')} /> : formatPercent(part));
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        {withLevel && (
          <>
            <Status tone={tone}>{t(word)}</Status>
            <span className="tabular-nums">{formatPercent(score)}</span>
          </>
        )}
        <span className="text-muted">{t(meaning)}</span>
      </div>
      {level !== 'full' && (
        <>
          <Properties
            columns={2}
            items={[
              { label: t('Observed time'), value: share(parts.covered) },
              { label: t('Delivered flows and packets'), value: share(parts.delivered) },
              { label: t('Time with packet capture'), value: share(parts.captured) },
              { label: t('Log lines read'), value: share(parts.logged) },
            ]}
          />
          <details>
            <summary className="cursor-pointer">
              {t('{n, plural, one {# blind spot} other {# blind spots}}', { n: reasons_total })}
            </summary>
            <Reasons reasons={reasons} />
            {reasons_total > reasons.length && (
              <p className="mt-1 text-sm text-faint">
                {t('The largest {shown} of {total}.', {
                  shown: formatCount(reasons.length),
                  total: formatCount(reasons_total),
                })}
              </p>
            )}
          </details>
        </>
      )}
    </div>
  );
}

function Reasons({ reasons }: { reasons: readonly EvidenceReason[] }) {
  const t = useT();
  return (
    <div className="mt-2 overflow-x-auto">
      <table className="w-full text-left tabular-nums">
        <thead className="text-sm text-muted">
          <tr>
            <th className="pr-4 font-medium">{t('Reason')}</th>
            <th className="pr-4 font-medium">{t('From')}</th>
            <th className="pr-4 font-medium">{t('Duration')}</th>
            <th className="font-medium">{t('Missing')}</th>
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => (
            <tr key={`${reason.kind} ${reason.detail} ${reason.since}`} className="border-t">
              <td className="py-1 pr-4">{reasonText(t, reason)}</td>
              <td className="py-1 pr-4 whitespace-nowrap">{formatDateTime(reason.since)}</td>
              <td className="py-1 pr-4 whitespace-nowrap">
                {formatDuration(Date.parse(reason.until) - Date.parse(reason.since))}
              </td>
              <td className="py-1">
                {reason.lost_share !== null ? (
                  formatPercent(reason.lost_share)
                ) : reason.kind === 'conntrack_only' ? (
                  <Missing label={t('Unknown')} />
                ) : (
                  formatPercent(1)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
