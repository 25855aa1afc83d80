import { ArrowRight } from 'lucide-react';
import type { ClusterCheckReport } from '@/domain/cluster';
import { useT } from '@/lib/i18n/use-t';
import { CodeBlock } from '@/ui/code-block';
import { Spinner } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { Status } from '@/ui/status';
import { CHECK_STATES, checkSummary, checkTitle, isPrivilege } from './check-labels';
import { getPveMajor, grantCommands, parseTokenId } from './token-commands';

type Check = ClusterCheckReport['checks'][number];

/** While the cluster is asked. A refused token alone takes three seconds. */
export function CheckRunning() {
  const t = useT();
  return (
    <p role="status" className="flex items-center gap-2 text-muted">
      <Spinner /> {t('Checking the cluster: address, certificate, token, privileges…')}
    </p>
  );
}

/** What the cluster answered, line by line, with the remedy for what does not work. `token` is the one that was tried. */
export function CheckReport({ report, token }: { report: ClusterCheckReport; token?: string }) {
  const t = useT();
  const summary = checkSummary(t, report);
  const privileges = report.checks.filter(isPrivilege);
  const others = report.checks.filter((check) => !isPrivilege(check));
  return (
    <section aria-label={t('Checks')} className="flex flex-col gap-3">
      <Notice tone={summary.tone} title={summary.text} live>
        {[
          report.cluster_name && t('Cluster {name}', { name: report.cluster_name }),
          report.version && `Proxmox VE ${report.version}`,
        ]
          .filter(Boolean)
          .join(', ')}
      </Notice>
      <CheckLines checks={others} label={t('Connection')} />
      {privileges.length > 0 && (
        <div className="flex flex-col gap-1">
          <p className="text-sm font-medium text-muted">{t('Token privileges')}</p>
          <CheckLines checks={privileges} label={t('Token privileges')} mono />
          {token && privileges.some((check) => check.status !== 'ok') && (
            <GrantHelp token={token} version={report.version} />
          )}
        </div>
      )}
    </section>
  );
}

function CheckLines({ checks, label, mono = false }: { checks: readonly Check[]; label: string; mono?: boolean }) {
  const t = useT();
  return (
    <ul aria-label={label} className="divide-y rounded-md border">
      {checks.map((check) => {
        const { tone, word } = CHECK_STATES[check.status];
        return (
          <li key={check.name} className="grid gap-x-3 px-3 py-1.5 sm:grid-cols-[11rem_6rem_1fr]">
            <span className={mono ? 'mono' : 'font-medium'}>{t(checkTitle(check.name))}</span>
            <span>
              <Status tone={tone}>{t(word)}</Status>
            </span>
            <div className="min-w-0 text-pretty [overflow-wrap:anywhere]">
              {check.detail && <p className={check.status === 'ok' ? 'text-muted' : undefined}>{check.detail}</p>}
              {check.remedy && (
                <p className="flex gap-1.5 text-muted">
                  <ArrowRight size={14} aria-hidden className="mt-0.5 shrink-0" />
                  {check.remedy}
                </p>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** The commands that give the token what it lacks, ready for a root shell on a node. */
function GrantHelp({ token, version }: { token: string; version: string | null }) {
  const t = useT();
  const named = parseTokenId(token);
  if (!named) return null;
  return (
    <div className="mt-2 flex flex-col gap-1">
      <p>{t('To grant the missing privileges, run as root on any node of the cluster:')}</p>
      <CodeBlock
        label={t('Commands to grant the privileges')}
        code={grantCommands(getPveMajor(version), named).join('\n')}
      />
    </div>
  );
}
