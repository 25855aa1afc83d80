import clsx from 'clsx';
import type { ReactNode } from 'react';
import type { DashboardSecurity } from '@/domain/dashboard/dashboard';
import type { PosturePoints } from '@/domain/dashboard/security-posture';
import { PROTECTIONS } from '@/domain/firewall/protection';
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

/** What a part adds to the score or deducts from it, and of what. */
function Points({ line, before }: { line: PosturePoints | undefined; before: number }) {
  const t = useT();
  if (!line) return <span className="text-muted">{t('Unknown')}</span>;
  const { part, weight, percent, points } = line;
  const text =
    part === 'enforcement'
      ? t('of {weight}', { weight })
      : percent === 0
        ? t('at most {weight} %', { weight })
        : t('{percent} % of {before}, at most {weight} %', { percent, before, weight });
  return (
    <span className="flex flex-col items-end">
      <span className={clsx('font-medium', points < 0 && 'text-danger')}>{formatSigned(points, part)}</span>
      <span className="text-sm text-faint">{text}</span>
    </span>
  );
}

/** `83`, `−8`, `0`: with the sign that the line has in the sum. */
const formatSigned = (points: number, part: PosturePoints['part']): string =>
  points === 0 && part !== 'enforcement' ? '−0' : points < 0 ? `−${-points}` : String(points);

type Props = { security: DashboardSecurity; suspiciousHref: string; canSeeAgents: boolean };

/** The protections that do not count as enforced. */
const UNENFORCED = PROTECTIONS.filter((name) => name !== 'default_deny' && name !== 'unknown').join(',');

/** How secure everything is as one number, and what the number is made of. */
export function PosturePanel({ security, suspiciousHref, canSeeAgents }: Props) {
  const { security_posture: posture } = security;
  const t = useT();
  const { score, level, enforcement, policies, agents } = posture;
  const { tone, word } = LEVEL_LABELS[level];
  const { arithmetic } = posture;
  const sum = arithmetic.map(({ part, points }) => formatSigned(points, part)).join(' ');
  const renderPoints = (part: PosturePoints['part']) => {
    const at = arithmetic.findIndex((line) => line.part === part);
    const before = arithmetic.slice(0, Math.max(at, 0)).reduce((total, { points }) => total + points, 0);
    return <Points line={arithmetic[at]} before={before} />;
  };
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
          {score !== null && (
            <p className="tabular-nums">
              {sum} = <strong className="font-semibold">{score}</strong>
            </p>
          )}
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
          cost={renderPoints('enforcement')}
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
            cost={renderPoints('policies')}
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
          cost={renderPoints('suspicious')}
          href={suspiciousHref}
        />
        <Part
          title={t('Monitoring')}
          text={agentsText(t, agents)}
          cost={renderPoints('agents')}
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
