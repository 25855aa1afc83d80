import type { OWN_CONNECTIONS, OwnConnection } from '@/domain/own-connections/own-workloads';
import { msg } from '@/lib/i18n/translator';
import { useT } from '@/lib/i18n/use-t';
import { paths } from '@/lib/paths';
import { Badge } from '@/ui/badge';
import { Link } from '@/ui/link';
import { Notice } from '@/ui/notice';
import { Mono } from '@/ui/values';
import { packetText } from '../policy-tests/test-labels';

/** What the connections of Fabric itself are called. */
export const OWN_CONNECTION_LABELS: Record<(typeof OWN_CONNECTIONS)[number], string> = {
  browsers_to_fabric: msg('Browsers to Fabric'),
  agents_to_fabric: msg('Agents to Fabric'),
  fabric_to_api: msg('Fabric to the API of the clusters'),
  fabric_to_database: msg('Fabric to PostgreSQL'),
  fabric_to_redis: msg('Fabric to Redis'),
  entry_to_web: msg('Public address to the web process'),
};

/** Connections of Fabric itself that a change would cut, or may cut; nothing when there are none. */
export function OwnConnectionsNotice({ connections }: { connections: readonly OwnConnection[] }) {
  const t = useT();
  if (connections.length === 0) return null;
  const cut = connections.filter(({ effect }) => effect === 'cut').length;
  return (
    <Notice
      tone="danger"
      title={
        cut > 0
          ? t(
              '{n, plural, one {Fabric would lose one of its own connections} other {Fabric would lose # of its own connections}}',
              {
                n: cut,
              },
            )
          : t('Fabric may lose its own connections')
      }
    >
      <ul className="flex flex-col gap-2">
        {connections.map((one) => (
          <li key={`${one.connection} ${one.workload?.id}`}>
            <OwnConnectionItem connection={one} />
          </li>
        ))}
      </ul>
      <p className="mt-2">{t('Exclude the workload from the targets, or add a rule that allows the connection.')}</p>
    </Notice>
  );
}

function OwnConnectionItem({ connection: own }: { connection: OwnConnection }) {
  const t = useT();
  const { connection, workload, effect, confirmed, packet, by, undo } = own;
  return (
    <>
      <p className="flex flex-wrap items-center gap-x-2">
        <Badge tone={effect === 'cut' ? 'danger' : 'unknown'}>{effect === 'cut' ? t('Cut') : t('Unknown')}</Badge>
        <span className="font-medium">
          {connection ? t(OWN_CONNECTION_LABELS[connection]) : t("One of Fabric's own connections")}
        </span>
        {workload && (
          <Link className="link" href={paths.workload({ workloadId: workload.id })}>
            {workload.name}
          </Link>
        )}
        {!confirmed && (
          <Link className="link" href={paths.protectedConnections()}>
            {t('Not confirmed')}
          </Link>
        )}
      </p>
      {packet && <p className="mono text-sm">{packetText(packet)}</p>}
      {by && <p className="text-sm text-muted">{by.explanation}</p>}
      {!by && workload && <p className="text-sm text-muted">{t('The firewall of the workload could not be read.')}</p>}
      {undo && (
        <p className="text-sm text-muted">
          {t.rich('To reconnect Fabric after an apply, run this on node {node}: {command}', {
            node: undo.node,
            command: <Mono>{undo.command}</Mono>,
          })}
        </p>
      )}
    </>
  );
}
