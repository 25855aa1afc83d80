import type { ReactNode } from 'react';
import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import { PROTECTIONS } from '@/domain/firewall/protection';
import { formatPercent } from '@/lib/format';
import type { Translate } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { agentsText, enforcementText, LEVEL_LABELS, policiesText, suspiciousText } from './dashboard-labels';
import { ShareBar } from './figures';
import { PostureGauge } from './posture-gauge';

type PartProps = { title: string; text: string; cost: ReactNode; href: string; children?: ReactNode };

/** One part of the score: what it looks at, what was found, what it costs, and the way to it. */
function Part({ title, text, cost, href, children }: PartProps) {
  return (
    <li>
      <Link href={href} className="flex flex-col gap-1.5 px-4 py-2 -outline-offset-2 hover:bg-surface-2">
        <span className="flex items-baseline gap-3">
          <span className="min-w-0 flex-1">
            <span className="font-medium">{title}</span> <span className="text-muted">{text}</span>
          </span>
          <span className="shrink-0 tabular-nums">{cost}</span>
        </span>
        {children}
      </Link>
    </li>
  );
}

const less = (t: Translate, percent: number): ReactNode =>
  percent === 0 ? (
    <span className="text-faint">
      <span aria-hidden>–</span>
      <span className="sr-only">{t('no points deducted')}</span>
    </span>
  ) : (
    <span className="text-danger">
      <span aria-hidden>−{percent} %</span>
      <span className="sr-only">{t('{percent} percent deducted', { percent })}</span>
    </span>
  );

type Props = { security: DashboardSecurity; suspiciousHref: string; canSeeAgents: boolean };

/** The protections that do not count as enforced. */
const UNENFORCED = PROTECTIONS.filter((name) => name !== 'default_deny' && name !== 'unknown').join(',');

/** How secure everything is as one number, and what the number is made of. */
export function PosturePanel({ security, suspiciousHref, canSeeAgents }: Props) {
  const { security_posture: posture } = security;
  const t = useT();
  const { score, level, enforcement, policies, suspicious, agents } = posture;
  const { tone, word } = LEVEL_LABELS[level];
  return (
    <div className="flex flex-1 flex-col rounded-lg border bg-surface">
      <div className="flex items-center gap-4 p-4">
        <PostureGauge posture={posture} />
        <div className="flex min-w-0 flex-col items-start gap-1">
          <Badge tone={tone}>{t(word)}</Badge>
          <p className="text-pretty text-muted">
            {score === null
              ? t('Protection status of running workloads is not known yet.')
              : enforcement.unknown > 0
                ? t('{score} of 100 points. Workloads with unknown protection are not counted.', { score })
                : t('{score} of 100 points.', { score })}
          </p>
        </div>
      </div>
      <ul aria-label={t('Security posture components')} className="flex-1 divide-y border-t">
        <Part
          title={t('Enforcement')}
          text={enforcementText(t, enforcement)}
          href={paths.workloads({
            protection: enforcement.unenforced > 0 ? UNENFORCED : enforcement.unknown > 0 ? 'unknown' : null,
            status: 'running',
            template: 'false',
            missing: 'false',
          })}
          cost={
            enforcement.share === null ? (
              <span className="text-muted">{t('Unknown')}</span>
            ) : (
              formatPercent(enforcement.share)
            )
          }
        >
          <ShareBar
            shares={[
              { id: 'enforced', tone: 'ok', count: enforcement.enforced },
              { id: 'rules_default_accept', tone: 'warn', count: enforcement.protection.rules_default_accept },
              { id: 'open', tone: 'danger', count: enforcement.protection.no_rules + enforcement.protection.off },
              { id: 'unknown', tone: 'unknown', count: enforcement.unknown },
            ]}
          />
        </Part>
        {policies && (
          <Part
            title={t('Policies')}
            text={policiesText(t, policies)}
            cost={less(t, policies.deduction)}
            href={paths.policies({
              deployment_status:
                policies.unresolved > 0
                  ? 'unresolved'
                  : policies.stale > 0
                    ? 'stale'
                    : policies.partial > 0
                      ? 'partial'
                      : null,
            })}
          />
        )}
        <Part
          title={t('Suspicious traffic')}
          text={suspiciousText(t, security)}
          cost={less(t, suspicious.deduction)}
          href={suspiciousHref}
        />
        <Part
          title={t('Monitoring')}
          text={agentsText(t, agents)}
          cost={less(t, agents.deduction)}
          href={
            canSeeAgents
              ? paths.agents({ status: agents.silent > 0 ? 'silent' : agents.unwatched > 0 ? 'none' : null })
              : paths.workloads({ status: 'running' })
          }
        />
      </ul>
    </div>
  );
}
