import type { TopologyGroup } from '@/domain/topology/topology';
import { formatBytes } from '@/lib/format';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Link } from '@/ui/link';
import { Properties } from '@/ui/properties';
import { Mono } from '@/ui/values';
import { KIND_LABELS, WorkloadState } from '../shared/inventory-states';
import type { MapNode } from './map-model';

/** Prefixes of what is outside that are listed. */
const MOST = 10;

function Outside({ group }: { group: TopologyGroup }) {
  const t = useT();
  const { kind, prefixes, prefixes_total } = group;
  return (
    <>
      <p className="text-pretty text-muted">
        {kind === 'external'
          ? t('Addresses outside all known prefixes, by network.')
          : t('Addresses in known prefixes that match no known workload.')}
      </p>
      <ul className="flex flex-col">
        {prefixes.slice(0, MOST).map(({ prefix, bytes }) => (
          <li key={prefix} className="flex justify-between gap-2 py-0.5">
            <Mono>{prefix}</Mono>
            <span className="text-muted tabular-nums">{formatBytes(bytes)}</span>
          </li>
        ))}
      </ul>
      {prefixes_total > MOST && (
        <p className="text-sm text-faint">{t('{n, number} more.', { n: prefixes_total - MOST })}</p>
      )}
    </>
  );
}

/** The list of the workloads of a group; null where the list has no such filter. */
const workloadsHref = ({ kind, id, name }: TopologyGroup): string | null => {
  if (kind === 'project') return paths.workloads({ project_id: id.slice('project:'.length) });
  return kind === 'tag' ? paths.workloads({ tag: name }) : null;
};

/** What is known about a node or group, apart from its connections. */
export function NodeProperties({ node, group }: { node: MapNode | null; group: TopologyGroup | null }) {
  const t = useT();
  const workload = node?.workload;
  if (workload) {
    return (
      <Properties
        items={[
          { label: t('Status'), value: <WorkloadState status={workload.status} /> },
          { label: t('Kind'), value: `${t(KIND_LABELS[workload.kind])}, VMID ${workload.vmid}` },
          {
            label: t('Addresses'),
            value: workload.addresses.length > 0 && <Mono>{workload.addresses.join(', ')}</Mono>,
          },
          { label: t('Project'), value: workload.project_name },
          { label: t('Tags'), value: workload.tags.join(', ') },
        ]}
      />
    );
  }
  if (!group) return null;
  if (group.kind === 'external' || group.kind === 'internal') return <Outside group={group} />;
  const count = t('{n, plural, one {# workload} other {# workloads}}', { n: group.workloads });
  const href = workloadsHref(group);
  return (
    <p className="text-muted">
      {href ? (
        <Link className="link" href={href}>
          {count}
        </Link>
      ) : (
        count
      )}
    </p>
  );
}
