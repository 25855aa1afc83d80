import clsx from 'clsx';
import { Check } from 'lucide-react';
import type { DashboardOperations, PolicyStandings } from '@/domain/dashboard/dashboard';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { buttonClass } from '@/ui/button-class';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';

export type Step = { id: string; title: string; text: string; href: string; action: string; done: boolean };

/** What a new installation still lacks, in order; null when nothing is lacking, or when it is not known. */
export function firstSteps(
  operations: Pick<DashboardOperations, 'inventory' | 'agents' | 'last_syncs'>,
  policies: Pick<PolicyStandings, 'total'> | null,
): Step[] | null {
  const { inventory, agents, last_syncs } = operations;
  if (inventory.clusters === null || last_syncs === null || agents === null || policies === null) return null;
  const steps: Step[] = [
    {
      id: 'cluster',
      title: msg('Add a cluster'),
      text: msg('Enter its address and an API token. Nodes, workloads and networks are discovered automatically.'),
      // The setup resumes where it was left.
      href: paths.setup(),
      action: inventory.clusters > 0 ? msg('Resume setup') : msg('Add cluster'),
      done: last_syncs.some(({ sync_status }) => sync_status !== 'never'),
    },
    {
      id: 'agent',
      title: msg('Install the agents'),
      text: msg('Run one command on each node to see its traffic.'),
      href: paths.agents({ install: true }),
      action: msg('Install agents'),
      done: agents.ok + agents.degraded + agents.silent > 0,
    },
    {
      id: 'policy',
      title: msg('Create the first policy'),
      text: msg('In audit mode, the policy shows what it would deny without denying anything.'),
      href: paths.newPolicy(),
      action: msg('Create policy'),
      done: policies.total > 0,
    },
  ];
  return steps.every(({ done }) => done) ? null : steps;
}

/** The way from an empty installation to one that shows something. */
export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const t = useT();
  const next = steps.find(({ done }) => !done);
  return (
    <section aria-label={t('First steps')} className="rounded-lg border bg-surface">
      <h2 className="px-4 pt-3 text-base">{t('First steps')}</h2>
      <ol className="grid gap-x-4 md:grid-cols-3">
        {steps.map((step, index) => (
          <li key={step.id} className="flex gap-3 p-4">
            <span
              aria-hidden="true"
              className={clsx(
                'inline-flex size-6 shrink-0 items-center justify-center rounded-full border text-sm tabular-nums',
                step.done ? 'border-transparent bg-ok-soft text-ok' : 'text-muted',
              )}
            >
              {step.done ? <Check size={14} /> : index + 1}
            </span>
            <div className="flex min-w-0 flex-col items-start gap-1">
              <p className={clsx('font-medium', step.done && 'text-muted')}>
                {t(step.title)}
                {step.done && <span className="sr-only"> {t('(done)')}</span>}
              </p>
              <p className="text-pretty text-muted">{t(step.text)}</p>
              {!step.done && (
                <Link
                  className={buttonClass({ size: 'sm', variant: step === next ? 'primary' : 'secondary' })}
                  href={step.href}
                >
                  {t(step.action)}
                </Link>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** Leads to the question on which workloads Fabric runs, until it is answered. For those who may answer it. */
export function OwnWorkloadsHint() {
  const t = useT();
  return (
    <Notice
      tone="info"
      title={t('Which workloads does Fabric run on?')}
      action={
        <Link className={buttonClass({ size: 'sm', variant: 'secondary' })} href={paths.protectedConnections()}>
          {t('Confirm workloads')}
        </Link>
      }
    >
      {t('Fabric found its own workloads by address. Confirm them, so that no policy cuts Fabric off.')}
    </Notice>
  );
}
