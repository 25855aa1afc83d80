'use client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AgentEnrollmentCreated } from '@/domain/agent';
import { ansibleCommand, ansiblePlaybook, sshLoop } from '@/domain/install-scripts';
import { formatDuration } from '@/lib/format';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { Button } from '@/ui/button';
import { CodeBlock } from '@/ui/code-block';
import { Progress } from '@/ui/progress';
import { SegmentedControl } from '@/ui/segmented-control';
import { useCountdown } from '../use-timers';
import { LoopbackNotice } from './install-agent-dialog';

const WAYS = [
  { value: 'command', label: msg('Command') },
  { value: 'ssh', label: msg('SSH loop') },
  { value: 'ansible', label: msg('Ansible') },
] as const;
type Way = (typeof WAYS)[number]['value'];

/** Enrollments bring no event of their own. */
const POLL_MS = 3_000;

type Props = { enrolment: AgentEnrollmentCreated; nodes: readonly string[]; onAgain: () => void };

/** The command of a new enrollment token in three forms, and the nodes that enrolled with it so far. */
export function EnrollmentCommand({ enrolment, nodes, onAgain }: Props) {
  const t = useT();
  const trpc = useTRPC();
  const [way, setWay] = useState<Way>('command');
  const left = useCountdown(Date.parse(enrolment.expires_at));
  const { data } = useQuery({ ...trpc.agents.enrollments.queryOptions({ limit: 100 }), refetchInterval: POLL_MS });
  const now = data?.items.find(({ id }) => id === enrolment.id) ?? enrolment;
  return (
    <div className="flex flex-col gap-4">
      <LoopbackNotice baseUrl={enrolment.base_url} />
      <SegmentedControl
        label={t('Way to install')}
        value={way}
        onValueChange={setWay}
        options={WAYS.map(({ value, label }) => ({ value, label: t(label) }))}
      />
      {way === 'command' && (
        <>
          <p>{t('Run this command as root on each node. The same command works on every node.')}</p>
          <CodeBlock code={enrolment.command} label={t('Install command')} wrap />
        </>
      )}
      {way === 'ssh' && (
        <>
          <p>{t('Run this loop where you have root access to the nodes by SSH.')}</p>
          <CodeBlock code={sshLoop(enrolment, nodes)} label={t('SSH loop')} wrap />
        </>
      )}
      {way === 'ansible' && (
        <>
          <p>{t('Save this playbook as fabric-agent.yml. It contains no secret.')}</p>
          <CodeBlock code={ansiblePlaybook(enrolment)} label={t('Playbook')} />
          <p>{t('Then run it with the token:')}</p>
          <CodeBlock code={ansibleCommand(enrolment)} label={t('Ansible command')} wrap />
        </>
      )}
      <p className="text-muted">
        {left > 0
          ? t.rich('Valid for another {time}. Anyone with this token can enroll a node that has no agent.', {
              time: <span className="tabular-nums">{formatDuration(left * 1000)}</span>,
            })
          : t('The command has expired')}
      </p>
      <div aria-live="polite" className="flex flex-col gap-1">
        <Progress label={t('Enrolled nodes')} done={now.uses} total={now.max_uses} />
        {now.enrolled.length > 0 && (
          <p className="text-muted">{now.enrolled.map(({ node_name }) => node_name).join(', ')}</p>
        )}
      </div>
      <div className="flex justify-end">
        <Button onClick={onAgain}>{t('Create another token')}</Button>
      </div>
    </div>
  );
}
