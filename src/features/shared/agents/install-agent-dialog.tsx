'use client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { AgentInstall } from '@/domain/agent';
import { formatDuration } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { toFailure } from '@/lib/problem';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { buttonClass } from '@/ui/button-class';
import { CodeBlock } from '@/ui/code-block';
import { Dialog } from '@/ui/dialog';
import { ErrorState } from '@/ui/error-state';
import { Link } from '@/ui/link';
import { Skeleton } from '@/ui/loading';
import { Notice } from '@/ui/notice';
import { useCountdown } from '../use-timers';
import { isLoopbackAddress } from './install-progress';
import { InstallWait } from './install-wait';

/** The node to install on, and when its agent was enrolled last. */
export type InstallTarget = { node_id: string; node_name: string; enrolled_at: string | null };

/** Shows the command that installs the agent on a node, and waits for its first report. Closed while `target` is null. */
export function InstallAgentDialog({ target, onClose }: { target: InstallTarget | null; onClose: () => void }) {
  const t = useT();
  return (
    <Dialog
      open={target !== null}
      onOpenChange={(open) => !open && onClose()}
      size="lg"
      persistent
      title={target ? t('Install agent on {name}', { name: target.node_name }) : t('Install agent')}
      footer={
        <>
          {target && (
            <Link className={buttonClass()} href={paths.agent({ nodeId: target.node_id })} onClick={onClose}>
              {t('Open agent')}
            </Link>
          )}
          <Button variant="primary" onClick={onClose}>
            {t('Close')}
          </Button>
        </>
      }
    >
      {target && <Content key={target.node_id} target={target} />}
    </Dialog>
  );
}

function Content({ target }: { target: InstallTarget }) {
  const trpc = useTRPC();
  // The list that opened the dialog may be older than this.
  const agent = useQuery(trpc.agents.get.queryOptions({ id: target.node_id }));
  const install = useMutation(trpc.agents.install.mutationOptions());
  const [enrolledBefore, setEnrolledBefore] = useState(target.enrolled_at);
  const create = () => {
    if (agent.data) setEnrolledBefore(agent.data.enrolled_at);
    install.mutate({ node_id: target.node_id });
  };
  const begin = useEffectEvent(create);
  const begun = useRef(false);
  useEffect(() => {
    if (begun.current) return;
    begun.current = true;
    begin();
  }, []);
  if (install.data) {
    return (
      <Command
        install={install.data}
        onAgain={create}
        wait={<InstallWait nodeId={target.node_id} enrolledBefore={enrolledBefore} />}
      />
    );
  }
  if (install.error) return <ErrorState problem={toFailure(install.error)} onRetry={create} />;
  return <Skeleton className="h-40 w-full" />;
}

function Command({ install, onAgain, wait }: { install: AgentInstall; onAgain: () => void; wait: ReactNode }) {
  const t = useT();
  const left = useCountdown(Date.parse(install.expires_at));
  return (
    <div className="flex flex-col gap-4">
      <LoopbackNotice baseUrl={install.base_url} />
      <div className="flex flex-col gap-2">
        <p>
          {t.rich(
            'Run this command as root on <b>{name}</b>. The command installs or updates the agent and starts it.',
            {
              name: install.node_name,
              b: (inside) => <strong className="font-semibold">{inside}</strong>,
            },
          )}
        </p>
        <CodeBlock code={install.command} label={t('Install command')} wrap />
        {left > 0 ? (
          <p className="text-muted">
            {t.rich(
              'Works once, for another {time}. Do not share the command: anyone who has it can report as this node.',
              { time: <span className="tabular-nums">{formatDuration(left * 1000)}</span> },
            )}
          </p>
        ) : (
          <Notice
            tone="warn"
            live
            title={t('The command has expired')}
            action={
              <Button size="sm" onClick={onAgain}>
                {t('Create new command')}
              </Button>
            }
          />
        )}
      </div>
      {wait}
    </div>
  );
}

/** Warns of an install command that only this machine could use. */
export function LoopbackNotice({ baseUrl }: { baseUrl: string }) {
  const t = useT();
  if (!isLoopbackAddress(baseUrl)) return null;
  return (
    <Notice tone="warn" title={t('The node cannot reach this address')}>
      {t(
        'The command contains {url}, the address you used to open Fabric. Open Fabric at an address that the node can reach, then install from there.',
        { url: baseUrl },
      )}
    </Notice>
  );
}
