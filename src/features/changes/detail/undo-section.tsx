'use client';
import { useQuery } from '@tanstack/react-query';
import type { Change } from '@/domain/change/change';
import { useT } from '@/lib/i18n/use-t';
import { useTRPC } from '@/lib/trpc';
import { CodeBlock } from '@/ui/code-block';
import { Section } from '@/ui/section';
import { WorkloadLink } from '../../shared/entity-links';

/** Commands that take the change back on a node, for the workloads that Fabric itself needs. Nothing where it changes none of them. */
export function UndoSection({ change }: { change: Change }) {
  const t = useT();
  const trpc = useTRPC();
  const { data } = useQuery(trpc.changeRollout.undoCommands.queryOptions({ id: change.id }));
  if (!data || data.workloads.length + data.unknown.length === 0) return null;
  return (
    <Section
      id="undo"
      title={t('Undo without Fabric')}
      description={t('The change writes to workloads that Fabric needs. Keep these commands where you can reach them.')}
    >
      <ul aria-label={t('Undo commands')} className="flex flex-col gap-4">
        {data.workloads.map(({ workload_id, name, vmid, node, commands }) => (
          <li key={workload_id} className="flex min-w-0 flex-col gap-1">
            <p>
              {t.rich('{workload} on node {node}', {
                workload: <WorkloadLink id={workload_id} name={`${name} (${vmid})`} />,
                node: <span className="mono">{node}</span>,
              })}
            </p>
            <CodeBlock label={t('Undo commands for {name}', { name })} code={commands.join('\n')} />
          </li>
        ))}
      </ul>
      {data.unknown.length > 0 && (
        <p className="text-warn">
          {t('Former state not known: {names}. Note their firewall before you apply the change.', {
            names: data.unknown.join(', '),
          })}
        </p>
      )}
    </Section>
  );
}
