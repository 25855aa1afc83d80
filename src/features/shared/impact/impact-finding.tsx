'use client';
import type { Impact } from '@/domain/impact/impact';
import { formatPercent } from '@/lib/format';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { Button } from '@/ui/button';
import { Notice } from '@/ui/notice';
import { Progress } from '@/ui/progress';
import { usePermissions } from '../use-permissions';
import { type Finding, getImpactFinding } from './impact-labels';

type FindingText = { tone: 'info' | 'ok' | 'warn' | 'danger'; title: string; text: string };

const TEXTS: Record<Exclude<Finding, 'running' | 'failed' | 'blocked'>, FindingText> = {
  unchanged: {
    tone: 'info',
    title: msg('No workload changes'),
    text: msg('The rules of all workloads stay as they are, so no connection changes.'),
  },
  flows_hidden: {
    tone: 'warn',
    title: msg('Observed traffic is not visible to you'),
    text: msg('Your roles do not include flows, so no connection was checked. Only the rules were compared.'),
  },
  not_replayed: {
    tone: 'warn',
    title: msg('No observed traffic was evaluated'),
    text: msg('Whether the change cuts connections is unknown. Only the rules were compared.'),
  },
  no_evidence: {
    tone: 'warn',
    title: msg('No evidence about connections'),
    text: msg('At least one workload was not observed. Connections that were not observed may be cut.'),
  },
  undecided: {
    tone: 'warn',
    title: msg('The effect on some conversations is unknown'),
    text: msg('No conversation is known to be cut. Check the unknown ones in the list.'),
  },
  incomplete: {
    tone: 'warn',
    title: msg('No observed conversation is cut, but the evidence is partial'),
    text: msg('Conversations that were not observed may be cut. See the blind spots under Evidence.'),
  },
  clean: {
    tone: 'ok',
    title: msg('No observed conversation is cut'),
    text: msg('Every workload was observed in the whole time range. Rare connections may be missing.'),
  },
};

type Props = {
  impact: Impact;
  onCompute: () => void;
  pending: boolean;
};

/** How far the impact is, what it says first, and why it has no result. */
export function ImpactFinding({ impact, onCompute, pending }: Props) {
  const t = useT();
  const { can } = usePermissions();
  const finding = getImpactFinding(impact, can('flow:read'));
  const again = (
    <Button size="sm" onClick={onCompute} pending={pending}>
      {t('Compute again')}
    </Button>
  );
  const { level } = impact.confidence ?? { level: 'none' };
  return (
    <>
      {impact.status === 'running' && (
        <div className="flex flex-col gap-1.5 rounded-lg border bg-surface p-3">
          <p className="flex flex-wrap justify-between gap-x-3">
            {t('Computing the impact. What was found so far is shown.')}
            <span className="tabular-nums text-muted">{formatPercent(impact.progress)}</span>
          </p>
          <Progress
            label={t('Computing the impact. What was found so far is shown.')}
            done={Math.round(impact.progress * 100)}
            total={100}
            showLabel={false}
          />
        </div>
      )}
      {impact.status === 'done' && impact.outdated && (
        <Notice tone="warn" live title={t('The impact is outdated')} action={again}>
          {t('Rules, inventory or policies changed since it was computed.')}
        </Notice>
      )}
      {finding === 'failed' ? (
        <Notice tone="danger" live title={t('The impact could not be computed')} action={again}>
          {impact.error}
        </Notice>
      ) : finding === 'blocked' ? (
        <Notice
          tone="danger"
          live
          title={t(
            '{n, plural, one {# observed conversation would be blocked} other {# observed conversations would be blocked}}',
            { n: impact.totals.newly_blocked },
          )}
        >
          {impact.status === 'done' && level !== 'full' && t('There may be more: the evidence is incomplete.')}
        </Notice>
      ) : (
        finding !== 'running' && (
          <Notice tone={TEXTS[finding].tone} live title={t(TEXTS[finding].title)}>
            {t(TEXTS[finding].text)}
          </Notice>
        )
      )}
    </>
  );
}
